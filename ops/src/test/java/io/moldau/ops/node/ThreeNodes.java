package io.moldau.ops.node;

import io.moldau.broker.NodeServices;
import io.moldau.broker.config.NodeConfig;
import io.moldau.common.FaultHandler;
import io.moldau.ops.AdministeredNode;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;

/// Nodes 1, 2 and 3 in this process, each broker and controller, with their admin listeners. For the thread of a test.
public final class ThreeNodes implements AutoCloseable {

    private static final int NODES = 3;
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    private final Path folder;
    private final Map<String, String> settings;
    private final Map<Integer, AdministeredNode> nodes = new TreeMap<>();
    private final List<Integer> ports = freePorts();

    private ThreeNodes(Path folder, Map<String, String> settings) {
        this.folder = folder;
        this.settings = settings;
    }

    /// Starts all and waits until they serve.
    ///
    /// @param settings of each, besides those that make them a cluster
    public static ThreeNodes start(Path folder, Map<String, String> settings) throws InterruptedException {
        var three = new ThreeNodes(folder, Map.copyOf(settings));
        List<CompletableFuture<AdministeredNode>> starting = List.of(1, 2, 3).stream()
                .map(id -> CompletableFuture.supplyAsync(
                        () -> three.make(id), task -> Thread.ofPlatform().start(task)))
                .toList();
        for (int id = 1; id <= NODES; id++) {
            three.nodes.put(id, starting.get(id - 1).join());
        }
        for (AdministeredNode node : three.nodes.values()) {
            node.node().awaitReady(PATIENCE);
        }
        return three;
    }

    private static List<Integer> freePorts() {
        List<Integer> ports = new ArrayList<>();
        int next = 28_000;
        while (ports.size() < 2 * NODES) {
            next = NodeProcess.freePort(next);
            ports.add(next++);
        }
        return ports;
    }

    /// Those that run.
    public Set<Integer> ids() {
        return nodes.keySet();
    }

    public AdministeredNode node(int id) {
        return Objects.requireNonNull(nodes.get(id));
    }

    public String bootstrap() {
        return "127.0.0.1:" + clientPort(nodes.keySet().iterator().next());
    }

    public String adminUrl(int id) {
        return Objects.requireNonNull(node(id).adminUrl());
    }

    /// Stops one in order.
    public void stop(int id) {
        Objects.requireNonNull(nodes.remove(id)).close();
    }

    /// Starts one again and waits until it serves.
    public void startAgain(int id) throws InterruptedException {
        nodes.put(id, make(id));
        node(id).node().awaitReady(PATIENCE);
    }

    private int controllerPort(int id) {
        return ports.get(id - 1);
    }

    private int clientPort(int id) {
        return ports.get(NODES + id - 1);
    }

    private AdministeredNode make(int id) {
        var all = new HashMap<>(settings);
        all.putAll(Map.of(
                "node.id",
                Integer.toString(id),
                "listeners",
                "PLAINTEXT://127.0.0.1:" + clientPort(id) + ",CONTROLLER://127.0.0.1:" + controllerPort(id),
                "controller.quorum.voters",
                "1@127.0.0.1:%d,2@127.0.0.1:%d,3@127.0.0.1:%d"
                        .formatted(controllerPort(1), controllerPort(2), controllerPort(3)),
                "admin.listener",
                "http://127.0.0.1:0",
                "log.dirs",
                folder.resolve("node-" + id).toString()));
        return AdministeredNode.start(
                NodeConfig.fromProperties(all), NodeServices.real().withFaults(new FaultHandler.Recording()), "test");
    }

    @Override
    public void close() {
        nodes.values().forEach(AdministeredNode::close);
    }
}
