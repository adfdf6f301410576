package io.moldau.broker;

import io.moldau.broker.config.NodeConfig;
import io.moldau.common.Endpoint;
import io.moldau.common.FaultHandler;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;

/// Several nodes in the test's process, each with its own directory, that know each other by real sockets.
final class TestCluster implements AutoCloseable {

    private static final Duration READY = Duration.ofSeconds(90);
    private static final Executor THREADS = task -> Thread.ofPlatform().daemon().start(task);

    private final Path directory;
    private final Map<Integer, Map<String, String>> settings = new TreeMap<>();
    private final Map<Integer, Node> nodes = new ConcurrentHashMap<>();
    private final FaultHandler.Recording faults = new FaultHandler.Recording();

    TestCluster(Path directory) {
        this.directory = directory;
    }

    /// So many nodes that are broker and controller, numbered from 1.
    static TestCluster combined(Path directory, int count) throws IOException {
        TestCluster cluster = new TestCluster(directory);
        List<Integer> ports = freePorts(2 * count);
        List<String> voters = new ArrayList<>();
        for (int id = 1; id <= count; id++) {
            voters.add(id + "@127.0.0.1:" + ports.get(id - 1));
        }
        for (int id = 1; id <= count; id++) {
            cluster.add(
                    id,
                    // Clients know a node that comes back by its port.
                    "listeners",
                    "PLAINTEXT://127.0.0.1:" + ports.get(count + id - 1) + ",CONTROLLER://127.0.0.1:"
                            + ports.get(id - 1),
                    "controller.quorum.voters",
                    String.join(",", voters));
        }
        return cluster;
    }

    /// Ports that were free a moment ago: voters have to know each other's before they start.
    static List<Integer> freePorts(int count) throws IOException {
        List<ServerSocket> sockets = new ArrayList<>();
        List<Integer> ports = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            ServerSocket socket = new ServerSocket(0, 1, InetAddress.getByName("127.0.0.1"));
            sockets.add(socket);
            ports.add(socket.getLocalPort());
        }
        for (ServerSocket socket : sockets) {
            socket.close();
        }
        return ports;
    }

    TestCluster add(int id, String... keysAndValues) {
        Map<String, String> own = new HashMap<>();
        own.put("node.id", Integer.toString(id));
        own.put("log.dirs", directory.resolve("node-" + id).toString());
        own.put("group.initial.rebalance.delay.ms", "0");
        own.put("offsets.topic.num.partitions", "4");
        for (int i = 0; i < keysAndValues.length; i += 2) {
            own.put(keysAndValues[i], keysAndValues[i + 1]);
        }
        settings.put(id, own);
        return this;
    }

    /// Starts all that do not run, and waits until they serve.
    TestCluster start() throws InterruptedException {
        List<CompletableFuture<Void>> starts = settings.keySet().stream()
                .filter(id -> !nodes.containsKey(id))
                .map(id -> CompletableFuture.runAsync(() -> begin(id), THREADS))
                .toList();
        starts.forEach(CompletableFuture::join);
        for (Node node : nodes.values()) {
            node.awaitReady(READY);
        }
        return this;
    }

    /// Starts one and does not wait until it serves.
    Node begin(int id) {
        Node node = Node.start(
                NodeConfig.fromProperties(Objects.requireNonNull(settings.get(id))),
                NodeServices.real().withFaults(faults));
        nodes.put(id, node);
        return node;
    }

    void stop(int id) {
        Objects.requireNonNull(nodes.remove(id)).close();
    }

    Node node(int id) {
        return Objects.requireNonNull(nodes.get(id));
    }

    /// The nodes that run, by number.
    List<Node> nodes() {
        return new TreeMap<>(nodes).values().stream().toList();
    }

    String bootstrapServers() {
        return String.join(
                ",",
                nodes().stream()
                        .filter(node -> node.config().isBroker())
                        .map(node -> address(node, "PLAINTEXT"))
                        .toList());
    }

    String address(int id, String listener) {
        return address(node(id), listener);
    }

    private static String address(Node node, String listener) {
        for (Endpoint endpoint : node.listeners()) {
            if (endpoint.listenerName().equals(listener)) {
                return endpoint.host() + ":" + endpoint.port();
            }
        }
        throw new IllegalArgumentException("no listener " + listener);
    }

    @Override
    public void close() {
        List<CompletableFuture<Void>> stops = nodes.values().stream()
                .map(node -> CompletableFuture.runAsync(node::close, THREADS))
                .toList();
        stops.forEach(CompletableFuture::join);
        if (!faults.faults().isEmpty()) {
            AssertionError error = new AssertionError("faults of the nodes: " + faults.faults());
            faults.faults().forEach(fault -> error.addSuppressed(fault.cause()));
            throw error;
        }
    }
}
