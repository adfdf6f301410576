package io.moldau.broker.api.data;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// The reference's own producer and consumer against the data path.
class RealClientTest {

    @TempDir
    Path directory;

    private DataNode node;

    @BeforeEach
    void start() throws Exception {
        node = new DataNode(directory);
    }

    @AfterEach
    void stop() {
        node.close();
        assertThat(node.faults.faults()).isEmpty();
    }

    private KafkaProducer<byte[], byte[]> producer(Map<String, Object> more) {
        Map<String, Object> config = new HashMap<>(more);
        config.put("bootstrap.servers", node.bootstrap());
        return new KafkaProducer<>(config, new ByteArraySerializer(), new ByteArraySerializer());
    }

    private KafkaConsumer<byte[], byte[]> consumer(Map<String, Object> more) {
        Map<String, Object> config = new HashMap<>(more);
        config.put("bootstrap.servers", node.bootstrap());
        config.put("auto.offset.reset", "earliest");
        return new KafkaConsumer<>(config, new ByteArrayDeserializer(), new ByteArrayDeserializer());
    }

    private static List<ConsumerRecord<byte[], byte[]>> read(KafkaConsumer<byte[], byte[]> consumer, int count) {
        List<ConsumerRecord<byte[], byte[]>> all = new ArrayList<>();
        long deadline = System.nanoTime() + Duration.ofSeconds(30).toNanos();
        while (all.size() < count && System.nanoTime() - deadline < 0) {
            consumer.poll(Duration.ofMillis(200)).forEach(all::add);
        }
        assertThat(all).hasSize(count);
        return all;
    }

    private static byte[] value(int i, int size) {
        byte[] bytes = new byte[size];
        new Random(i).nextBytes(bytes);
        return bytes;
    }

    @ParameterizedTest
    @ValueSource(strings = {"none", "gzip", "snappy", "lz4", "zstd"})
    void recordsComeBackByteForByte(String codec) throws Exception {
        node.createTopic("t", 3);
        int count = 2000;
        try (var producer = producer(Map.of("compression.type", codec, "linger.ms", 5, "acks", "all"))) {
            for (int i = 0; i < count; i++) {
                var record = new ProducerRecord<>(
                        "t", i % 3, 1_000L + i, ByteBuffer.allocate(4).putInt(i).array(), value(i, i % 300));
                record.headers().add("h", ("header-" + i).getBytes(StandardCharsets.UTF_8));
                producer.send(record);
            }
        }
        try (var consumer = consumer(Map.of())) {
            consumer.assign(
                    List.of(new TopicPartition("t", 0), new TopicPartition("t", 1), new TopicPartition("t", 2)));
            var next = new int[] {0, 1, 2};
            for (ConsumerRecord<byte[], byte[]> record : read(consumer, count)) {
                int i = ByteBuffer.wrap(record.key()).getInt();
                assertThat(i).isEqualTo(next[record.partition()]);
                next[record.partition()] += 3;
                assertThat(record.offset()).isEqualTo(i / 3);
                assertThat(record.timestamp()).isEqualTo(1_000L + i);
                assertThat(Arrays.equals(record.value(), value(i, i % 300))).isTrue();
                assertThat(record.headers().lastHeader("h").value())
                        .isEqualTo(("header-" + i).getBytes(StandardCharsets.UTF_8));
            }
            var byTime = consumer.offsetsForTimes(Map.of(new TopicPartition("t", 0), 1_000L + 301));
            assertThat(Objects.requireNonNull(byTime.get(new TopicPartition("t", 0)))
                            .offset())
                    .isEqualTo(101);
            assertThat(consumer.endOffsets(List.of(new TopicPartition("t", 2)))).containsValue((long) count / 3);
            assertThat(consumer.beginningOffsets(List.of(new TopicPartition("t", 2))))
                    .containsValue(0L);
        }
    }

