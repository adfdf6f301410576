package io.moldau.ops.cli;

import static io.moldau.ops.cli.FakeCluster.sound;
import static org.assertj.core.api.Assertions.assertThat;

import io.moldau.common.TopicPartition;
import io.moldau.ops.report.GroupReport.Group;
import io.moldau.ops.report.GroupReport.Member;
import io.moldau.ops.report.Picture.LogDir;
import io.moldau.ops.report.Picture.Partition;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Commands about nodes, and the ones that look for what is wrong.
class NodeCommandsTest {

    private static final String ADMIN = "http://127.0.0.1:9644";

    private final FakeCluster cluster = new FakeCluster()
            .withBrokers(3)
            .withTopic("orders", sound(0, 1, 2, 3))
            .withTopic("__consumer_offsets", sound(0, 1, 2));
    private final Typed typed = new Typed(cluster);

    @TempDir
    private Path folder;

    NodeCommandsTest() {
        for (int id = 1; id <= 3; id++) {
            cluster.logDirs.put(
                    id, List.of(new LogDir("/d", "", 1000, 500, Map.of(new TopicPartition("orders", 0), 2048L))));
        }
    }

    @Test
    void brokersAreListedWithWhatTheyCarry() {
        cluster.withSetting(
                new org.apache.kafka.common.config.ConfigResource(
                        org.apache.kafka.common.config.ConfigResource.Type.BROKER, "1"),
                "advertised.listeners",
                "PLAINTEXT://one:9092",
                "static broker config");
        cluster.logDirs.remove(3);

        assertThat(typed.run("brokers")).isZero();
        assertThat(typed.out().lines())
                .containsExactly(
                        "ID  STATE               RACK  LISTENERS             LEADERS  PREFERRED  REPLICAS  LOG SIZE",
                        " 1  serves, controller     -  PLAINTEXT://one:9092        2          2         2  2.0 KiB",
                        " 2  serves                 -  host2:9092                  0          0         2  2.0 KiB",
                        " 3  serves                 -  host3:9092                  0          0         1  -");
    }

    @Test
    void aNodeIsStoppedByItsAdminListenerWhenItIsSafe() {
        typed.machine.listeners.put(9644, 77L);
        typed.machine.processes.add(77L);
        String unsafe = "{\"safeToStop\":false,\"reasons\":[\"a\",\"b\",\"c\",\"d\"],\"blockedPartitions\":1}";
        typed.machine.answer(ADMIN + "/safe-to-stop", 503, unsafe);
        typed.machine.answer(ADMIN + "/safe-to-stop", 503, unsafe);
        typed.machine.answer(ADMIN + "/safe-to-stop", 200, "{}");
        typed.machine.pausesUntilGone = 2;

        assertThat(typed.run("stop --when-safe")).isZero();

        assertThat(typed.machine.told).containsExactly("pause", "pause", "terminate 77", "pause", "pause");
        assertThat(typed.error()).isEqualTo("not safe yet: a; b; c; and more\n");
        assertThat(typed.out()).isEqualTo("The node (process 77) has stopped.\n");
    }

    @Test
    void aNodeThatIsNeverSafeIsNotStopped() {
        typed.machine.listeners.put(9644, 77L);
        typed.machine.processes.add(77L);
        typed.machine.answer(ADMIN + "/safe-to-stop", 503, "{\"reasons\":[\"t-0 would be offline\"]}");

        assertThat(typed.run("stop --when-safe --timeout 3")).isEqualTo(1);

        assertThat(typed.machine.told).containsExactly("pause", "pause", "pause");
        assertThat(typed.error()).contains("not safe to stop the node, after 3 s: t-0 would be offline", "doctor");
    }

    @Test
    void whatCannotBeStoppedIsNamed() {
        assertThat(typed.run("stop")).isEqualTo(1);
        assertThat(typed.error()).contains(ADMIN, "--pid");

        assertThat(typed.run("stop --pid 5")).isEqualTo(1);
        assertThat(typed.error()).contains("no process 5");

        typed.machine.processes.add(6L);
        assertThat(typed.run("stop --pid 6 --when-safe")).isEqualTo(1);
        assertThat(typed.error()).contains("/safe-to-stop does not say", "nothing listens");

        typed.machine.pausesUntilGone = 99;
        assertThat(typed.run("stop --pid 6 --timeout 12")).isEqualTo(1);
        assertThat(typed.error()).contains("process 6 is stopping, 10 s", "runs still after 12 s");
    }

