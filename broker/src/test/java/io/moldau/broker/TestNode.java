package io.moldau.broker;

import io.moldau.broker.config.NodeConfig;
import io.moldau.common.Endpoint;
import io.moldau.common.FaultHandler;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;

/// A whole node in the test's process, on ports of its own choice. Faults are kept and fail the test at the end.
public final class TestNode implements AutoCloseable {

    private final Node node;
    private final FaultHandler.Recording faults;

    private TestNode(Node node, FaultHandler.Recording faults) {
        this.node = node;
        this.faults = faults;
    }

    /// Starts a node with data in the directory and waits until it serves.
    public static TestNode start(Path directory, String... keysAndValues) throws InterruptedException {
        Map<String, String> settings = new HashMap<>();
        settings.put("node.id", "1");
        settings.put("listeners", "PLAINTEXT://127.0.0.1:0,CONTROLLER://127.0.0.1:0");
        settings.put("log.dirs", directory.toString());
        settings.put("group.initial.rebalance.delay.ms", "0");
        settings.put("offsets.topic.num.partitions", "4");
        for (int i = 0; i < keysAndValues.length; i += 2) {
            settings.put(keysAndValues[i], keysAndValues[i + 1]);
        }
        FaultHandler.Recording faults = new FaultHandler.Recording();
        Node node = Node.start(
                NodeConfig.fromProperties(settings), NodeServices.real().withFaults(faults));
        try {
            node.awaitReady(Duration.ofSeconds(30));
        } catch (RuntimeException | InterruptedException e) {
            node.close();
            throw e;
        }
        return new TestNode(node, faults);
    }

    public Node node() {
        return node;
    }

    /// What clients connect to.
    public String bootstrapServers() {
        return address("PLAINTEXT");
    }

    public String address(String listener) {
        for (Endpoint endpoint : node.listeners()) {
            if (endpoint.listenerName().equals(listener)) {
                return endpoint.host() + ":" + endpoint.port();
            }
        }
        throw new IllegalArgumentException("no listener " + listener);
    }

    @Override
    public void close() {
        node.close();
        if (!faults.faults().isEmpty()) {
            AssertionError error = new AssertionError("faults of the node: " + faults.faults());
            faults.faults().forEach(fault -> error.addSuppressed(fault.cause()));
            throw error;
        }
    }
}