    @Test
    void aTailingConsumerGetsWhatIsProducedMeanwhile() throws Exception {
        node.createTopic("t", 1);
        try (var producer = producer(Map.of("acks", "1"));
                var consumer = consumer(Map.of())) {
            consumer.assign(List.of(new TopicPartition("t", 0)));
            consumer.poll(Duration.ofMillis(50));
            int next = 0;
            for (int round = 0; round < 50; round++) {
                for (int i = 0; i < 10; i++) {
                    producer.send(new ProducerRecord<>("t", value(round * 10 + i, 500)));
                }
                producer.flush();
                for (ConsumerRecord<byte[], byte[]> record : read(consumer, 10)) {
                    assertThat(record.offset()).isEqualTo(next);
                    assertThat(record.value()).isEqualTo(value(next, 500));
                    next++;
                }
            }
            assertThat(node.tails.usedBytes()).isPositive();
        }
    }

    @Test
    void largeFetchesComeFromTheFile() throws Exception {
        node.createTopic("t", 1);
        int count = 60;
        try (var producer = producer(Map.of("max.request.size", 2_000_000, "acks", "all"))) {
            for (int i = 0; i < count; i++) {
                producer.send(new ProducerRecord<>("t", value(i, 900_000))).get();
            }
        }
        try (var consumer = consumer(Map.of("max.partition.fetch.bytes", 10_000_000))) {
            consumer.assign(List.of(new TopicPartition("t", 0)));
            int next = 0;
            for (ConsumerRecord<byte[], byte[]> record : read(consumer, count)) {
                assertThat(Arrays.equals(record.value(), value(next, 900_000))).isTrue();
                next++;
            }
        }
    }

    /// After a restart nothing is known to be in memory: everything goes through the threads that may wait.
    @Test
    void oldRecordsAreReadAfterARestart() throws Exception {
        node.createTopic("t", 2);
        int count = 3000;
        try (var producer = producer(Map.of("batch.size", 4000, "linger.ms", 2))) {
            for (int i = 0; i < count; i++) {
                producer.send(new ProducerRecord<>("t", i % 2, null, value(i, 1000)));
            }
        }
        node.close();
        node = new DataNode(directory);
        node.createTopic("t", 2); // the ids are drawn in the same order again
        for (int fetchBytes : new int[] {5_000, 60_000, 5_000_000}) {
            try (var consumer = consumer(Map.of("max.partition.fetch.bytes", fetchBytes))) {
                consumer.assign(List.of(new TopicPartition("t", 0), new TopicPartition("t", 1)));
                var next = new int[] {0, 1};
                for (ConsumerRecord<byte[], byte[]> record : read(consumer, count)) {
                    int i = next[record.partition()];
                    next[record.partition()] += 2;
                    assertThat(Arrays.equals(record.value(), value(i, 1000))).isTrue();
                }
            }
        }
    }

    @Test
    void manyClientsAtOnce() throws Exception {
        node.createTopic("t", 4);
        int producers = 4;
        int each = 3000;
        List<Thread> threads = new ArrayList<>();
        for (int p = 0; p < producers; p++) {
            int self = p;
            threads.add(Thread.ofPlatform().start(() -> {
                try (var producer = producer(Map.of("acks", "all", "linger.ms", 1))) {
                    for (int i = 0; i < each; i++) {
                        producer.send(new ProducerRecord<>(
                                "t",
                                i % 4,
                                ByteBuffer.allocate(8).putInt(self).putInt(i).array(),
                                value(i, 200)));
                    }
                }
            }));
        }
        try (var consumer = consumer(Map.of("isolation.level", "read_committed"))) {
            List<TopicPartition> all = new ArrayList<>();
            for (int i = 0; i < 4; i++) {
                all.add(new TopicPartition("t", i));
            }
            consumer.assign(all);
            var last = new int[producers][4];
            for (int[] row : last) {
                Arrays.fill(row, -1);
            }
            for (ConsumerRecord<byte[], byte[]> record : read(consumer, producers * each)) {
                ByteBuffer key = ByteBuffer.wrap(record.key());
                int producer = key.getInt();
                int i = key.getInt();
                assertThat(i).isGreaterThan(last[producer][record.partition()]);
                last[producer][record.partition()] = i;
            }
        }
        for (Thread thread : threads) {
            thread.join();
        }
    }
}
