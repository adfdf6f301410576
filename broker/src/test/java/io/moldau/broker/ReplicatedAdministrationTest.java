package io.moldau.broker;

import static org.assertj.core.api.Assertions.assertThat;

import io.moldau.common.TopicPartition;
import io.moldau.log.PartitionLog;
import io.moldau.metadata.partition.PartitionRegistration;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AlterConfigOp;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.clients.admin.NewPartitionReassignment;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.admin.RecordsToDelete;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// What an administrator does with replicated topics, on two whole nodes.
@Timeout(90)
class ReplicatedAdministrationTest {

    private static final TopicPartition PARTITION = new TopicPartition("t", 0);
    private static final org.apache.kafka.common.TopicPartition OF_CLIENT =
            new org.apache.kafka.common.TopicPartition("t", 0);
    private static final int RECORDS = 60;

    @TempDir
    private Path data;

    private TestCluster cluster;
    private Admin admin;

    @BeforeEach
    void start() throws Exception {
        int port = TestCluster.freePorts(1).getFirst();
        cluster = new TestCluster(data)
                .add(
                        1,
                        "listeners",
                        "PLAINTEXT://127.0.0.1:0,CONTROLLER://127.0.0.1:" + port,
                        "controller.quorum.voters",
                        "1@127.0.0.1:" + port)
                .add(
                        2,
                        "process.roles",
                        "broker",
                        "listeners",
                        "PLAINTEXT://127.0.0.1:0",
                        "controller.quorum.voters",
                        "1@127.0.0.1:" + port)
                .start();
        admin = Admin.create(Map.of("bootstrap.servers", cluster.bootstrapServers()));
    }

    @AfterEach
    void stop() {
        admin.close();
        cluster.close();
    }

    private static void await(BooleanSupplier condition) throws InterruptedException {
        while (!condition.getAsBoolean()) {
            TimeUnit.MILLISECONDS.sleep(5);
        }
    }

    private static PartitionLog log(Node node) {
        return Objects.requireNonNull(node.logDirs().get(PARTITION));
    }

    private static long logEnd(Node node) {
        PartitionLog log = node.logDirs().get(PARTITION);
        return log == null ? 0 : log.logEndOffset();
    }

    private PartitionRegistration registration() {
        return Objects.requireNonNull(
                cluster.node(1).metadata().image().topics().partition(PARTITION));
    }

    private void create(Integer... replicas) throws Exception {
        admin.createTopics(List.of(new NewTopic("t", Map.of(0, List.of(replicas)))))
                .all()
                .get();
    }

    private void produce() throws Exception {
        try (var producer = new KafkaProducer<>(
                Map.of("bootstrap.servers", cluster.bootstrapServers(), "acks", "all"),
                new ByteArraySerializer(),
                new ByteArraySerializer())) {
            List<Future<RecordMetadata>> sent = new ArrayList<>();
            for (int i = 0; i < RECORDS; i++) {
                sent.add(producer.send(new ProducerRecord<>("t", 0, null, new byte[100_000])));
            }
            for (Future<RecordMetadata> it : sent) {
                it.get();
            }
        }
    }

    private void configure(AlterConfigOp.OpType type, String rate) throws Exception {
        Map<ConfigResource, Collection<AlterConfigOp>> changes = new HashMap<>();
        changes.put(
                new ConfigResource(ConfigResource.Type.TOPIC, "t"),
                List.of(
                        op("leader.replication.throttled.replicas", "0:1", type),
                        op("follower.replication.throttled.replicas", "0:2", type)));
        for (String broker : List.of("1", "2")) {
            changes.put(
                    new ConfigResource(ConfigResource.Type.BROKER, broker),
                    List.of(
                            op("leader.replication.throttled.rate", rate, type),
                            op("follower.replication.throttled.rate", rate, type)));
        }
        admin.incrementalAlterConfigs(changes).all().get();
    }

    private static AlterConfigOp op(String key, String value, AlterConfigOp.OpType type) {
        return new AlterConfigOp(new ConfigEntry(key, value), type);
    }

    /// What `kafka-reassign-partitions --throttle` does, and `--verify` after it (KIP-73).
    @Test
    void aThrottledReassignmentWaitsUntilTheThrottleIsGone() throws Exception {
        create(1);
        produce();
        configure(AlterConfigOp.OpType.SET, "1");
        admin.alterPartitionReassignments(Map.of(OF_CLIENT, Optional.of(new NewPartitionReassignment(List.of(1, 2)))))
                .all()
                .get();
        // The first fetch passes, since nothing has before it.
        await(() -> logEnd(cluster.node(2)) > 0);
        // That nothing happens cannot be waited for; without a throttle this takes some milliseconds.
        TimeUnit.MILLISECONDS.sleep(700);
        assertThat(logEnd(cluster.node(2))).isLessThan(RECORDS);
        assertThat(registration().isr()).containsExactly(1);
        assertThat(admin.listPartitionReassignments().reassignments().get()).containsOnlyKeys(OF_CLIENT);

        configure(AlterConfigOp.OpType.DELETE, "");
        await(() -> registration().isr().equals(List.of(1, 2)));
        assertThat(logEnd(cluster.node(2))).isEqualTo(RECORDS);
        assertThat(admin.listPartitionReassignments().reassignments().get()).isEmpty();
    }

    @Test
    void deletedRecordsAreGoneFromEveryReplicaWhenThatIsAnswered() throws Exception {
        create(1, 2);
        produce();
        var deleted = admin.deleteRecords(Map.of(OF_CLIENT, RecordsToDelete.beforeOffset(7)));
        assertThat(Objects.requireNonNull(deleted.lowWatermarks().get(OF_CLIENT))
                        .get()
                        .lowWatermark())
                .isEqualTo(7);
        assertThat(log(cluster.node(1)).logStartOffset()).isEqualTo(7);
        assertThat(log(cluster.node(2)).logStartOffset()).isEqualTo(7);

        // A replica that is down is not waited for.
        cluster.stop(2);
        var more = admin.deleteRecords(Map.of(OF_CLIENT, RecordsToDelete.beforeOffset(-1)));
        assertThat(Objects.requireNonNull(more.lowWatermarks().get(OF_CLIENT))
                        .get()
                        .lowWatermark())
                .isEqualTo(RECORDS);
    }

    @Test
    void theNumberOfFetchersChangesWhileABrokerRuns() throws Exception {
        create(1, 2);
        for (int count = 1; count < 4; count++) {
            admin.incrementalAlterConfigs(Map.of(
                            new ConfigResource(ConfigResource.Type.BROKER, ""),
                            List.of(op("num.replica.fetchers", Integer.toString(count), AlterConfigOp.OpType.SET))))
                    .all()
                    .get();
            produce();
        }
        await(() -> registration().isr().size() == 2);
        assertThat(logEnd(cluster.node(2))).isEqualTo(3L * RECORDS);
    }
}
