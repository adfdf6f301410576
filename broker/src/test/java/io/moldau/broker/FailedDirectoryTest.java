package io.moldau.broker;

import static org.assertj.core.api.Assertions.assertThat;

import io.moldau.broker.api.data.BreakableStorage;
import io.moldau.broker.config.NodeConfig;
import io.moldau.common.FaultHandler;
import io.moldau.common.TopicPartition;
import io.moldau.common.Uuid;
import io.moldau.log.storage.LogStorage;
import io.moldau.log.storage.NioLogStorage;
import io.moldau.metadata.partition.PartitionRegistration;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.serialization.StringSerializer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// A broker with two log directories, of which one fails and then the other (KIP-858), with real sockets.
@Timeout(60)
class FailedDirectoryTest {

    private static final int PARTITIONS = 8;

    @TempDir
    private Path data;

    private final FaultHandler.Recording faults = new FaultHandler.Recording();

    private static NodeServices services(LogStorage storage, FaultHandler faults) {
        return NodeServices.real().withStorage(storage).withFaults(faults);
    }

    private static Node start(NodeServices services, String... keysAndValues) throws InterruptedException {
        Map<String, String> settings = new HashMap<>();
        for (int i = 0; i < keysAndValues.length; i += 2) {
            settings.put(keysAndValues[i], keysAndValues[i + 1]);
        }
        Node node = Node.start(NodeConfig.fromProperties(settings), services);
        node.awaitReady(Duration.ofSeconds(30));
        return node;
    }

    private static void await(BooleanSupplier condition) throws InterruptedException {
        while (!condition.getAsBoolean()) {
            TimeUnit.MILLISECONDS.sleep(5);
        }
    }

    private static PartitionRegistration partition(Node node, int number) {
        return Objects.requireNonNull(node.metadata().image().topics().partition(new TopicPartition("t", number)));
    }

    private static void produce(KafkaProducer<String, String> producer) throws Exception {
        List<Future<RecordMetadata>> sent = new ArrayList<>();
        for (int i = 0; i < PARTITIONS; i++) {
            sent.add(producer.send(new ProducerRecord<>("t", i, null, "value")));
        }
        for (Future<RecordMetadata> it : sent) {
            it.get();
        }
    }

    @Test
    void othersLeadWhatWasInAFailedDirectory() throws Exception {
        int port = TestCluster.freePorts(1).getFirst();
        var storage = new BreakableStorage();
        Path good = data.resolve("good");
        Path bad = data.resolve("bad");
        try (Node controller = start(
                        services(new NioLogStorage(), faults),
                        "node.id",
                        "1",
                        "listeners",
                        "PLAINTEXT://127.0.0.1:0,CONTROLLER://127.0.0.1:" + port,
                        "controller.quorum.voters",
                        "1@127.0.0.1:" + port,
                        "log.dirs",
                        data.resolve("one").toString());
                Node broker = start(
                        services(storage, faults),
                        "node.id",
                        "2",
                        "process.roles",
                        "broker",
                        "listeners",
                        "PLAINTEXT://127.0.0.1:0",
                        "controller.quorum.voters",
                        "1@127.0.0.1:" + port,
                        "log.dirs",
                        good + "," + bad);
                Admin admin = Admin.create(Map.of("bootstrap.servers", address(controller)));
                KafkaProducer<String, String> producer = new KafkaProducer<>(
                        Map.of("bootstrap.servers", address(controller), "acks", "all"),
                        new StringSerializer(),
                        new StringSerializer())) {
            admin.createTopics(List.of(new NewTopic("t", PARTITIONS, (short) 2)))
                    .all()
                    .get();
            produce(producer);

            // The broker tells the controller where it has put its replicas.
            await(() -> allAssigned(controller));
            var directories = new HashSet<Uuid>();
            for (int i = 0; i < PARTITIONS; i++) {
                directories.add(partition(controller, i).directory(2));
            }
            assertThat(directories).hasSize(2);

            List<Integer> lost = in(broker, bad);
            List<Integer> kept = in(broker, good);
            assertThat(lost).isNotEmpty();
            storage.breakDown(bad);
            produce(producer);
            await(() ->
                    lost.stream().allMatch(it -> partition(controller, it).isr().equals(List.of(1))));
            assertThat(lost)
                    .allSatisfy(
                            it -> assertThat(partition(controller, it).leader()).isEqualTo(1));
            assertThat(kept).allSatisfy(it -> {
                assertThat(partition(controller, it).isr()).containsExactlyInAnyOrder(1, 2);
                assertThat(partition(controller, it).leader())
                        .isEqualTo(partition(controller, it).preferredReplica());
            });
            assertThat(faults.faults()).isEmpty();

            // Without any directory the process ends, which is what its fault handler does.
            storage.breakDown(good);
            produce(producer);
            await(() -> !faults.faults().isEmpty());
            assertThat(faults.faults()).hasSize(1);
            assertThat(faults.faults().getFirst().cause()).hasMessageContaining("All log directories have failed");
        }
    }

    private static boolean allAssigned(Node node) {
        for (int i = 0; i < PARTITIONS; i++) {
            if (partition(node, i).directory(2).equals(Uuid.ZERO)) {
                return false;
            }
        }
        return true;
    }

    private static List<Integer> in(Node node, Path directory) {
        return node.logDirs().logs().stream()
                .filter(log -> log.topicPartition().topic().equals("t")
                        && log.logDir().equals(directory.toAbsolutePath().normalize()))
                .map(log -> log.topicPartition().partition())
                .toList();
    }

    private static String address(Node node) {
        var endpoint = node.listeners().stream()
                .filter(it -> it.listenerName().equals("PLAINTEXT"))
                .findFirst()
                .orElseThrow();
        return endpoint.host() + ":" + endpoint.port();
    }
}
