package io.moldau.broker.peer;

import io.moldau.common.ApiException;
import io.moldau.common.Endpoint;
import io.moldau.common.Errors;
import io.moldau.metadata.image.BrokerRegistration;
import io.moldau.metadata.image.MetadataDelta;
import io.moldau.metadata.image.MetadataImage;
import io.moldau.metadata.image.loader.LoaderManifest;
import io.moldau.metadata.image.publisher.MetadataPublisher;
import io.moldau.wire.protocol.ApiKey;
import io.moldau.wire.protocol.Message;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/// [BrokerRequests] over the inter-broker listener, with one connection for each broker and API: some answers wait for
/// replication, and what is behind them on the same connection would wait too.
///
/// Thread-safe. A connection belongs to one registration of its broker; a broker that registers anew, moves, is fenced
/// or goes takes its connections with it, and what is open on them fails.
public final class PeerBrokerRequests implements BrokerRequests, MetadataPublisher, AutoCloseable {

    /// What this broker answers to itself.
    @FunctionalInterface
    public interface Local<Q extends Message> {

        /// @param reply called once, on any thread
        void serve(Q request, short apiVersion, Consumer<? super Message> reply);
    }

    private record Target(int brokerId, short api) {}

    /// A connection and whom it was made to.
    private record Link(long brokerEpoch, Endpoint endpoint, PeerClient client) {

        boolean leadsTo(@Nullable BrokerRegistration broker, @Nullable Endpoint current) {
            return broker != null && broker.epoch() == brokerEpoch && endpoint.equals(current);
        }
    }

    private final int localId;
    private final String listener;
    private final PeerClients peers;
    private final Supplier<MetadataImage> image;
    private final Map<Short, Local<Message>> locals = new ConcurrentHashMap<>();

    private final Map<Target, Link> links = new HashMap<>();
    private boolean closed;

    /// @param listener name of the inter-broker listener
    public PeerBrokerRequests(int localId, String listener, PeerClients peers, Supplier<MetadataImage> image) {
        this.localId = localId;
        this.listener = listener;
        this.peers = peers;
        this.image = image;
    }

    /// Who answers the requests this broker makes of itself. To be told before the first of them.
    public <Q extends Message> PeerBrokerRequests local(ApiKey api, Class<Q> type, Local<Q> function) {
        locals.put(api.id(), (request, version, reply) -> function.serve(type.cast(request), version, reply));
        return this;
    }

    @Override
    public <R extends Message> CompletableFuture<R> send(
            int brokerId, short apiVersion, Message request, Class<R> response, long timeoutMs) {
        if (brokerId == localId) {
            return ask(request, apiVersion, response);
        }
        PeerClient client = client(brokerId, request.apiKey());
        if (client == null) {
            return CompletableFuture.failedFuture(
                    new ApiException(Errors.BROKER_NOT_AVAILABLE, "broker " + brokerId + " is not there"));
        }
        return client.send(apiVersion, request, timeoutMs).thenApply(answer -> {
            try (answer) {
                return answer.as(response);
            }
        });
    }

    private <R extends Message> CompletableFuture<R> ask(Message request, short apiVersion, Class<R> response) {
        Local<Message> local = locals.get(request.apiKey());
        if (local == null) {
            throw new IllegalArgumentException("nobody here answers " + request.getClass());
        }
        var answer = new CompletableFuture<R>();
        local.serve(request, apiVersion, message -> answer.complete(response.cast(message)));
        return answer;
    }

    private synchronized @Nullable PeerClient client(int brokerId, short api) {
        BrokerRegistration broker = image.get().cluster().broker(brokerId);
        Endpoint endpoint = endpointOf(broker);
        if (closed || broker == null || endpoint == null) {
            return null;
        }
        var target = new Target(brokerId, api);
        Link link = links.get(target);
        if (link != null && link.leadsTo(broker, endpoint)) {
            return link.client();
        }
        if (link != null) {
            link.client().close();
        }
        PeerClient client = peers.connect(endpoint.host(), endpoint.port(), purpose(api));
        links.put(target, new Link(broker.epoch(), endpoint, client));
        return client;
    }

    private static String purpose(short api) {
        ApiKey key = ApiKey.forId(api);
        return key == null ? "broker" : key.name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    /// Null unless the broker serves there.
    private @Nullable Endpoint endpointOf(@Nullable BrokerRegistration broker) {
        return broker == null || broker.fenced() ? null : broker.listener(listener);
    }

    @Override
    public String name() {
        return "requests to brokers";
    }

    @Override
    public synchronized void onMetadataUpdate(MetadataDelta delta, MetadataImage newImage, LoaderManifest manifest) {
        var changed = delta.clusterDelta().changedBrokers();
        if (changed.isEmpty()) {
            return;
        }
        links.entrySet().removeIf(entry -> {
            int id = entry.getKey().brokerId();
            if (!changed.contains(id)) {
                return false;
            }
            BrokerRegistration broker = newImage.cluster().broker(id);
            if (entry.getValue().leadsTo(broker, endpointOf(broker))) {
                return false;
            }
            entry.getValue().client().close();
            return true;
        });
    }

    /// How many connections there are.
    public synchronized int size() {
        return links.size();
    }

    @Override
    public synchronized void close() {
        closed = true;
        links.values().forEach(link -> link.client().close());
        links.clear();
    }
}
