package io.moldau.ops.connect;

import io.moldau.ops.chaos.cluster.Await;
import io.moldau.ops.chaos.cluster.Condition;
import io.moldau.ops.node.NodeProcess;
import io.moldau.ops.reference.Tool;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/// A distributed worker of Kafka Connect in a process of its own, and its REST interface. Owned by the test that starts
/// it.
final class ConnectWorker implements AutoCloseable {

    private static final Duration PATIENCE = Duration.ofSeconds(120);

    private final Path folder;
    private final String rest;
    private final HttpClient http = HttpClient.newHttpClient();
    private Process process;

    /// Starts it and does not wait.
    ///
    /// @param settings of the worker; where it listens is added
    ConnectWorker(Path folder, Map<String, String> settings) throws IOException {
        this.folder = Files.createDirectories(folder);
        rest = "http://127.0.0.1:" + NodeProcess.freePort(26_000);
        var lines = new ArrayList<String>();
        settings.forEach((key, value) -> lines.add(key + "=" + value));
        lines.add("listeners=" + rest);
        Files.write(folder.resolve("worker.properties"), lines);
        process = run();
    }

    private Process run() throws IOException {
        return new ProcessBuilder(List.of(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-Xmx256m",
                        "-XX:+UseSerialGC",
                        "-XX:TieredStopAtLevel=1",
                        "-Dorg.slf4j.simpleLogger.defaultLogLevel=error",
                        "-cp",
                        Tool.classPath(),
                        "org.apache.kafka.connect.cli.ConnectDistributed",
                        folder.resolve("worker.properties").toString()))
                .redirectErrorStream(true)
                .redirectOutput(
                        ProcessBuilder.Redirect.appendTo(folder.resolve("log").toFile()))
                .start();
    }

    /// kill -9, and a new one with the same settings.
    void killAndStart() throws Exception {
        process.destroyForcibly().waitFor();
        process = run();
    }

    /// Makes a connector or gives it new settings, as soon as the worker takes it.
    void put(String connector, String json) {
        await("connector " + connector + " to be taken", () -> {
            var answer = http.send(
                    HttpRequest.newBuilder(URI.create(rest + "/connectors/" + connector + "/config"))
                            .header("Content-Type", "application/json")
                            .timeout(Duration.ofSeconds(60))
                            .PUT(HttpRequest.BodyPublishers.ofString(json))
                            .build(),
                    HttpResponse.BodyHandlers.ofString());
            return answer.statusCode() == 201 || answer.statusCode() == 200;
        });
    }

    void awaitRunning(String connector) {
        await(
                "the task of " + connector + " to run",
                () -> http.send(
                                HttpRequest.newBuilder(URI.create(rest + "/connectors/" + connector + "/status"))
                                        .timeout(Duration.ofSeconds(20))
                                        .build(),
                                HttpResponse.BodyHandlers.ofString())
                        .body()
                        .contains("\"tasks\":[{\"id\":0,\"state\":\"RUNNING\""));
    }

    private void await(String what, Condition condition) {
        Await.until(what, PATIENCE, condition, this::log);
    }

    /// The last lines it printed.
    String log() {
        try {
            var lines = Files.readAllLines(folder.resolve("log"));
            return String.join("\n", lines.subList(Math.max(0, lines.size() - 40), lines.size()));
        } catch (IOException e) {
            return "(no log: " + e.getMessage() + ")";
        }
    }

    @Override
    public void close() {
        process.destroyForcibly();
    }
}
