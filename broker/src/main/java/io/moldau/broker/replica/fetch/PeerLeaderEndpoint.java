package io.moldau.broker.replica.fetch;

import io.moldau.broker.peer.PeerClient;
import io.moldau.broker.peer.PeerClients;
import io.moldau.broker.peer.PeerResponse;
import io.moldau.wire.message.FetchRequestData;
import io.moldau.wire.message.FetchResponseData;
import java.util.concurrent.CompletableFuture;

/// [LeaderEndpoint] over a connection to the leader's listener. Thread-safe.
public final class PeerLeaderEndpoint implements LeaderEndpoint {

    private final PeerClient client;

    private PeerLeaderEndpoint(PeerClient client) {
        this.client = client;
    }

    /// Endpoints by the clients given.
    public static LeaderEndpoints by(PeerClients peers) {
        return (brokerId, host, port) -> new PeerLeaderEndpoint(peers.connect(host, port, "replica-fetcher"));
    }

    @Override
    public CompletableFuture<Answer> fetch(FetchRequestData request, long timeoutMs) {
        return client.send(FETCH_VERSION, request, timeoutMs).thenApply(PeerAnswer::new);
    }

    @Override
    public void close() {
        client.close();
    }

    private record PeerAnswer(PeerResponse peer) implements Answer {

        @Override
        public FetchResponseData response() {
            return peer.as(FetchResponseData.class);
        }

        @Override
        public void close() {
            peer.close();
        }
    }
}
