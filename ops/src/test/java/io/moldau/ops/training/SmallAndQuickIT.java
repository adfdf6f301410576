package io.moldau.ops.training;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.moldau.ops.chaos.cluster.Await;
import io.moldau.ops.node.NodeProcess;
import io.moldau.ops.reference.Tool;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// From an empty folder to a record that was produced and consumed, and the memory at rest after it, beside the
/// reference: a start of the one, a start of the other, and again. It prints figures, and judges the project's goals: a
/// third of the reference's format and start, and half of its memory.
///
/// `-Dmoldau.rounds=N` instead of 5; with `-Dmoldau.variants=true` also Moldau without the cache of classes and without
/// its admin listener, which tells what these cost.
class SmallAndQuickIT {

    private static final int ROUNDS = Integer.getInteger("moldau.rounds", 5);
    private static final Duration REST = Duration.ofSeconds(10);

    @TempDir
    private Path folder;

    /// @param command of a node whose data are to be in a folder, with ports for clients and controllers
    private record Subject(String name, Command command, Map<String, String> environment) {}

    private interface Command {
        List<String> of(Path folder, int port, int controllerPort) throws IOException;
    }

    private record Start(double seconds, double cpuSeconds, double residentAtOnce, double resident, double cpuAtRest) {}

    @Test
    @Timeout(value = 30, unit = TimeUnit.MINUTES)
    void fromAnEmptyFolderToARecord() throws Exception {
        assumeTrue(Boolean.getBoolean("moldau.long"), "a long run");
        List<Subject> subjects = new ArrayList<>(List.of(
                new Subject("reference", SmallAndQuickIT::reference, Map.of()),
                new Subject("moldau", SmallAndQuickIT::moldau, Map.of())));
        if (Boolean.getBoolean("moldau.variants")) {
            subjects.add(new Subject(
                    "moldau-no-cache", SmallAndQuickIT::moldau, Map.of("MOLDAU_JVM_OPTS", "-XX:AOTMode=off")));
            subjects.add(new Subject("moldau-no-admin", SmallAndQuickIT::withoutAdmin, Map.of()));
        }
        Map<String, List<Start>> starts = new LinkedHashMap<>();
        for (int round = 0; round < ROUNDS; round++) {
            for (Subject subject : subjects) {
                Path place = Files.createDirectories(folder.resolve(subject.name() + "-" + round));
                starts.computeIfAbsent(subject.name(), key -> new ArrayList<>()).add(start(subject, place));
            }
        }
        starts.forEach(SmallAndQuickIT::print);
        List<Start> ours = starts.getOrDefault("moldau", List.of());
        List<Start> theirs = starts.getOrDefault("reference", List.of());
        double faster = median(theirs, Start::seconds) / median(ours, Start::seconds);
        double smaller = median(theirs, Start::resident) / median(ours, Start::resident);
        System.out.printf(
                "START ratio reference/moldau: time %.2f, cpu %.2f, memory at rest %.2f%n",
                faster, median(theirs, Start::cpuSeconds) / median(ours, Start::cpuSeconds), smaller);
        assertThat(faster).isGreaterThan(3);
        assertThat(smaller).isGreaterThan(2);
    }

    private static Start start(Subject subject, Path place) throws Exception {
        int port = NodeProcess.freePort();
        List<String> command = subject.command().of(place, port, NodeProcess.freePort(port + 1));
        var builder = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(place.resolve("log").toFile());
        builder.environment().putAll(subject.environment());
        long began = System.nanoTime();
        Process process = builder.start();
        try {
            FirstRecord.await(port, process, place.resolve("log"));
            double seconds = (System.nanoTime() - began) / 1e9;
            ProcessCost atOnce = ProcessCost.of(process.pid());
            Await.pass(REST);
            ProcessCost rested = ProcessCost.of(process.pid());
            return new Start(
                    seconds,
                    atOnce.cpuSeconds(),
                    atOnce.residentMebibytes(),
                    rested.residentMebibytes(),
                    rested.cpuSeconds() - atOnce.cpuSeconds());
        } finally {
            process.toHandle().destroy();
            if (!process.waitFor(30, TimeUnit.SECONDS)) {
                process.destroyForcibly().waitFor();
            }
        }
    }

    private static List<String> moldau(Path folder, int port, int controllerPort) {
        return List.of(
                NodeProcess.launcher().toString(),
                "start",
                "--data",
                folder.resolve("data").toString(),
                "-o",
                "listeners=PLAINTEXT://127.0.0.1:" + port);
    }

    private static List<String> withoutAdmin(Path folder, int port, int controllerPort) {
        List<String> command = new ArrayList<>(moldau(folder, port, controllerPort));
        command.addAll(List.of("-o", "admin.listener="));
        return command;
    }

    /// As its own scripts run it, but for a format step that is told to be quick.
    private static List<String> reference(Path folder, int port, int controllerPort) throws IOException {
        Path file = Files.writeString(
                folder.resolve("server.properties"), """
                process.roles=broker,controller
                node.id=1
                controller.quorum.voters=1@127.0.0.1:%2$d
                listeners=PLAINTEXT://127.0.0.1:%1$d,CONTROLLER://127.0.0.1:%2$d
                advertised.listeners=PLAINTEXT://127.0.0.1:%1$d
                controller.listener.names=CONTROLLER
                log.dirs=%3$s
                offsets.topic.replication.factor=1
                transaction.state.log.replication.factor=1
                transaction.state.log.min.isr=1
                """.formatted(port, controllerPort, folder.resolve("data")));
        String java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
        String format = String.join(
                " ",
                java,
                "-Xshare:auto -XX:TieredStopAtLevel=1 -cp \"$JARS\" kafka.tools.StorageTool format",
                "-t 4L6g3nShT-eMCtK--X86sw -c",
                file.toString());
        String run = String.join(
                " ",
                java,
                "-Xms1g -Xmx1g -XX:+UseG1GC -XX:MaxGCPauseMillis=20 -XX:InitiatingHeapOccupancyPercent=35",
                "-XX:+ExplicitGCInvokesConcurrent -Dorg.slf4j.simpleLogger.defaultLogLevel=warn",
                "-cp \"$JARS\" kafka.Kafka",
                file.toString());
        return List.of("bash", "-c", "JARS='" + Tool.classPath() + "'; " + format + " && exec " + run);
    }

    private static void print(String name, List<Start> starts) {
        System.out.printf(
                "START %-16s %s; cpu %.2f s; resident %.0f MiB, at rest %.0f MiB (cpu in 10 s of rest %.2f s)%n",
                name,
                Arrays.toString(starts.stream()
                        .mapToDouble(start -> Math.round(start.seconds() * 100) / 100.0)
                        .sorted()
                        .toArray()),
                median(starts, Start::cpuSeconds),
                median(starts, Start::residentAtOnce),
                median(starts, Start::resident),
                median(starts, Start::cpuAtRest));
    }

    private interface Figure {
        double of(Start start);
    }

    private static double median(List<Start> starts, Figure figure) {
        double[] values = starts.stream().mapToDouble(figure::of).sorted().toArray();
        return values[values.length / 2];
    }
}