    @Test
    void settingsAreCheckedAsAWhole() throws Exception {
        Path file = Files.writeString(folder.resolve("p"), "num.partitions=x\nlog.retention.hour=1\n");
        assertThat(typed.run("check-config " + file)).isEqualTo(2);
        assertThat(typed.out()).contains("num.partitions", "log.retention.hours", "2 findings");

        assertThat(typed.run("check-config -o num.partitions=3")).isZero();
        assertThat(typed.out()).isEqualTo("A node would start with these settings.\n");

        typed.machine.environment.put("MOLDAU_NUM_PARTITIONS", "many");
        assertThat(typed.run("check-config")).isEqualTo(2);
        assertThat(typed.out()).contains("num.partitions");
        typed.machine.environment.clear();

        assertThat(typed.run("check-config /nowhere/p --json")).isEqualTo(2);
        assertThat(typed.out()).contains("\"ok\": false", "/nowhere/p");
    }

    @Test
    void completionIsAScript() {
        assertThat(typed.run("completion")).isZero();
        assertThat(typed.out()).contains("complete", "reset-offsets", "--from-beginning", "start", "--data");
    }

    @Test
    void aClusterThatIsWellHasNoFindings() {
        assertThat(typed.run("doctor")).isZero();
        assertThat(typed.out()).contains("Controller 3 is a voter").doesNotContain("problem");
    }

    @Test
    void theDoctorFindsWhatIsWrong() {
        cluster.withTopic("orders", new Partition(0, -1, List.of(2), List.of(2), List.of()));
        cluster.logDirs.put(2, List.of(new LogDir("/bad", "gone", -1, -1, Map.of())));
        typed.machine.unreachable.put("host3:9092", "the connection is refused");
        typed.machine.answer(ADMIN + "/ready", 503, "{\"ready\":false}");
        typed.machine.answer(
                ADMIN + "/metrics", 200, "process_files_open_files 900.0\nprocess_files_max_files 1000.0\n");
        cluster.groups.put(
                "idle",
                new Group("idle", "classic", "Empty", "", 1, List.of(), Map.of(new TopicPartition("t", 0), 4L)));
        cluster.ends.put(new TopicPartition("t", 0), 9L);

        assertThat(typed.run("doctor")).isEqualTo(1);
        assertThat(typed.out())
                .contains("Log directory /bad of broker 2 cannot be used: gone")
                .contains("orders-0 is offline")
                .contains("Broker 3 tells clients to come to host3:9092, where from here the connection is refused")
                .contains("The node at http://127.0.0.1:9644 is not ready")
                .contains("may open 1000 files and has 900 open")
                .contains("Group idle has no members, and 5 records to read");

        assertThat(typed.run("doctor --json --node http://other:1")).isEqualTo(1);
        assertThat(typed.out()).contains("\"worst\": \"problem\"", "http://other:1 does not answer");
    }

    @Test
    void explanationsAreAskedOfTheCluster() {
        assertThat(typed.run("explain partition orders-0")).isZero();
        assertThat(typed.out()).startsWith("ok: orders-0 is well");
        assertThat(typed.run("explain broker 2 --json")).isZero();
        assertThat(typed.out()).contains("\"subject\": \"broker 2\"", "\"severity\": \"ok\"");
        assertThat(typed.run("explain partition orders")).isEqualTo(1);
        assertThat(typed.error()).contains("'orders' names no partition", "orders-3");

        assertThat(typed.run("explain group nobody")).isZero();
        assertThat(typed.out()).contains("no group nobody");
        var partition = new TopicPartition("orders", 0);
        cluster.groups.put(
                "g",
                new Group(
                        "g",
                        "classic",
                        "Stable",
                        "range",
                        1,
                        List.of(new Member("m", "c", "/h", Set.of(partition))),
                        Map.of(partition, 3L)));
        cluster.starts.put(partition, 0L);
        cluster.ends.put(partition, 9L);
        assertThat(typed.run("explain group g --watch 7")).isZero();
        assertThat(typed.out()).contains("has not moved in orders-0 for 7 s");
        assertThat(typed.machine.told).containsExactly("pause");
    }
}
