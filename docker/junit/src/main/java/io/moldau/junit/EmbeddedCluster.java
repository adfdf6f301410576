package io.moldau.junit;

import io.moldau.broker.Node;
import io.moldau.broker.NodeServices;
import io.moldau.broker.config.NodeConfig;
import io.moldau.common.Endpoint;
import io.moldau.common.FaultHandler;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Executor;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/// One to several brokers in this process, on free ports of the loopback interface, with their data in a temporary
/// folder. The first broker is also the controller, so that no port has to be known before it is bound.
///
/// Topics are created by use, with as many replicas as there are brokers, at most three. Groups begin at once instead
/// of
/// waiting for more members. Everything else is Kafka's default, and any setting can be given. Start and stop belong to
/// one thread.
public final class EmbeddedCluster implements AutoCloseable {

    private static final Duration READY = Duration.ofSeconds(60);
    private static final int MOST_REPLICAS = 3;
    private static final String CLIENTS = "PLAINTEXT";
    private static final Executor THREADS =
            task -> Thread.ofPlatform().name("moldau-embedded").daemon().start(task);

    private final Path folder;
    private final Map<String, String> settings;
    private final FaultHandler.Recording faults = new FaultHandler.Recording();
    private final List<Node> nodes = new ArrayList<>();
    private boolean closed;

    private EmbeddedCluster(Path folder, Map<String, String> settings) {
        this.folder = folder;
        this.settings = settings;
    }

    /// One broker.
    public static EmbeddedCluster start() {
        return start(1, Map.of());
    }

    /// Returns when all brokers serve.
    ///
    /// @param settings by Kafka's names, for all brokers
    /// @throws IllegalArgumentException if there is to be no broker
    /// @throws RuntimeException as a node would refuse to start: a setting is unknown or wrong
    public static EmbeddedCluster start(int brokers, Map<String, String> settings) {
        if (brokers < 1) {
            throw new IllegalArgumentException("A cluster of " + brokers + " brokers: there must be one at least.");
        }
        Map<String, String> all = new LinkedHashMap<>(defaults(brokers));
        all.putAll(settings);
        EmbeddedCluster cluster;
        try {
            cluster = new EmbeddedCluster(Files.createTempDirectory("moldau-test-"), all);
        } catch (IOException e) {
            throw new UncheckedIOException("No folder for the data of a cluster can be made.", e);
        }
        try {
            cluster.startAll(brokers);
            return cluster;
        } catch (RuntimeException e) {
            cluster.close();
            throw e;
        }
    }

    private static Map<String, String> defaults(int brokers) {
        String replicas = Integer.toString(Math.min(brokers, MOST_REPLICAS));
        return Map.of(
                "default.replication.factor",
                replicas,
                "offsets.topic.replication.factor",
                replicas,
                "offsets.topic.num.partitions",
                "4",
                "group.initial.rebalance.delay.ms",
                "0");
    }

    private void startAll(int brokers) {
        Node first = start(1, "broker,controller", CLIENTS + "://127.0.0.1:0,CONTROLLER://127.0.0.1:0", Map.of());
        nodes.add(first);
        Map<String, String> joining =
                Map.of("controller.quorum.bootstrap.servers", address(listener(first, "CONTROLLER")));
        List<CompletableFuture<Node>> others = Stream.iterate(2, id -> id + 1)
                .limit(brokers - 1L)
                .map(id -> CompletableFuture.supplyAsync(
                        () -> start(id, "broker", CLIENTS + "://127.0.0.1:0", joining), THREADS))
                .toList();
        // All of them are waited for, so that none is left behind when one fails.
        List<RuntimeException> failures = new ArrayList<>();
        for (CompletableFuture<Node> other : others) {
            try {
                nodes.add(other.join());
            } catch (CompletionException e) {
                failures.add(e.getCause() instanceof RuntimeException cause ? cause : e);
            }
        }
        if (!failures.isEmpty()) {
            throw failures.getFirst();
        }
        try {
            for (Node node : nodes) {
                node.awaitReady(READY);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("The start of the cluster was interrupted.", e);
        }
    }

    private Node start(int id, String roles, String listeners, Map<String, String> more) {
        Map<String, String> own = new LinkedHashMap<>();
        own.put("node.id", Integer.toString(id));
        own.put("process.roles", roles);
        own.put("listeners", listeners);
        own.put("log.dirs", folder.resolve("node-" + id).toString());
        own.putAll(more);
        own.putAll(settings);
        // A fault of a broker must not end the process that the tests are in.
        return Node.start(NodeConfig.fromProperties(own), NodeServices.real().withFaults(faults));
    }

    private static Endpoint listener(Node node, String name) {
        return node.listeners().stream()
                .filter(listener -> listener.listenerName().equals(name))
                .findFirst()
                .orElseThrow(
                        () -> new IllegalStateException("node " + node.config().nodeId() + " has no " + name));
    }

    private static String address(Endpoint listener) {
        return listener.host() + ":" + listener.port();
    }

    /// What clients are given as `bootstrap.servers`: all brokers.
    public String bootstrapServers() {
        return nodes.stream().map(node -> address(listener(node, CLIENTS))).collect(Collectors.joining(","));
    }

    public int brokers() {
        return nodes.size();
    }

    Path folder() {
        return folder;
    }

    /// Stops all brokers and removes their data; does nothing the second time.
    ///
    /// @throws IllegalStateException if a broker had a fault of its own
    @Override
    public void close() {
        if (closed) {
            return;
        }
        closed = true;
        // Those that lead give up their partitions first, and ask the controller for it, so that one goes last.
        stop(nodes.stream().skip(1).toList());
        stop(nodes.stream().limit(1).toList());
        nodes.clear();
        remove(folder);
        List<FaultHandler.Recording.Fault> found = faults.faults();
        if (!found.isEmpty()) {
            var failure = new IllegalStateException("A broker of the test's cluster had a fault of its own: "
                    + found.getFirst().where());
            found.forEach(fault -> failure.addSuppressed(fault.cause()));
            throw failure;
        }
    }

    private static void stop(List<Node> nodes) {
        nodes.stream()
                .map(node -> CompletableFuture.runAsync(node::close, THREADS))
                .toList()
                .forEach(CompletableFuture::join);
    }

    private static void remove(Path folder) {
        try (Stream<Path> files = Files.walk(folder)) {
            for (Path file : (Iterable<Path>) files.sorted(Comparator.reverseOrder())::iterator) {
                Files.delete(file);
            }
        } catch (IOException e) {
            throw new UncheckedIOException("The cluster's data in " + folder + " cannot be removed.", e);
        }
    }
}
