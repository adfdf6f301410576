package io.moldau.ops.cli;

import java.io.IOException;
import java.io.Reader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Properties;
import org.apache.kafka.clients.admin.AdminClientConfig;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/// The options that say which cluster is meant, the same for every command.
final class ClusterOptions {

    private static final String DEFAULT_SERVER = "localhost:9092";

    @Option(
            names = {"-b", "--bootstrap-server"},
            paramLabel = "HOST:PORT",
            description = "Brokers to ask, separated by commas (default: " + DEFAULT_SERVER + ").")
    private @Nullable String servers;

    @Option(
            names = {"-B", "--bootstrap-controller"},
            paramLabel = "HOST:PORT",
            description = "Controllers to ask instead.")
    private @Nullable String controllers;

    @Option(
            names = "--command-config",
            paramLabel = "FILE",
            description = "Properties of Kafka's clients, such as those for TLS and SASL.")
    private @Nullable Path config;

    @Option(
            names = "--timeout",
            paramLabel = "SECONDS",
            defaultValue = "30",
            description = "How long to wait for the cluster (default: ${DEFAULT-VALUE}).")
    private int timeoutSeconds;

    @Option(names = "--json", description = "Print JSON.")
    private boolean json;

    boolean json() {
        return json;
    }

    Properties properties() {
        if (servers != null && controllers != null) {
            throw new ToolException(
                    "--bootstrap-server and --bootstrap-controller exclude each other.", "Give one of the two.");
        }
        var properties = new Properties();
        if (config != null) {
            read(config, properties);
        }
        String timeoutMs = Long.toString(Math.max(1, timeoutSeconds) * 1000L);
        properties.put(AdminClientConfig.DEFAULT_API_TIMEOUT_MS_CONFIG, timeoutMs);
        properties.put(AdminClientConfig.REQUEST_TIMEOUT_MS_CONFIG, timeoutMs);
        properties.put(AdminClientConfig.ENABLE_METRICS_PUSH_CONFIG, "false");
        if (controllers != null) {
            properties.put(AdminClientConfig.BOOTSTRAP_CONTROLLERS_CONFIG, controllers);
            properties.remove(AdminClientConfig.BOOTSTRAP_SERVERS_CONFIG);
        } else if (servers != null || !properties.containsKey(AdminClientConfig.BOOTSTRAP_SERVERS_CONFIG)) {
            properties.put(AdminClientConfig.BOOTSTRAP_SERVERS_CONFIG, servers == null ? DEFAULT_SERVER : servers);
        }
        return properties;
    }

    private static void read(Path file, Properties into) {
        try (Reader reader = Files.newBufferedReader(file, StandardCharsets.UTF_8)) {
            into.load(reader);
        } catch (IOException | IllegalArgumentException e) {
            throw new ToolException(
                    "The file " + file + " of --command-config cannot be read: " + e + ".",
                    "Name a readable file of Java properties.");
        }
    }
}
