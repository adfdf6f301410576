package io.moldau.ops.faults;

import io.moldau.broker.NodeServices;
import io.moldau.broker.config.NodeConfig;
import io.moldau.common.FaultHandler;
import io.moldau.ops.AdministeredNode;
import io.moldau.ops.chaos.cluster.Await;
import io.moldau.ops.cli.Tool;
import io.moldau.ops.node.NodeProcess;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/// What faults are staged on, each made when the first fault needs it. Owned by the test's thread.
final class Stages implements AutoCloseable {

    static final Duration SOON = Duration.ofSeconds(60);

    private static final int FIRST_PORT = 28_000;

    private final Path folder;
    private final FaultHandler.Recording faults = new FaultHandler.Recording();
    private int folders;
    private int nextPort = FIRST_PORT;
    private @Nullable OneNode node;
    private @Nullable SmallCluster cluster;

    Stages(Path folder) {
        this.folder = folder;
    }

    /// A node alone, with topics and a group.
    OneNode node() throws Exception {
        OneNode there = node;
        if (there == null) {
            there = new OneNode(this);
            node = there;
        }
        return there;
    }

    /// A controller and three brokers. The node alone makes place for them.
    SmallCluster cluster() throws Exception {
        SmallCluster there = cluster;
        if (there == null) {
            if (node != null) {
                node.close();
            }
            there = new SmallCluster(this);
            cluster = there;
        }
        return there;
    }

    /// A new, empty one.
    Path folder() throws IOException {
        return Files.createDirectories(folder.resolve("f" + folders++));
    }

    int port() {
        int port = NodeProcess.freePort(nextPort);
        nextPort = port + 1;
        return port;
    }

    /// Starts a node in this process, and waits until it serves.
    AdministeredNode start(Map<String, String> settings) throws InterruptedException {
        return start(settings, NodeServices.real());
    }

    AdministeredNode start(Map<String, String> settings, NodeServices services) throws InterruptedException {
        Map<String, String> all = new HashMap<>(Map.of("admin.listener", "http://127.0.0.1:0"));
        all.putAll(settings);
        var started =
                AdministeredNode.start(NodeConfig.fromProperties(all), services.withFaults(faults), "of the faults");
        try {
            started.node().awaitReady(SOON);
            return started;
        } catch (RuntimeException e) {
            started.close();
            throw e;
        }
    }

    /// Where clients reach a node.
    static String bootstrap(AdministeredNode node) {
        return node.node().listeners().stream()
                .filter(listener -> listener.listenerName().equals("PLAINTEXT"))
                .map(listener -> "127.0.0.1:" + listener.port())
                .findFirst()
                .orElseThrow();
    }

    static String admin(AdministeredNode node) {
        return Objects.requireNonNull(node.adminUrl());
    }

    /// Runs a command of `moldau`, and returns all that it says.
    String moldau(String... words) {
        return moldau("", List.of(words));
    }

    /// @param input what the command reads
    String moldau(String input, List<String> words) {
        var said = new StringWriter();
        var out = new PrintWriter(said, true);
        int status = Tool.run(
                new ByteArrayInputStream(input.getBytes(StandardCharsets.UTF_8)),
                out,
                out,
                words.toArray(String[]::new));
        return said + "\nexit status " + status;
    }

    /// Runs it until it says this.
    String until(String part, String... words) {
        List<String> said = new ArrayList<>();
        Await.until(
                "'" + part + "' from moldau " + String.join(" ", words),
                SOON,
                () -> said.add(moldau(words)) && said.getLast().contains(part),
                () -> said.isEmpty() ? "" : said.getLast());
        return said.getLast();
    }

    @Override
    public void close() throws Exception {
        if (node != null) {
            node.close();
        }
        if (cluster != null) {
            cluster.close();
        }
    }
}
