package io.moldau.broker;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// Whole nodes, a quorum and real clients: what was acknowledged is there whichever node goes.
@Timeout(180)
class ReplicatedClusterTest {

    private static final int PARTITIONS = 6;

    @TempDir
    private Path data;

    @Test
    void recordsAndCommittedOffsetsOutliveEachNode() throws Exception {
        try (TestCluster cluster = TestCluster.combined(data, 3).start();
                Admin admin = Admin.create(Map.of("bootstrap.servers", cluster.bootstrapServers()))) {
            admin.createTopics(List.of(
                            new NewTopic("t", PARTITIONS, (short) 3).configs(Map.of("min.insync.replicas", "2"))))
                    .all()
                    .get();
            Set<Integer> acknowledged = ConcurrentHashMap.newKeySet();
            List<Exception> failures = Collections.synchronizedList(new ArrayList<>());
            Map<String, Object> ofProducer =
                    Map.of("bootstrap.servers", cluster.bootstrapServers(), "acks", "all", "request.timeout.ms", 5000);
            Map<String, Object> ofConsumer = Map.of(
                    "bootstrap.servers",
                    cluster.bootstrapServers(),
                    "group.id",
                    "g",
                    "enable.auto.commit",
                    false,
                    "auto.offset.reset",
                    "earliest");
            List<TopicPartition> all = new ArrayList<>();
            for (int partition = 0; partition < PARTITIONS; partition++) {
                all.add(new TopicPartition("t", partition));
            }
            int next = 0;
            try (var producer = new KafkaProducer<>(ofProducer, new ByteArraySerializer(), new ByteArraySerializer());
                    var consumer =
                            new KafkaConsumer<>(ofConsumer, new ByteArrayDeserializer(), new ByteArrayDeserializer())) {
                consumer.assign(all);
                consumer.commitSync(Map.of(all.getFirst(), new OffsetAndMetadata(1)), Duration.ofSeconds(60));
                for (int stopped = 1; stopped <= 3; stopped++) {
                    next = send(producer, next, 500, acknowledged, failures);
                    cluster.stop(stopped);
                    next = send(producer, next, 500, acknowledged, failures);
                    producer.flush();
                    long committed = stopped * 100L;
                    consumer.commitSync(
                            Map.of(all.getFirst(), new OffsetAndMetadata(committed)), Duration.ofSeconds(60));
                    cluster.start();
                    awaitIsr(admin);
                    assertThat(Objects.requireNonNull(consumer.committed(Set.of(all.getFirst()), Duration.ofSeconds(60))
                                            .get(all.getFirst()))
                                    .offset())
                            .isEqualTo(committed);
                }
            }
            assertThat(failures).isEmpty();
            assertThat(acknowledged).hasSize(next);
            assertThat(readAll(ofConsumer, all, next)).isEqualTo(new TreeSet<>(acknowledged));
        }
    }

    private static int send(
            KafkaProducer<byte[], byte[]> producer,
            int from,
            int count,
            Set<Integer> acknowledged,
            List<Exception> failures) {
        for (int i = from; i < from + count; i++) {
            int number = i;
            producer.send(
                    new ProducerRecord<>(
                            "t",
                            i % PARTITIONS,
                            null,
                            ByteBuffer.allocate(4).putInt(i).array()),
                    (metadata, failure) -> {
                        if (failure == null) {
                            acknowledged.add(number);
                        } else {
                            failures.add(failure);
                        }
                    });
        }
        return from + count;
    }

    private static void awaitIsr(Admin admin) throws Exception {
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(90);
        for (String topic : List.of("t", "__consumer_offsets")) {
            while (Objects.requireNonNull(admin.describeTopics(List.of(topic))
                            .allTopicNames()
                            .get()
                            .get(topic))
                    .partitions()
                    .stream()
                    .anyMatch(partition ->
                            partition.isr().size() < partition.replicas().size())) {
                assertThat(System.nanoTime() - deadline)
                        .as("waited for the ISR of " + topic)
                        .isNegative();
                TimeUnit.MILLISECONDS.sleep(20);
            }
        }
    }

    private static Set<Integer> readAll(Map<String, Object> config, List<TopicPartition> partitions, int count) {
        Set<Integer> found = new TreeSet<>();
        Set<Integer> twice = new HashSet<>();
        try (var consumer = new KafkaConsumer<>(config, new ByteArrayDeserializer(), new ByteArrayDeserializer())) {
            consumer.assign(partitions);
            consumer.seekToBeginning(partitions);
            long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(30);
            while (found.size() < count && System.nanoTime() - deadline < 0) {
                consumer.poll(Duration.ofMillis(200)).forEach(record -> {
                    int value = ByteBuffer.wrap(record.value()).getInt();
                    if (!found.add(value)) {
                        twice.add(value);
                    }
                });
            }
        }
        assertThat(twice).as("records that are there twice").isEmpty();
        return found;
    }
}
