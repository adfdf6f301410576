package io.moldau.ops.state;

import static org.assertj.core.api.Assertions.assertThat;

import io.moldau.broker.NodeView;
import io.moldau.broker.TestNode;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// Lag and age against what the Java client finds by reading everything, while records and commits keep coming.
class GroupLagsTest {

    private static final String TOPIC = "load";
    private static final int PARTITIONS = 3;
    private static final List<String> GROUPS = List.of("a", "b", "c");

    /// Between two looks, so that a small difference of clocks' resolution is no failure.
    private static final double CLOCK_SECONDS = 0.002;

    @TempDir
    Path folder;

    @ParameterizedTest
    @ValueSource(strings = {"none", "zstd"})
    void agreeWithReadingEverythingWhileRecordsCome(String compression) throws Exception {
        try (var node = TestNode.start(folder, "log.segment.bytes", "1048576", "log.index.interval.bytes", "500");
                var admin = Admin.create(Map.of("bootstrap.servers", node.bootstrapServers()));
                var threads = Executors.newSingleThreadExecutor()) {
            admin.createTopics(List.of(new NewTopic(TOPIC, PARTITIONS, (short) 1)))
                    .all()
                    .get();
            var stop = new AtomicBoolean();
            var load = threads.submit(producing(node.bootstrapServers(), compression, stop));
            var random = new Random(7);
            try (var reader = consumer(node.bootstrapServers())) {
                for (int round = 0; round < 12; round++) {
                    round(node, admin, reader, random);
                }
            } finally {
                stop.set(true);
                load.get();
            }
        }
    }

    private static void round(TestNode node, Admin admin, KafkaConsumer<byte[], byte[]> reader, Random random)
            throws Exception {
        var partitions = partitions();
        Map<TopicPartition, Long> before = reader.endOffsets(partitions);
        Map<String, Map<TopicPartition, OffsetAndMetadata>> commits = new HashMap<>();
        for (String group : GROUPS) {
            Map<TopicPartition, OffsetAndMetadata> offsets = new HashMap<>();
            for (TopicPartition partition : partitions) {
                long end = of(before, partition);
                // Now and then all that there is, or was.
                long offset = random.nextInt(5) == 0 ? end : random.nextLong(end + 1);
                offsets.put(partition, new OffsetAndMetadata(offset));
            }
            commits.put(group, offsets);
            admin.alterConsumerGroupOffsets(group, offsets).all().get();
        }

        before = reader.endOffsets(partitions);
        long beganMs = System.currentTimeMillis();
        NodeView view = node.node().view();
        GroupLags.Report report;
        try (var calls = new BrokerCalls(view)) {
            report = new GroupLags(view, Objects.requireNonNull(view.broker()), new LeaderReads(view, calls), 100, 1000)
                    .report();
        }
        long endedMs = System.currentTimeMillis();
        Map<TopicPartition, Long> after = reader.endOffsets(partitions);

        Map<TopicPartition, List<Long>> timestamps = readAll(reader, partitions, after);
        assertThat(report.groups().stream().map(GroupLags.Group::groupId)).containsExactlyElementsOf(GROUPS);
        for (GroupLags.Group group : report.groups()) {
            assertThat(group.lags()).hasSize(PARTITIONS);
            for (GroupLags.Lag lag : group.lags()) {
                var partition = new TopicPartition(lag.topic(), lag.partition());
                long committed = of(of(commits, group.groupId()), partition).offset();
                assertThat(lag.offset()).isEqualTo(committed);
                assertThat(lag.records())
                        .isBetween(of(before, partition) - committed, of(after, partition) - committed);
                assertThat(lag.records()).isEqualTo(lag.endOffset() - committed);
                if (lag.records() == 0) {
                    assertThat(lag.seconds()).isZero();
                } else {
                    long oldest = of(timestamps, partition).get((int) committed);
                    assertThat(lag.seconds())
                            .isBetween(
                                    Math.max(0, (beganMs - oldest) / 1e3 - CLOCK_SECONDS),
                                    Math.max(0, (endedMs - oldest) / 1e3 + CLOCK_SECONDS));
                }
            }
        }
    }

    private static <K, V> V of(Map<K, V> map, K key) {
        return Objects.requireNonNull(map.get(key));
    }

    /// The timestamp of every record below the ends, by offset.
    private static Map<TopicPartition, List<Long>> readAll(
            KafkaConsumer<byte[], byte[]> reader, List<TopicPartition> partitions, Map<TopicPartition, Long> ends) {
        Map<TopicPartition, List<Long>> timestamps = new HashMap<>();
        partitions.forEach(partition -> timestamps.put(partition, new ArrayList<>()));
        reader.assign(partitions);
        reader.seekToBeginning(partitions);
        while (partitions.stream()
                .anyMatch(partition -> of(timestamps, partition).size() < of(ends, partition))) {
            for (var record : reader.poll(Duration.ofSeconds(5))) {
                var known = of(timestamps, new TopicPartition(record.topic(), record.partition()));
                assertThat(record.offset()).isEqualTo(known.size());
                known.add(record.timestamp());
            }
        }
        return timestamps;
    }

    /// Records with times up to an hour back, in batches of several, until told to stop.
    private static Callable<Void> producing(String bootstrap, String compression, AtomicBoolean stop) {
        return () -> {
            var random = new Random(3);
            try (var producer = new KafkaProducer<>(
                    Map.of("bootstrap.servers", bootstrap, "compression.type", compression, "linger.ms", "5"),
                    new ByteArraySerializer(),
                    new ByteArraySerializer())) {
                while (!stop.get()) {
                    long time = System.currentTimeMillis() - random.nextInt(3_600_000);
                    var unused = producer.send(new ProducerRecord<>(
                            TOPIC, random.nextInt(PARTITIONS), time, null, new byte[random.nextInt(3000)]));
                    // Which also keeps it from outrunning whoever reads everything.
                    if (random.nextInt(10) == 0) {
                        producer.flush();
                    }
                }
            }
            return null;
        };
    }

    private static KafkaConsumer<byte[], byte[]> consumer(String bootstrap) {
        return new KafkaConsumer<>(
                Map.of("bootstrap.servers", bootstrap, "enable.auto.commit", "false"),
                new ByteArrayDeserializer(),
                new ByteArrayDeserializer());
    }

    private static List<TopicPartition> partitions() {
        List<TopicPartition> all = new ArrayList<>();
        for (int i = 0; i < PARTITIONS; i++) {
            all.add(new TopicPartition(TOPIC, i));
        }
        return all;
    }
}
