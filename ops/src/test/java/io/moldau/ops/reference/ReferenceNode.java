package io.moldau.ops.reference;

import io.moldau.ops.node.NodeProcess;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.admin.Admin;

/// One combined node of Apache Kafka in a process of its own, from the jars of the test class path, to compare with.
public final class ReferenceNode implements AutoCloseable {

    private static final long START_SECONDS = 120;

    private final Process process;
    private final String bootstrap;

    private ReferenceNode(Process process, String bootstrap) {
        this.process = process;
        this.bootstrap = bootstrap;
    }

    /// Formats the folder, starts the node and waits until it answers.
    public static ReferenceNode start(Path folder, List<String> settings) throws Exception {
        int port = NodeProcess.freePort();
        var bootstrap = "127.0.0.1:" + port;
        var controller = "127.0.0.1:" + NodeProcess.freePort(port + 1);
        var lines = new ArrayList<>(List.of(
                "process.roles=broker,controller",
                "node.id=1",
                "controller.quorum.voters=1@" + controller,
                "listeners=PLAINTEXT://" + bootstrap + ",CONTROLLER://" + controller,
                "controller.listener.names=CONTROLLER",
                "log.dirs=" + folder.resolve("data")));
        lines.addAll(settings);
        var file = Files.write(folder.resolve("server.properties"), lines);
        var log = folder.resolve("log");
        int formatted = java(
                        log, "kafka.tools.StorageTool", "format", "-t", "4L6g3nShT-eMCtK--X86sw", "-c", file.toString())
                .waitFor();
        if (formatted != 0) {
            throw new IllegalStateException("The reference could not format its folder:\n" + Files.readString(log));
        }
        return run(file, log, bootstrap);
    }

    /// Starts a node again that ended, on the port it had.
    public static ReferenceNode startAgain(Path folder) throws Exception {
        var file = folder.resolve("server.properties");
        String listeners = Files.readAllLines(file).stream()
                .filter(line -> line.startsWith("listeners=PLAINTEXT://"))
                .findFirst()
                .orElseThrow();
        String bootstrap = listeners.substring("listeners=PLAINTEXT://".length(), listeners.indexOf(','));
        return run(file, folder.resolve("log"), bootstrap);
    }

    private static ReferenceNode run(Path file, Path log, String bootstrap) throws Exception {
        var node = new ReferenceNode(java(log, "kafka.Kafka", file.toString()), bootstrap);
        try (var admin = Admin.create(
                Map.of("bootstrap.servers", bootstrap, "default.api.timeout.ms", START_SECONDS * 1000 + ""))) {
            admin.describeCluster().nodes().get(START_SECONDS, TimeUnit.SECONDS);
        } catch (Exception e) {
            node.close();
            throw new IllegalStateException("The reference did not start:\n" + Files.readString(log), e);
        }
        return node;
    }

    private static Process java(Path log, String... words) throws IOException {
        var command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx512m",
                "-XX:+UseSerialGC",
                "-Dorg.slf4j.simpleLogger.defaultLogLevel=error",
                "-cp",
                Tool.classPath()));
        command.addAll(List.of(words));
        return new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.appendTo(log.toFile()))
                .start();
    }

    public String bootstrap() {
        return bootstrap;
    }

    @Override
    public void close() throws InterruptedException {
        process.destroyForcibly().waitFor();
    }
}
