package io.moldau.metadata.quorum.transport;

import java.io.IOException;
import java.net.ConnectException;
import java.nio.ByteBuffer;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Predicate;

/// A network between voters in one process. Links can be cut in each direction, processes can end (which their
/// partners notice at once) or hang (which nobody notices).
public final class InMemoryRaftNetwork {

    private static final int PORT = 9093;

    /// One message on its way.
    public record Message(String from, String to, RaftMessage kind) {}

    private record Open(Message message, CompletableFuture<ByteBuffer> answer) {}

    private final Map<String, RaftRequests> nodes = new ConcurrentHashMap<>();
    private final Set<String> refused = ConcurrentHashMap.newKeySet();
    private final Set<String> dead = ConcurrentHashMap.newKeySet();
    private final Set<String> hung = ConcurrentHashMap.newKeySet();
    private final Set<Open> open = ConcurrentHashMap.newKeySet();
    private final Map<RaftMessage, AtomicInteger> sent = new ConcurrentHashMap<>();
    private final Set<Predicate<Message>> cuts = ConcurrentHashMap.newKeySet();

    public static String host(int nodeId) {
        return "node-" + nodeId;
    }

    public static int port() {
        return PORT;
    }

    /// The process of the node is there and listens.
    public void attach(int nodeId, RaftRequests requests) {
        nodes.put(host(nodeId), requests);
        dead.remove(host(nodeId));
        hung.remove(host(nodeId));
    }

    /// The process of the node has ended: its connections break, and new ones are refused.
    public void detach(int nodeId) {
        String host = host(nodeId);
        nodes.remove(host);
        dead.add(host);
        failOpen(
                message -> message.from().equals(host) || message.to().equals(host),
                new IOException("connection reset by " + host));
    }

    /// The process of the node stands still: what reaches it is never answered, and it says nothing.
    public void hang(int nodeId) {
        hung.add(host(nodeId));
    }

    public void resume(int nodeId) {
        hung.remove(host(nodeId));
    }

    /// Messages that this applies to get lost.
    public void lose(Predicate<Message> which) {
        cuts.add(which);
    }

    /// Nothing passes between this node and others, in both directions.
    public void isolate(int nodeId) {
        String host = host(nodeId);
        lose(message -> message.from().equals(host) || message.to().equals(host));
    }

    /// Connections of this node break; nothing else is wrong with it.
    public void breakConnections(int nodeId) {
        String host = host(nodeId);
        failOpen(
                message -> message.from().equals(host) || message.to().equals(host),
                new IOException("connection reset by " + host));
    }

    /// One node finds that nobody listens where another one is, though it lives.
    public void refuse(int from, int to) {
        refused.add(host(from) + ">" + host(to));
        failOpen(
                message -> message.from().equals(host(from)) && message.to().equals(host(to)),
                new IOException("connection reset by " + host(to)));
    }

    /// How many messages of this kind wait for an answer.
    public int open(RaftMessage kind) {
        return (int) open.stream().filter(one -> one.message().kind() == kind).count();
    }

    public void heal() {
        refused.clear();
        cuts.clear();
    }

    /// How many messages of this kind were sent.
    public int sent(RaftMessage kind) {
        AtomicInteger count = sent.get(kind);
        return count == null ? 0 : count.get();
    }

    private void failOpen(Predicate<Message> which, IOException failure) {
        for (Open one : open) {
            if (which.test(one.message())) {
                one.answer().completeExceptionally(failure);
            }
        }
    }

    private boolean isLost(Message message) {
        return hung.contains(message.from())
                || hung.contains(message.to())
                || cuts.stream().anyMatch(cut -> cut.test(message));
    }

    /// What a node sends through.
    public RaftTransport from(int nodeId) {
        String from = host(nodeId);
        return new RaftTransport() {
            @Override
            public CompletableFuture<ByteBuffer> send(
                    String host, int port, RaftMessage kind, ByteBuffer request, long timeoutMs) {
                sent.computeIfAbsent(kind, k -> new AtomicInteger()).incrementAndGet();
                return InMemoryRaftNetwork.this.send(new Message(from, host, kind), request, timeoutMs);
            }

            @Override
            public void reset(String host, int port) {
                failOpen(
                        message -> message.from().equals(from) && message.to().equals(host),
                        new IOException("the connection was given up"));
            }

            @Override
            public CompletableFuture<Boolean> listens(String host, int port, long timeoutMs) {
                if (isLost(new Message(from, host, RaftMessage.WATCH))) {
                    return new CompletableFuture<Boolean>().completeOnTimeout(true, timeoutMs, TimeUnit.MILLISECONDS);
                }
                return CompletableFuture.completedFuture(
                        nodes.containsKey(host) && !refused.contains(from + ">" + host));
            }
        };
    }

    private CompletableFuture<ByteBuffer> send(Message message, ByteBuffer request, long timeoutMs) {
        var answer = new CompletableFuture<ByteBuffer>();
        if (dead.contains(message.from())) {
            answer.completeExceptionally(new IOException("this process is dead"));
            return answer;
        }
        RaftRequests to = nodes.get(message.to());
        boolean refuses = to == null || refused.contains(message.from() + ">" + message.to());
        if (refuses && !isLost(message)) {
            answer.completeExceptionally(new ConnectException("connection refused by " + message.to()));
            return answer;
        }
        var one = new Open(message, answer);
        open.add(one);
        answer.orTimeout(timeoutMs, TimeUnit.MILLISECONDS).whenComplete((bytes, failure) -> open.remove(one));
        if (to != null && !isLost(message)) {
            to.handle(message.kind(), request).whenComplete((bytes, failure) -> {
                if (isLost(new Message(message.to(), message.from(), message.kind()))) {
                    return;
                }
                if (failure == null) {
                    answer.complete(bytes);
                } else {
                    answer.completeExceptionally(failure);
                }
            });
        }
        return answer;
    }
}
