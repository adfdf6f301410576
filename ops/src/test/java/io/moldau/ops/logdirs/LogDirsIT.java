package io.moldau.ops.logdirs;

import static org.assertj.core.api.Assertions.assertThat;

import io.moldau.ops.chaos.cluster.ClusterPlan;
import io.moldau.ops.chaos.cluster.ClusterProcesses;
import io.moldau.ops.chaos.cluster.Subject;
import io.moldau.ops.crash.NumberedLoad;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.admin.LogDirDescription;
import org.apache.kafka.common.TopicPartitionReplica;
import org.apache.kafka.common.errors.KafkaStorageException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Three nodes with two log directories each, under load: replicas move between the directories, also while a node is
/// killed, and a directory that fails takes its own partitions with it and no others. Nothing acknowledged is lost,
/// moved or doubled.
///
/// `-Dmoldau.chaos.subject=reference` does the same to the reference.
class LogDirsIT {

    private static final String TOPIC = "moving";
    private static final int PARTITIONS = 6;
    private static final int DIRECTORIES = 2;
    private static final Duration SOON = Duration.ofSeconds(90);

    private final Subject subject =
            Subject.valueOf(System.getProperty("moldau.chaos.subject", "moldau").toUpperCase(Locale.ROOT));

    @Test
    void replicasMoveAndADirectoryFails(@TempDir Path folder) throws Exception {
        var plan = ClusterPlan.of(subject, folder)
                .combined(3)
                .directories(DIRECTORIES)
                .with("min.insync.replicas", "2")
                // So that a directory whose files are gone is found out soon.
                .with("log.flush.offset.checkpoint.interval.ms", "500")
                .with("log.dir.failure.timeout.ms", "5000");
        try (var cluster = ClusterProcesses.start(plan)) {
            cluster.view().createTopic(TOPIC, PARTITIONS, Map.of("segment.bytes", "1048576"));
            try (var load = new NumberedLoad(cluster.bootstrap(), TOPIC, PARTITIONS)) {
                load.awaitAcknowledged(10_000);
                moveAll(cluster, 1);
                load.awaitAcknowledged(2_000);
                var wanted = moveAll(cluster, 2);
                cluster.node(2).kill();
                cluster.node(2).start();
                awaitMoved(cluster, wanted);
                load.awaitAcknowledged(2_000);
                awaitInSync(cluster);
                directoryFails(cluster, 3);
                load.awaitAcknowledged(2_000);
                load.finish();
                load.verify(cluster.bootstrap());
            }
        }
    }

    /// Has every replica of a node moved to the directory it is not in; waits for node 1 only.
    private static Map<TopicPartitionReplica, String> moveAll(ClusterProcesses cluster, int node) throws Exception {
        var places = places(cluster, node);
        assertThat(places).hasSize(PARTITIONS);
        assertThat(places.values())
                .as("replicas are spread over the directories")
                .contains(1, 2);
        var wanted = new HashMap<TopicPartitionReplica, String>();
        places.forEach((partition, number) -> wanted.put(
                new TopicPartitionReplica(TOPIC, partition, node), directory(cluster, node, DIRECTORIES + 1 - number)));
        cluster.view().admin().alterReplicaLogDirs(wanted).all().get(30, TimeUnit.SECONDS);
        if (node == 1) {
            awaitMoved(cluster, wanted);
        }
        return wanted;
    }

    private static void awaitMoved(ClusterProcesses cluster, Map<TopicPartitionReplica, String> wanted) {
        cluster.await("the replicas to have moved", SOON, () -> {
            var info = cluster.view()
                    .admin()
                    .describeReplicaLogDirs(wanted.keySet())
                    .all()
                    .get(30, TimeUnit.SECONDS);
            return wanted.entrySet().stream().allMatch(it -> {
                var place = Objects.requireNonNull(info.get(it.getKey()));
                return it.getValue().equals(place.getCurrentReplicaLogDir()) && place.getFutureReplicaLogDir() == null;
            });
        });
    }

    private static void awaitInSync(ClusterProcesses cluster) {
        cluster.await("all replicas to be in sync", SOON, () -> cluster.view().allInSync(List.of(TOPIC)));
    }

    /// A node's second directory goes while it runs.
    private static void directoryFails(ClusterProcesses cluster, int node) throws Exception {
        cluster.view().electPreferred(TOPIC);
        var places = places(cluster, node);
        var failing = directory(cluster, node, 2);
        Files.move(Path.of(failing), Path.of(failing + "-gone"));
        cluster.await(
                "the directory to be offline",
                SOON,
                () -> described(cluster, node, failing).error() instanceof KafkaStorageException);
        cluster.await("others to lead what was there", SOON, () -> {
            for (var partition : cluster.view().partitions(TOPIC)) {
                boolean failed = Objects.requireNonNull(places.get(partition.partition())) == 2;
                if (partition.leader() == null
                        || failed == partition.isr().stream().anyMatch(it -> it.id() == node)
                        || (failed && partition.leader().id() == node)) {
                    return false;
                }
            }
            return true;
        });
        assertThat(cluster.node(node).alive()).isTrue();
        assertThat(described(cluster, node, directory(cluster, node, 1)).replicaInfos())
                .isNotEmpty();
    }

    private static String directory(ClusterProcesses cluster, int node, int number) {
        return cluster.node(node).plan().directory(number).toString();
    }

    private static LogDirDescription described(ClusterProcesses cluster, int node, String directory) throws Exception {
        var ofNodes = cluster.view()
                .admin()
                .describeLogDirs(List.of(node))
                .allDescriptions()
                .get(30, TimeUnit.SECONDS);
        return Objects.requireNonNull(Objects.requireNonNull(ofNodes.get(node)).get(directory));
    }

    /// The number of the directory each partition is in.
    private static Map<Integer, Integer> places(ClusterProcesses cluster, int node) throws Exception {
        var places = new HashMap<Integer, Integer>();
        for (int number = 1; number <= DIRECTORIES; number++) {
            for (var partition : described(cluster, node, directory(cluster, node, number))
                    .replicaInfos()
                    .keySet()) {
                if (partition.topic().equals(TOPIC)) {
                    places.put(partition.partition(), number);
                }
            }
        }
        return places;
    }
}
