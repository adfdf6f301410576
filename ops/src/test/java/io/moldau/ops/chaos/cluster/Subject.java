package io.moldau.ops.chaos.cluster;

import io.moldau.ops.node.NodeProcess;
import io.moldau.ops.reference.Tool;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import kafka.tools.StorageTool;

/// What a cluster is made of. The same plan starts either, so that figures can stand beside each other.
public enum Subject {
    /// Nodes of this project, started by the launcher as a person would.
    MOLDAU {
        @Override
        void prepare(NodePlan plan) {
            // The first start writes the node's identity.
        }

        @Override
        List<String> command(NodePlan plan) {
            var words = new ArrayList<>(List.of(NodeProcess.launcher().toString(), "start"));
            if (!plan.settings().containsKey(LOG_DIRS)) {
                words.addAll(List.of("--data", plan.data().toString()));
            }
            plan.settings().forEach((key, value) -> words.addAll(List.of("-o", key + "=" + value)));
            return words;
        }

        @Override
        Map<String, String> environment(NodePlan plan) {
            return Map.of("MOLDAU_HEAP", plan.heap());
        }
    },

    /// Nodes of Apache Kafka, from the jars of the test class path.
    REFERENCE {
        @Override
        void prepare(NodePlan plan) throws IOException {
            var lines = new ArrayList<String>();
            plan.settings().forEach((key, value) -> lines.add(key + "=" + value));
            if (!plan.settings().containsKey(LOG_DIRS)) {
                lines.add(LOG_DIRS + "=" + plan.data());
            }
            var file = Files.write(propertiesFile(plan), lines);
            var words = new ArrayList<>(List.of("format", "-t", "4L6g3nShT-eMCtK--X86sw", "-c", file.toString()));
            words.addAll(plan.referenceFormat());
            var said = new ByteArrayOutputStream();
            int status;
            try (var out = new PrintStream(said, true, StandardCharsets.UTF_8)) {
                status = StorageTool.execute(words.toArray(String[]::new), out);
            }
            if (status != 0) {
                throw new IllegalStateException(
                        "The reference could not format its folder: " + said.toString(StandardCharsets.UTF_8));
            }
        }

        @Override
        List<String> command(NodePlan plan) {
            return List.of(
                    Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                    "-Xms" + plan.heap(),
                    "-Xmx" + plan.heap(),
                    "-XX:+UseSerialGC",
                    "-XX:-UsePerfData",
                    "-Dorg.slf4j.simpleLogger.defaultLogLevel=warn",
                    "-Dorg.slf4j.simpleLogger.showDateTime=true",
                    "-Dorg.slf4j.simpleLogger.dateTimeFormat=HH:mm:ss.SSS",
                    "-cp",
                    Tool.classPath(),
                    "kafka.Kafka",
                    propertiesFile(plan).toString());
        }

        @Override
        Map<String, String> environment(NodePlan plan) {
            return Map.of();
        }
    };

    private static final String LOG_DIRS = "log.dirs";

    /// Makes the node's folder ready for its first start.
    abstract void prepare(NodePlan plan) throws IOException;

    abstract List<String> command(NodePlan plan);

    abstract Map<String, String> environment(NodePlan plan);

    private static Path propertiesFile(NodePlan plan) {
        return plan.folder().resolve("server.properties");
    }
}
