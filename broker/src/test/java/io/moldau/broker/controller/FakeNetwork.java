package io.moldau.broker.controller;

import io.moldau.broker.peer.PeerClient;
import io.moldau.broker.peer.PeerClients;
import io.moldau.broker.peer.PeerResponse;
import io.moldau.broker.peer.Reachability;
import io.moldau.broker.request.NodeRequest;
import io.moldau.broker.request.NodeRequestHandler;
import io.moldau.common.ApiException;
import io.moldau.common.Errors;
import io.moldau.wire.protocol.Message;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

/// Nodes that reach each other by plain calls, until one is told to be gone or to hang.
final class FakeNetwork implements PeerClients {

    private final Map<Integer, NodeRequestHandler> nodes = new HashMap<>();
    private final List<Integer> hanging = new ArrayList<>();

    /// What runs when the connection of the last heartbeat to that port ends.
    final Map<Integer, Runnable> endings = new HashMap<>();

    void listen(int port, NodeRequestHandler handler) {
        nodes.put(port, handler);
        hanging.remove((Integer) port);
    }

    void kill(int port) {
        nodes.remove(port);
    }

    void hang(int port) {
        hanging.add(port);
    }

    @Override
    public PeerClient connect(String host, int port, String purpose) {
        return new PeerClient() {
            private final List<CompletableFuture<ByteBuffer>> open = new ArrayList<>();
            private boolean closed;

            @Override
            public CompletableFuture<PeerResponse> send(short apiVersion, Message request, long timeoutMs) {
                throw new UnsupportedOperationException();
            }

            @Override
            public CompletableFuture<ByteBuffer> call(short apiKey, ByteBuffer body, long timeoutMs) {
                NodeRequestHandler node = nodes.get(port);
                if (node == null || closed) {
                    return CompletableFuture.failedFuture(new ApiException(Errors.NETWORK_EXCEPTION, "refused"));
                }
                if (hanging.contains(port)) {
                    CompletableFuture<ByteBuffer> never = new CompletableFuture<>();
                    open.add(never);
                    return never;
                }
                return node.handle(new NodeRequest() {
                    @Override
                    public short key() {
                        return apiKey;
                    }

                    @Override
                    public ByteBuffer body() {
                        return body;
                    }

                    @Override
                    public String principal() {
                        return "User:ANONYMOUS";
                    }

                    @Override
                    public String clientAddress() {
                        return "127.0.0.1";
                    }

                    @Override
                    public void whenConnectionEnds(Runnable action) {
                        endings.put(port, action);
                    }
                });
            }

            @Override
            public void close() {
                closed = true;
                open.forEach(call ->
                        call.completeExceptionally(new ApiException(Errors.NETWORK_EXCEPTION, "closed by this node")));
            }
        };
    }

    @Override
    public CompletableFuture<Reachability> probe(String host, int port, long timeoutMs) {
        return CompletableFuture.completedFuture(nodes.containsKey(port) ? Reachability.ACCEPTS : Reachability.REFUSED);
    }
}
