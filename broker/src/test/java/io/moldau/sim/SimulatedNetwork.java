package io.moldau.sim;

import io.moldau.common.ApiException;
import io.moldau.common.Errors;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;

/// Connections between machines. Each keeps its order in both directions, as TCP does; between
/// connections there is no order. A cut holds packets back, in one direction or both, until it is
/// healed; a reset loses what is under way.
///
/// A packet that was sent may arrive long after its sender has given up the connection, and even after
/// the sender's process has ended and another one speaks for the node: a stalled connection delivers
/// late, while newer ones are fast. A process that ends tells its peers if the network lets it; a
/// machine without power tells nobody.
final class SimulatedNetwork {

    /// What a node offers to connections.
    interface Server {
        Machine machine();

        /// A thread for one connection.
        SimulatedExecutor newConnectionThread();
    }

    private record Link(int from, int to) {}

    private final Scheduler scheduler;
    private final SplittableRandom random;
    private final IntFunction<@Nullable Server> servers;
    private final Set<Link> cuts = new HashSet<>();
    /// Machines without power.
    private final Set<Integer> dark = new HashSet<>();

    private final Set<Connection> connections = new LinkedHashSet<>();
    private double resetProbability;
    private double slowProbability;
    private double stallProbability;

    /// @param servers the process that listens on a node now, null if none does
    SimulatedNetwork(Scheduler scheduler, IntFunction<@Nullable Server> servers) {
        this.scheduler = scheduler;
        this.random = scheduler.split();
        this.servers = servers;
    }

    // ---- faults

    void cut(int from, int to) {
        cuts.add(new Link(from, to));
    }

    void heal(int from, int to) {
        cuts.remove(new Link(from, to));
    }

    void healAll() {
        cuts.clear();
        resetProbability = 0;
        slowProbability = 0;
        stallProbability = 0;
    }

    boolean isCut(int from, int to) {
        return cuts.contains(new Link(from, to));
    }

    /// The machine runs again.
    void powered(int node) {
        dark.remove(node);
    }

    /// @param stalls how likely a packet is to wait for seconds, and with it all behind it on its connection
    void disturb(double resets, double slowPackets, double stalls) {
        resetProbability = resets;
        slowProbability = slowPackets;
        stallProbability = stalls;
    }

    /// What is sent from now on over the connections that there are between two machines arrives so much later.
    ///
    /// @param back what the server sends, not the client
    void stall(int client, int server, boolean back, long nanos) {
        for (Connection connection : connections) {
            if (connection.client.id() == client && connection.to == server) {
                Connection.Direction direction = back ? connection.back : connection.there;
                direction.lastArrival = Math.max(direction.lastArrival, scheduler.now() + nanos);
            }
        }
    }

    /// Closes the connections from and to a process that ended.
    ///
    /// @param silently as a machine that lost its power: peers are not told
    void ended(int node, boolean silently) {
        if (silently) {
            dark.add(node);
        }
        for (Connection connection : List.copyOf(connections)) {
            if (connection.client.id() == node) {
                connection.clientGone(silently);
            } else if (connection.to == node && connection.server != null) {
                if (!silently) {
                    connection.serverGone();
                }
            }
        }
    }

    /// Whether nobody listens there, which only a machine that runs can say.
    CompletableFuture<Boolean> probe(Machine from, int to, long timeoutMs) {
        var gone = new CompletableFuture<Boolean>();
        long answered = scheduler.now() + latency() + latency();
        if (isCut(from.id(), to) || isCut(to, from.id()) || dark.contains(to)) {
            answered = scheduler.now() + TimeUnit.MILLISECONDS.toNanos(timeoutMs);
        }
        scheduler.at(
                answered,
                from,
                "probe",
                () -> gone.complete(!isCut(from.id(), to)
                        && !isCut(to, from.id())
                        && !dark.contains(to)
                        && servers.apply(to) == null));
        return gone;
    }

