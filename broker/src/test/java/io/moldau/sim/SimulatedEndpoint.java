package io.moldau.sim;

import io.moldau.broker.replica.fetch.LeaderEndpoint;
import io.moldau.common.ApiException;
import io.moldau.common.Errors;
import io.moldau.wire.message.FetchRequestData;
import io.moldau.wire.message.FetchResponseData;
import io.moldau.wire.protocol.ApiKey;
import java.nio.ByteBuffer;
import java.util.concurrent.CompletableFuture;

/// A follower's connection to a leader over the simulated network.
final class SimulatedEndpoint implements LeaderEndpoint {

    private final SimulatedCluster cluster;
    private final SimulatedNode from;
    private final int to;
    private final SimulatedNetwork.Connection connection;

    SimulatedEndpoint(SimulatedCluster cluster, SimulatedNode from, int to) {
        this.cluster = cluster;
        this.from = from;
        this.to = to;
        this.connection = cluster.network().connect(from, SimulatedExecutor.thread(from, "replica fetch"), to);
    }

    private record Received(FetchResponseData response) implements Answer {
        @Override
        public void close() {}
    }

    @Override
    public CompletableFuture<Answer> fetch(FetchRequestData request, long timeoutMs) {
        ByteBuffer bytes = Encoded.of(request, FETCH_VERSION);
        return connection
                .<ByteBuffer>call("replica fetch", timeoutMs, (exchange, answer) -> {
                    SimulatedNode.Process process = cluster.node(to).process();
                    if (process == null) {
                        answer.accept(null, new ApiException(Errors.NETWORK_EXCEPTION));
                    } else {
                        process.serve(exchange, ApiKey.FETCH, FETCH_VERSION, bytes, from.name(), answer);
                    }
                })
                .thenApply(answer ->
                        new Received((FetchResponseData) Encoded.response(ApiKey.FETCH, FETCH_VERSION, answer)));
    }

    @Override
    public void close() {
        connection.close();
    }
}
