package io.moldau.ops.groups;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.moldau.ops.chaos.cluster.Await;
import io.moldau.ops.groups.ConsumerCrowd.Look;
import io.moldau.ops.groups.ConsumerCrowd.Protocol;
import io.moldau.ops.node.NodeProcess;
import io.moldau.ops.reference.ReferenceNode;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/// A crowd of Java consumers, with both protocols: nobody ever reads what another reads, no more partitions move than
/// must when one comes or goes, and restarts one by one move none. The long form (`-Dmoldau.long=true`) has 200
/// consumers and 1,000 partitions, and the reference beside Moldau; its figures are written to `target/group-scale.md`.
class GroupScaleIT {

    private static final List<String> SETTINGS = List.of(
            "offsets.topic.num.partitions=5",
            "offsets.topic.replication.factor=1",
            // The reference's default, which a test node does not have.
            "group.initial.rebalance.delay.ms=3000");

    /// The clients' default.
    private static final int HEARTBEAT_MS = 3_000;

    private static final int QUICK_HEARTBEAT_MS = 500;

    /// Of the short form, which waits for many heartbeats.
    private static final List<String> QUICK = Stream.concat(
                    SETTINGS.stream(),
                    Stream.of(
                            "group.consumer.min.heartbeat.interval.ms=" + QUICK_HEARTBEAT_MS,
                            "group.consumer.heartbeat.interval.ms=" + QUICK_HEARTBEAT_MS))
            .toList();

    /// One run: how long each step took, and how many partitions moved for it and were taken from somebody.
    private record Figures(
            Duration start,
            Duration join,
            int movedByJoin,
            int leastByJoin,
            Duration leave,
            int movedByLeave,
            double load,
            int thrownOut,
            List<String> faults) {

        String row(String broker, Protocol protocol) {
            return String.format(
                    Locale.ROOT,
                    "| %s | %s | %.1f s | %.1f s | %d (%d) | %.1f s | %d (0) | %d | %d | %.0f |",
                    broker,
                    protocol == Protocol.CONSUMER ? "consumer" : "classic, cooperative-sticky",
                    start.toMillis() / 1e3,
                    join.toMillis() / 1e3,
                    movedByJoin,
                    leastByJoin,
                    leave.toMillis() / 1e3,
                    movedByLeave,
                    thrownOut,
                    faults.size(),
                    load);
        }
    }

    @ParameterizedTest
    @EnumSource
    void noMoreMovesThanMustBe(Protocol protocol, @TempDir Path folder) throws Exception {
        try (var node = NodeProcess.start(folder.resolve("data"), QUICK.toArray(String[]::new))) {
            var figures = run(node.bootstrap(), protocol, 10, 40, QUICK_HEARTBEAT_MS);
            assertThat(figures.faults()).isEmpty();
            assertThat(figures.movedByJoin()).isEqualTo(figures.leastByJoin());
            assertThat(figures.movedByLeave()).isZero();
            restartOneByOne(node.bootstrap(), protocol);
        }
    }

    @Test
    void twoHundredConsumersOfAThousandPartitions(@TempDir Path folder) throws Exception {
        assumeTrue(Boolean.getBoolean("moldau.long"), "a long run");
        var rows = new ArrayList<String>();
        for (var protocol : Protocol.values()) {
            try (var node = NodeProcess.start(folder.resolve("ours" + protocol), SETTINGS.toArray(String[]::new))) {
                var figures = run(node.bootstrap(), protocol, 200, 1_000, HEARTBEAT_MS);
                rows.add(figures.row("Moldau", protocol));
                Files.write(Files.createDirectories(Path.of("target")).resolve("group-scale.md"), rows);
                assertThat(figures.faults()).isEmpty();
            }
            try (var node = ReferenceNode.start(Files.createDirectory(folder.resolve("theirs" + protocol)), SETTINGS)) {
                rows.add(run(node.bootstrap(), protocol, 200, 1_000, HEARTBEAT_MS)
                        .row("Apache Kafka 4.4", protocol));
            } catch (AssertionError unsettled) {
                rows.add("Apache Kafka 4.4, " + protocol + ": " + unsettled.getMessage());
            }
            Files.write(Files.createDirectories(Path.of("target")).resolve("group-scale.md"), rows);
        }
    }

    private static Figures run(String bootstrap, Protocol protocol, int members, int partitions, int heartbeatMs)
            throws Exception {
        var topic = "crowded-" + members;
        create(bootstrap, topic, partitions);
        try (var crowd = new ConsumerCrowd(bootstrap, topic, partitions, protocol, heartbeatMs)) {
            var start = crowd.awaitBalance(crowd.join(members));
            Look settled = afterwards(crowd, heartbeatMs);

            var join = crowd.awaitBalance(crowd.join(1));
            Look joined = afterwards(crowd, heartbeatMs);
            int movedByJoin = joined.movedSince(settled, crowd.members());

            var stay = new ArrayList<>(crowd.members());
            var leaving = stay.remove(members / 2);
            long started = System.nanoTime();
            crowd.leave(leaving);
            var leave = crowd.awaitBalance(started);
            Look left = afterwards(crowd, heartbeatMs);

            return new Figures(
                    start,
                    join,
                    movedByJoin,
                    partitions / (members + 1),
                    leave,
                    left.movedSince(joined, stay),
                    ManagementFactory.getOperatingSystemMXBean().getSystemLoadAverage(),
                    crowd.thrownOut(),
                    crowd.faults());
        }
    }

    /// A group that seems to be settled is looked at for some more heartbeats.
    private static Look afterwards(ConsumerCrowd crowd, int heartbeatMs) {
        Await.pass(Duration.ofMillis(3L * heartbeatMs));
        crowd.awaitBalance(System.nanoTime());
        return crowd.look();
    }

    /// With instance ids nobody else notices a restart; without, the others keep what they have.
    private static void restartOneByOne(String bootstrap, Protocol protocol) throws Exception {
        int members = 3;
        int partitions = 12;
        for (boolean isStatic : new boolean[] {true, false}) {
            var topic = "restarted-" + isStatic;
            create(bootstrap, topic, partitions);
            try (var crowd = new ConsumerCrowd(bootstrap, topic, partitions, protocol, QUICK_HEARTBEAT_MS)) {
                for (int i = 0; i < members; i++) {
                    crowd.join(isStatic ? "instance-" + i : null);
                }
                crowd.awaitBalance(System.nanoTime());
                Look before = afterwards(crowd, QUICK_HEARTBEAT_MS);
                for (var member : crowd.members()) {
                    var others = new ArrayList<>(crowd.members());
                    others.remove(member);
                    crowd.leave(member);
                    crowd.join(member.instanceId());
                    crowd.awaitBalance(System.nanoTime());
                    Look after = afterwards(crowd, QUICK_HEARTBEAT_MS);
                    if (isStatic) {
                        assertThat(after.interrupted()).as("taken from others").isZero();
                        assertThat(after.movedSince(before, others)).as("moved").isZero();
                    }
                    assertThat(after.swappedSince(before, others))
                            .as("moved between those that stayed")
                            .isZero();
                    before = after;
                }
                assertThat(crowd.faults()).isEmpty();
            }
        }
    }

    private static void create(String bootstrap, String topic, int partitions) throws Exception {
        try (var admin = Admin.create(Map.of("bootstrap.servers", bootstrap))) {
            admin.createTopics(Set.of(new NewTopic(topic, partitions, (short) 1)))
                    .all()
                    .get(60, TimeUnit.SECONDS);
        }
    }
}
