package io.moldau.broker.controller;

import io.moldau.broker.peer.NodeApi;
import io.moldau.broker.peer.PeerClient;
import io.moldau.broker.peer.PeerClients;
import io.moldau.broker.peer.Reachability;
import io.moldau.metadata.quorum.transport.RaftMessage;
import io.moldau.metadata.quorum.transport.RaftTransport;
import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;

/// Carries the messages of the quorum's voters over the controllers' listeners, each kind over a connection of its own.
/// A
/// message is its kind in one byte and what the quorum made of it. Any thread.
///
/// Bounded by the voters this node ever spoke to.
public final class PeerRaftTransport implements RaftTransport, AutoCloseable {

    /// A message that is meant to stay without an answer has no time-out of its own.
    private static final long LONGEST_TIMEOUT_MS = TimeUnit.DAYS.toMillis(365);

    private final CompletableFuture<PeerClients> peers;
    private final Map<Destination, PeerClient> clients = new HashMap<>();
    private boolean closed;

    private record Destination(String host, int port, RaftMessage kind) {}

    /// @param peers may be completed later: what is sent before waits for it
    public PeerRaftTransport(CompletableFuture<PeerClients> peers) {
        this.peers = peers;
    }

    @Override
    public CompletableFuture<ByteBuffer> send(
            String host, int port, RaftMessage kind, ByteBuffer request, long timeoutMs) {
        ByteBuffer message = ByteBuffer.allocate(1 + request.remaining());
        message.put(kind.code()).put(request).flip();
        return peers.thenCompose(connections -> client(connections, new Destination(host, port, kind))
                .call(NodeApi.RAFT.key(), message, Math.min(timeoutMs, LONGEST_TIMEOUT_MS)));
    }

    private synchronized PeerClient client(PeerClients connections, Destination to) {
        PeerClient client = clients.get(to);
        if (client == null) {
            client = connections.connect(
                    to.host(), to.port(), "raft-" + to.kind().name().toLowerCase(Locale.ROOT));
            if (closed) {
                client.close();
                return client;
            }
            clients.put(to, client);
        }
        return client;
    }

    @Override
    public void reset(String host, int port) {
        remove(to -> to.port() == port && to.host().equals(host)).forEach(PeerClient::close);
    }

    private synchronized List<PeerClient> remove(Predicate<Destination> which) {
        List<PeerClient> removed = clients.entrySet().stream()
                .filter(entry -> which.test(entry.getKey()))
                .map(Map.Entry::getValue)
                .toList();
        clients.keySet().removeIf(which);
        return removed;
    }

    @Override
    public CompletableFuture<Boolean> listens(String host, int port, long timeoutMs) {
        return peers.thenCompose(connections -> connections.probe(host, port, timeoutMs))
                .thenApply(seen -> seen != Reachability.REFUSED);
    }

    @Override
    public synchronized void close() {
        closed = true;
        clients.values().forEach(PeerClient::close);
        clients.clear();
    }
}