    private long latency() {
        if (stallProbability > 0 && random.nextDouble() < stallProbability) {
            return random.nextLong(200_000_000, 5_000_000_000L);
        }
        if (random.nextDouble() < slowProbability) {
            return random.nextLong(1_000_000, 150_000_000);
        }
        return random.nextInt(100) < 95 ? random.nextLong(30_000, 300_000) : random.nextLong(300_000, 8_000_000);
    }

    // ---- connections

    Connection connect(Machine client, SimulatedExecutor thread, int to) {
        var connection = new Connection(client, thread, to);
        connections.add(connection);
        return connection;
    }

    /// One connection, seen from the client.
    final class Connection {

        private final class Direction {
            private long lastArrival;
            private final ArrayDeque<Runnable> held = new ArrayDeque<>();

            void send(int from, int target, Runnable arrival) {
                long at = Math.max(lastArrival + 1, scheduler.now() + latency());
                lastArrival = at;
                scheduler.at(at, null, "packet", () -> arrive(from, target, arrival));
            }

            private void arrive(int from, int target, Runnable arrival) {
                if (broken) {
                    return;
                }
                if (!held.isEmpty()) {
                    held.addLast(arrival);
                    return;
                }
                if (isCut(from, target)) {
                    held.addLast(arrival);
                    retransmit(from, target, 50_000_000);
                    return;
                }
                if (resetProbability > 0 && random.nextDouble() < resetProbability) {
                    reset();
                    return;
                }
                arrival.run();
            }

            private void retransmit(int from, int target, long delay) {
                scheduler.after(delay + random.nextLong(50_000_000), null, "retransmission", () -> {
                    if (broken || (senderLost && this == there)) {
                        held.clear();
                        return;
                    }
                    if (isCut(from, target)) {
                        retransmit(from, target, Math.min(2 * delay, 400_000_000));
                        return;
                    }
                    var all = List.copyOf(held);
                    held.clear();
                    for (Runnable arrival : all) {
                        if (!broken) {
                            arrival.run();
                        }
                    }
                });
            }
        }

        private final class Pending<R> {
            private final CompletableFuture<R> future = new CompletableFuture<>();
            private Scheduler.@Nullable Event timeout;

            void forget() {
                if (timeout != null) {
                    timeout.cancel();
                }
            }

            void fail(Errors error, String message) {
                if (timeout != null) {
                    timeout.cancel();
                }
                future.completeExceptionally(new ApiException(error, message));
            }

            void complete(@Nullable R response, @Nullable Throwable failure) {
                if (timeout != null) {
                    timeout.cancel();
                }
                if (failure != null) {
                    future.completeExceptionally(failure);
                } else {
                    future.complete(response);
                }
            }
        }

        /// An answer that waits for those before it.
        private final class Answer {
            private @Nullable Runnable send;
        }

        private final Machine client;
        private final SimulatedExecutor thread;
        private final int to;
        private final Direction there = new Direction();
        private final Direction back = new Direction();
        private final Map<Integer, Pending<?>> pending = new LinkedHashMap<>();
        private final ArrayDeque<Answer> answers = new ArrayDeque<>();
        private final List<Runnable> whenGone = new ArrayList<>();
        private int nextId;
        private boolean open = true;
        /// Nothing arrives any more. What a client sent before it closed the connection still does.
        private boolean broken;
        /// The client's machine lost its power: it sends nothing again that has not arrived.
        private boolean senderLost;
        private @Nullable Server server;
        private @Nullable SimulatedExecutor serverThread;
        private int serverLife;

        Connection(Machine client, SimulatedExecutor thread, int to) {
            this.client = client;
            this.thread = thread;
            this.to = to;
        }

        boolean isOpen() {
            return open;
        }

        int to() {
            return to;
        }

        /// Sends a request. It is served on a thread of the server for this connection; answers come
        /// back in the order of the requests, on the client's thread.
        ///
        /// @param serve is given the server and whom to tell the answer, on any thread of the server
        <R> CompletableFuture<R> call(
                String what, long timeoutMs, BiConsumer<Exchange, BiConsumer<@Nullable R, @Nullable Throwable>> serve) {
            var request = new Pending<R>();
            if (!open) {
                request.fail(Errors.NETWORK_EXCEPTION, "the connection is closed");
                return request.future;
            }
            int id = nextId++;
            pending.put(id, request);
            request.timeout =
                    scheduler.after(TimeUnit.MILLISECONDS.toNanos(timeoutMs), client, what + " timed out", () -> {
                        if (pending.remove(id) != null) {
                            request.fail(Errors.REQUEST_TIMED_OUT, what + " to node " + to + " timed out");
                            close();
                        }
                    });
            there.send(client.id(), to, () -> arrived(what, id, request, serve));
            return request.future;
        }

