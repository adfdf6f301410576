package io.moldau.ops;

import static org.assertj.core.api.Assertions.assertThat;

import io.moldau.ops.node.NodeProcess;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// The command a person types: what it prints, how it stops, what it refuses and with which exit status.
class LauncherIT {

    private static final int STOPPED_BY_SIGTERM = 143;

    @TempDir
    Path folder;

    @Test
    void aStartSaysWhereItListensWhereTheDataIsAndHowToTryIt() {
        try (var node = NodeProcess.start(folder.resolve("data"))) {
            assertThat(node.output())
                    .contains("PLAINTEXT://" + node.bootstrap())
                    .contains(folder.resolve("data").toString())
                    .contains("kcat -b " + node.bootstrap())
                    .doesNotContain("WARN")
                    .doesNotContain("ERROR")
                    .doesNotContain("WARNING");
            assertThat(node.output().lines()).hasSizeLessThan(20);
        }
    }

    @Test
    void itIsOneProcessThatStopsCleanlyOnSigterm() {
        try (var node = NodeProcess.start(folder.resolve("data"))) {
            var command = ProcessHandle.of(node.pid()).orElseThrow().info().command();
            assertThat(command).hasValueSatisfying(path -> assertThat(path).endsWith("/bin/java"));
            assertThat(ProcessHandle.of(node.pid()).orElseThrow().children()).isEmpty();

            assertThat(node.stop()).isEqualTo(STOPPED_BY_SIGTERM);

            assertThat(node.output())
                    .contains("stopped")
                    .doesNotContain("ERROR")
                    .doesNotContain("Exception");
            assertThat(folder.resolve("data/.kafka_cleanshutdown")).exists();
        }
    }

    @Test
    void aPropertiesFileIsReadAsItIs() throws Exception {
        // The settings that Apache Kafka's own example file has for a combined node.
        Path file = Files.writeString(
                folder.resolve("server.properties"), """
                process.roles=broker,controller
                node.id=1
                controller.quorum.bootstrap.servers=localhost:0
                listeners=PLAINTEXT://127.0.0.1:0,CONTROLLER://127.0.0.1:0
                inter.broker.listener.name=PLAINTEXT
                controller.listener.names=CONTROLLER
                listener.security.protocol.map=CONTROLLER:PLAINTEXT,PLAINTEXT:PLAINTEXT,SSL:SSL,SASL_PLAINTEXT:SASL_PLAINTEXT
                num.network.threads=3
                num.io.threads=8
                socket.send.buffer.bytes=102400
                socket.receive.buffer.bytes=102400
                socket.request.max.bytes=104857600
                log.dirs=%s
                num.partitions=1
                num.recovery.threads.per.data.dir=1
                offsets.topic.replication.factor=1
                share.coordinator.state.topic.replication.factor=1
                share.coordinator.state.topic.min.isr=1
                transaction.state.log.replication.factor=1
                transaction.state.log.min.isr=1
                log.retention.hours=168
                log.segment.bytes=1073741824
                log.retention.check.interval.ms=300000
                """.formatted(folder.resolve("kraft-combined-logs")));

        try (var node = NodeProcess.startWithFile(file)) {
            assertThat(node.output()).contains("kraft-combined-logs");
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "start --dta x                      | Unknown option '--dta'",
                "start -o                           | needs a value",
                "start --config /nowhere/p          | /nowhere/p",
                "start -o log.retention.hour=1      | log.retention.hours",
                "start -o num.partitons=1           | num.partitions",
                "start -o num.partitions=many       | num.partitions",
                "start -o process.roles=brokr       | process.roles",
                "strat                              | unknown command 'strat'",
            })
    void wrongUseIsNamedAndEndsWithStatusTwo(String line, String part) throws Exception {
        var result = run(Map.of(), line.strip().split(" "));

        assertThat(result.status()).as(result.output()).isEqualTo(2);
        assertThat(result.output()).contains(part).doesNotContain("Exception").doesNotContain("\tat ");
        assertThat(result.output().lines()).hasSize(1);
    }

    @Test
    void aHeapThatIsNoSizeIsNamed() throws Exception {
        var result = run(Map.of("MOLDAU_HEAP", "lots"), "start");

        assertThat(result.status()).isEqualTo(2);
        assertThat(result.output()).contains("MOLDAU_HEAP", "lots");
    }

    @Test
    void aTakenPortIsNamed() throws Exception {
        try (var taken = new ServerSocket(0)) {
            var result = run(
                    Map.of(),
                    "start",
                    "--data",
                    folder.resolve("data").toString(),
                    "-o",
                    "listeners=PLAINTEXT://127.0.0.1:" + taken.getLocalPort());

            assertThat(result.status()).as(result.output()).isEqualTo(1);
            assertThat(result.output())
                    .contains(Integer.toString(taken.getLocalPort()))
                    .doesNotContain("\tat ");
        }
    }

    @Test
    void aTakenAdminPortIsNamedWhereItWasAskedFor() throws Exception {
        try (var taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            var result = run(
                    Map.of(),
                    "start",
                    "--data",
                    folder.resolve("data").toString(),
                    "-o",
                    "listeners=PLAINTEXT://127.0.0.1:0",
                    "-o",
                    "admin.listener=http://127.0.0.1:" + taken.getLocalPort());

            assertThat(result.status()).as(result.output()).isEqualTo(1);
            assertThat(result.output())
                    .contains("admin.listener", Integer.toString(taken.getLocalPort()))
                    .doesNotContain("\tat ");
        }
    }

    @Test
    void twoNodesCannotShareTheData() throws Exception {
        try (var node = NodeProcess.start(folder.resolve("data"))) {
            var result =
                    run(Map.of(), "start", "--data", node.data().toString(), "-o", "listeners=PLAINTEXT://127.0.0.1:0");

            assertThat(result.status()).as(result.output()).isEqualTo(1);
            assertThat(result.output()).contains(node.data().toString());
        }
    }

    @Test
    void versionAndHelpStartNothing() throws Exception {
        assertThat(run(Map.of(), "version").output()).startsWith("Moldau ");
        assertThat(run(Map.of(), "help").output()).contains("--data DIR", "--config FILE", "MOLDAU_HEAP");
    }

    private record Result(int status, String output) {}

    private Result run(Map<String, String> environment, String... words) throws IOException, InterruptedException {
        var command = new ArrayList<>(List.of(NodeProcess.launcher().toString()));
        command.addAll(List.of(words));
        Path out = Files.createTempFile(folder, "out", "");
        var builder = new ProcessBuilder(command)
                .directory(folder.toFile())
                .redirectErrorStream(true)
                .redirectOutput(out.toFile());
        builder.environment().putAll(environment);
        var process = builder.start();
        if (!process.waitFor(60, TimeUnit.SECONDS)) {
            process.destroyForcibly().waitFor();
        }
        return new Result(process.exitValue(), Files.readString(out));
    }
}
