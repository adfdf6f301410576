package io.moldau.sim;

import io.moldau.broker.peer.BrokerRequests;
import io.moldau.common.ApiException;
import io.moldau.common.Errors;
import io.moldau.metadata.image.BrokerRegistration;
import io.moldau.metadata.image.MetadataImage;
import io.moldau.wire.protocol.ApiKey;
import io.moldau.wire.protocol.Message;
import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.function.Supplier;

/// What a broker asks of brokers over the simulated network, with one connection for each broker and API as
/// [io.moldau.broker.peer.PeerBrokerRequests] has them; what it asks of itself stays inside.
final class SimulatedBrokerRequests implements BrokerRequests {

    /// What the broker answers to itself.
    interface Local {
        void serve(Message request, short version, Consumer<Message> reply);
    }

    private record Target(int broker, ApiKey api) {}

    private final SimulatedCluster cluster;
    private final SimulatedNode node;
    private final Supplier<MetadataImage> image;
    private final SimulatedExecutor thread;
    private final Map<ApiKey, Local> locals = new HashMap<>();
    private final Map<Target, SimulatedNetwork.Connection> connections = new HashMap<>();

    SimulatedBrokerRequests(SimulatedCluster cluster, SimulatedNode node, Supplier<MetadataImage> image) {
        this.cluster = cluster;
        this.node = node;
        this.image = image;
        this.thread = SimulatedExecutor.thread(node, "broker requests");
    }

    void local(ApiKey api, Local function) {
        locals.put(api, function);
    }

    @Override
    public <R extends Message> CompletableFuture<R> send(
            int brokerId, short apiVersion, Message request, Class<R> response, long timeoutMs) {
        ApiKey api = ApiKey.forId(request.apiKey());
        if (api == null) {
            throw new IllegalArgumentException("no request: " + request);
        }
        if (brokerId == node.id()) {
            Local local = locals.get(api);
            if (local == null) {
                throw new IllegalArgumentException("nobody here answers " + api);
            }
            var answer = new CompletableFuture<R>();
            local.serve(request, apiVersion, message -> answer.complete(response.cast(message)));
            return answer;
        }
        BrokerRegistration broker = image.get().cluster().broker(brokerId);
        if (broker == null || broker.fenced()) {
            return CompletableFuture.failedFuture(new ApiException(Errors.BROKER_NOT_AVAILABLE));
        }
        ByteBuffer bytes = Encoded.of(request, apiVersion);
        return connection(new Target(brokerId, api))
                .<ByteBuffer>call(api.name(), timeoutMs, (exchange, answer) -> {
                    SimulatedNode.Process process = cluster.node(brokerId).process();
                    if (process != null) {
                        process.serve(exchange, api, apiVersion, bytes, node.name(), answer);
                    }
                })
                .thenApply(answer -> response.cast(Encoded.response(api, apiVersion, answer)));
    }

    private SimulatedNetwork.Connection connection(Target target) {
        SimulatedNetwork.Connection connection = connections.get(target);
        if (connection == null || !connection.isOpen()) {
            connection = cluster.network().connect(node, thread, target.broker());
            connections.put(target, connection);
        }
        return connection;
    }
}
