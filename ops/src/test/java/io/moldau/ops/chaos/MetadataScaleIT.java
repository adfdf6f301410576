package io.moldau.ops.chaos;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.moldau.ops.chaos.cluster.ClusterPlan;
import io.moldau.ops.chaos.cluster.ClusterProcesses;
import io.moldau.ops.chaos.cluster.Subject;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AlterConfigOp;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.admin.QuorumInfo;
import org.apache.kafka.common.config.ConfigResource;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// What many partitions cost the controllers: making them, a snapshot of them, a new broker that learns of them, and
/// the failover of the active controller. It prints figures and judges only that everything arrived.
class MetadataScaleIT {

    private static final int PARTITIONS_OF_EACH = 10;
    private static final int TOPICS_AT_ONCE = 50;
    private static final int FAILOVERS = 5;
    private static final Duration PATIENCE = Duration.ofMinutes(20);

    @TempDir
    private Path folder;

    /// `-Dmoldau.chaos.partitions=N` instead of 1,000 and then 100,000.
    @ParameterizedTest
    @MethodSource(ChaosOptions.SUBJECTS)
    @Timeout(value = 90, unit = TimeUnit.MINUTES)
    void manyPartitions(Subject subject) throws Exception {
        assumeTrue(ChaosOptions.LONG, "a long run");
        int given = ChaosOptions.partitions(0);
        for (int partitions : given == 0 ? new int[] {1_000, 100_000} : new int[] {given}) {
            measure(subject, partitions);
        }
    }

    private void measure(Subject subject, int partitions) throws Exception {
        var plan = ClusterPlan.of(subject, folder.resolve(Integer.toString(partitions)))
                .controllers(101, 102, 103)
                .brokers(1, 2, 3, 4)
                .heap("512m")
                .with("min.insync.replicas", "1")
                .with("metadata.log.max.record.bytes.between.snapshots", "1048576");
        int topics = partitions / PARTITIONS_OF_EACH;
        try (var cluster = ClusterProcesses.start(plan, List.of(101, 102, 103, 1, 2, 3))) {
            double creation = seconds(() -> create(cluster, topics));
            double joining = seconds(() -> {
                cluster.node(4).start();
                cluster.await(
                        "broker 4 to serve",
                        PATIENCE,
                        () -> cluster.view().brokers().contains(4));
            });
            assertThat(cluster.view().admin().listTopics().names().get(2, TimeUnit.MINUTES))
                    .hasSize(topics);
            var failovers = failovers(cluster);
            Arrays.sort(failovers);
            System.out.printf(
                    "METADATA %s: %,d partitions of %,d topics made in %.1f s (%.0f partitions/s); newest snapshot"
                            + " %,d KiB; a new broker serves after %.2f s; failover of the active controller:"
                            + " median %.2f s, worst %.2f s of %d%n",
                    subject,
                    partitions,
                    topics,
                    creation,
                    partitions / creation,
                    newestSnapshot(cluster) / 1024,
                    joining,
                    failovers[failovers.length / 2],
                    failovers[failovers.length - 1],
                    failovers.length);
        }
    }

    private static void create(ClusterProcesses cluster, int topics) throws Exception {
        for (int first = 0; first < topics; first += TOPICS_AT_ONCE) {
            var some = IntStream.range(first, Math.min(topics, first + TOPICS_AT_ONCE))
                    .mapToObj(i -> new NewTopic("topic-" + i, PARTITIONS_OF_EACH, (short) 1))
                    .toList();
            cluster.view().admin().createTopics(some).all().get(5, TimeUnit.MINUTES);
        }
    }

    /// From kill -9 of the active controller to the first change of metadata that is acknowledged.
    private static double[] failovers(ClusterProcesses cluster) throws Exception {
        var seconds = new ArrayList<Double>();
        try (var admin = Admin.create(Map.of(
                "bootstrap.servers", cluster.bootstrap(),
                "retry.backoff.ms", "10",
                "retry.backoff.max.ms", "50",
                "request.timeout.ms", "60000",
                "default.api.timeout.ms", "120000"))) {
            change(admin, 0);
            for (int i = 1; i <= FAILOVERS; i++) {
                var active = cluster.node(cluster.view().activeController());
                int n = i;
                active.kill();
                seconds.add(seconds(() -> change(admin, n)));
                active.start();
                long since = System.currentTimeMillis();
                cluster.await(
                        "controller " + active.id() + " to follow",
                        PATIENCE,
                        () -> allFollow(cluster.view().quorum(), since));
            }
        }
        return seconds.stream().mapToDouble(Double::doubleValue).toArray();
    }

    private static boolean allFollow(QuorumInfo quorum, long sinceMs) {
        return quorum.voters().stream()
                .filter(it -> it.replicaId() != quorum.leaderId())
                .allMatch(it -> it.lastFetchTimestamp().orElse(-1) > sinceMs
                        && quorum.highWatermark() - it.logEndOffset() < 100);
    }

    private static void change(Admin admin, int n) throws Exception {
        var set = new AlterConfigOp(
                new ConfigEntry("retention.ms", Integer.toString(86_400_000 + n)), AlterConfigOp.OpType.SET);
        var topic = new ConfigResource(ConfigResource.Type.TOPIC, "topic-0");
        admin.incrementalAlterConfigs(Map.of(topic, List.of(set))).all().get(2, TimeUnit.MINUTES);
    }

    private static long newestSnapshot(ClusterProcesses cluster) throws IOException {
        try (var files = Files.walk(cluster.node(101).plan().data())) {
            return files.filter(file ->
                            file.getFileName().toString().matches("snapshot\\.\\d+_\\d+|\\d+-\\d+\\.checkpoint"))
                    .max(Comparator.comparing(file -> file.toFile().lastModified()))
                    .map(file -> file.toFile().length())
                    .orElse(0L);
        }
    }

    private interface Step {
        void run() throws Exception;
    }

    private static double seconds(Step step) throws Exception {
        long began = System.nanoTime();
        step.run();
        return (System.nanoTime() - began) / 1e9;
    }
}