        private <R> void arrived(
                String what,
                int id,
                Pending<R> request,
                BiConsumer<Exchange, BiConsumer<@Nullable R, @Nullable Throwable>> serve) {
            Server now = servers.apply(to);
            if (server == null && now != null) {
                server = now;
                serverLife = now.machine().life();
                serverThread = now.newConnectionThread();
            }
            if (now == null || now != server || now.machine().life() != serverLife || serverThread == null) {
                // Refused, or reset by a machine that knows nothing of this connection.
                back.send(to, client.id(), this::reset);
                return;
            }
            var answer = new Answer();
            var loop = serverThread;
            loop.execute(() -> {
                if (broken) {
                    return;
                }
                answers.addLast(answer);
                serve.accept(new Exchange(this, loop), (response, failure) -> {
                    if (now.machine().life() != serverLife || !open) {
                        return;
                    }
                    answer.send = () -> back.send(to, client.id(), () -> answered(id, request, response, failure));
                    while (!answers.isEmpty() && answers.getFirst().send != null) {
                        Runnable send = answers.removeFirst().send;
                        if (send != null) {
                            send.run();
                        }
                    }
                });
            });
        }

        private <R> void answered(int id, Pending<R> request, @Nullable R response, @Nullable Throwable failure) {
            int life = client.life();
            thread.execute(() -> {
                if (life == client.life() && pending.remove(id) != null) {
                    request.complete(response, failure);
                }
            });
        }

        /// Both ends find the connection gone; what was under way is lost.
        private void reset() {
            if (!broken) {
                open = false;
                broken = true;
                connections.remove(this);
                failPending();
                giveUpAtServer();
            }
        }

        private void failPending() {
            if (!pending.isEmpty()) {
                int life = client.life();
                thread.execute(() -> {
                    if (life == client.life()) {
                        var all = List.copyOf(pending.values());
                        pending.clear();
                        all.forEach(
                                each -> each.fail(Errors.NETWORK_EXCEPTION, "the connection to node " + to + " broke"));
                    }
                });
            }
        }

        /// By the client.
        void close() {
            if (open) {
                open = false;
                failPending();
                sendEnd();
            }
        }

        /// The end travels behind what was sent.
        private void sendEnd() {
            there.send(client.id(), to, () -> {
                broken = true;
                connections.remove(this);
                giveUpAtServer();
            });
        }

        private void giveUpAtServer() {
            var loop = serverThread;
            var at = server;
            if (loop != null && at != null && at.machine().life() == serverLife) {
                loop.execute(() -> {
                    answers.clear();
                    var all = List.copyOf(whenGone);
                    whenGone.clear();
                    all.forEach(Runnable::run);
                });
            }
        }

        /// The client's process has ended. What it had sent is still on its way, and at a machine that
        /// lost its power nothing is left that could say more.
        private void clientGone(boolean silently) {
            pending.values().forEach(Pending::forget);
            pending.clear();
            if (open) {
                open = false;
                if (silently) {
                    senderLost = true;
                    connections.remove(this);
                } else {
                    sendEnd();
                }
            }
        }

        private void serverGone() {
            // The reset travels as any packet does.
            back.send(to, client.id(), this::reset);
        }
    }

    /// One request at the server.
    record Exchange(Connection connection, SimulatedExecutor thread) {

        /// Runs the action when the connection ends; at once if it has.
        void whenDisconnected(Runnable action) {
            if (connection.broken) {
                action.run();
            } else {
                connection.whenGone.add(action);
            }
        }

        void forget(Runnable action) {
            connection.whenGone.remove(action);
        }

        void disconnect() {
            connection.serverGone();
        }
    }
}
