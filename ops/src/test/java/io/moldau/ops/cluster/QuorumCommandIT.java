package io.moldau.ops.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.moldau.ops.chaos.cluster.ClusterPlan;
import io.moldau.ops.chaos.cluster.ClusterProcesses;
import io.moldau.ops.chaos.cluster.Subject;
import io.moldau.ops.node.NodeProcess;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// `moldau quorum`, as a person types it, against one controller and one broker that are joined by
/// another controller.
class QuorumCommandIT {

    private static final Duration SOON = Duration.ofSeconds(60);

    @TempDir
    private Path folder;

    @Test
    void controllersAreShownAddedAndRemoved() throws Exception {
        var plan = ClusterPlan.of(Subject.MOLDAU, folder)
                .controllers(101, 102)
                .brokers(1)
                .with("min.insync.replicas", "1")
                .with("default.replication.factor", "1")
                .with("offsets.topic.replication.factor", "1")
                .dynamicQuorum();
        try (var cluster = ClusterProcesses.start(plan, List.of(101, 1))) {
            String byBroker = "--bootstrap-server " + cluster.bootstrap();
            String byController = "--bootstrap-controller " + cluster.controllerBootstrap();

            assertThat(succeeds("quorum status " + byBroker))
                    .containsPattern("101 +leader")
                    .containsPattern("1 +observer +[A-Za-z0-9_-]{22} ")
                    .doesNotContainPattern("(?m)^ *102 ");
            assertThat(fails("quorum add 102 " + byBroker)).contains("No controller 102 follows");
            assertThat(fails("quorum remove 101 " + byBroker)).contains("the only voter");

            cluster.node(102).start();
            cluster.await(
                    "controller 102 to be shown with its address",
                    SOON,
                    () -> run("quorum status " + byBroker).output().matches("(?s).*102 +observer .*CONTROLLER://.*"));
            assertThat(succeeds("quorum add 102 " + byBroker)).contains("Node 102 is a voter now", "101, 102");
            assertThat(succeeds("quorum status " + byController)).containsPattern("102 +voter");
            assertThat(succeeds("quorum status --json " + byController)).contains("\"role\": \"voter\"");
            assertThat(fails("quorum add 102 " + byController)).contains("a voter already");

            assertThat(succeeds("quorum remove 101 " + byBroker)).contains("voters are 102.");
            assertThat(succeeds("quorum status " + byBroker))
                    .containsPattern("102 +leader")
                    .doesNotContainPattern("101 +(voter|leader)");
        }
    }

    @Test
    void nobodyThereIsNamed() throws Exception {
        String address = "127.0.0.1:" + NodeProcess.freePort(24_000);

        assertThat(fails("quorum status --timeout 2 --bootstrap-server " + address))
                .contains(address, "--timeout")
                .doesNotContain("Exception");
    }

    private String succeeds(String line) throws Exception {
        var result = run(line);
        assertThat(result.status()).as(result.output()).isZero();
        return result.output();
    }

    private String fails(String line) throws Exception {
        var result = run(line);
        assertThat(result.status()).as(result.output()).isEqualTo(1);
        return result.output();
    }

    private record Result(int status, String output) {}

    private Result run(String line) throws Exception {
        var command = new ArrayList<>(List.of(NodeProcess.launcher().toString()));
        command.addAll(List.of(line.split(" ")));
        Path out = Files.createTempFile(folder, "out", "");
        var process = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(out.toFile())
                .start();
        if (!process.waitFor(90, TimeUnit.SECONDS)) {
            process.destroyForcibly().waitFor();
        }
        return new Result(process.exitValue(), Files.readString(out));
    }
}
