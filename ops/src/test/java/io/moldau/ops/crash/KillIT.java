package io.moldau.ops.crash;

import static org.assertj.core.api.Assertions.assertThat;

import io.moldau.ops.node.NodeProcess;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.IntStream;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.LongDeserializer;
import org.apache.kafka.common.serialization.LongSerializer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// kill -9 in mid-produce: with acks=all and an idempotent producer nothing acknowledged is lost, moved or doubled.
///
/// `-Dmoldau.long=true` kills twenty times instead of three.
class KillIT {

    private static final String TOPIC = "killed";
    private static final int PARTITIONS = 3;
    private static final int ROUNDS = Boolean.getBoolean("moldau.long") ? 20 : 3;
    private static final int ACKNOWLEDGED_PER_ROUND = 20_000;

    @Test
    void nothingAcknowledgedIsLostOutOfOrderOrDoubled(@TempDir Path folder) throws Exception {
        var node = NodeProcess.start(folder.resolve("data"));
        try {
            try (var admin = Admin.create(Map.of("bootstrap.servers", node.bootstrap()))) {
                admin.createTopics(List.of(new NewTopic(TOPIC, PARTITIONS, (short) 1)))
                        .all()
                        .get(30, TimeUnit.SECONDS);
            }
            try (var load = new Load(node.bootstrap())) {
                for (int round = 0; round < ROUNDS; round++) {
                    load.awaitAcknowledged(ACKNOWLEDGED_PER_ROUND);
                    node.kill();
                    node = node.startAgain();
                }
                load.finish();
                assertThat(load.failures).isEmpty();
                for (int partition = 0; partition < PARTITIONS; partition++) {
                    verify(load, partition, node.bootstrap());
                }
            }
        } finally {
            node.close();
        }
    }

    /// The producer retried what was in flight, so each value it was given is there once, in order, where it was told.
    private static void verify(Load load, int partition, String bootstrap) {
        var values = read(bootstrap, partition);
        long sent = Objects.requireNonNull(load.sent.get(partition));
        assertThat(values.size()).as("records of partition %d", partition).isEqualTo((int) sent);
        for (int offset = 0; offset < values.size(); offset++) {
            assertThat(values.get(offset))
                    .as("value at %d-%d", partition, offset)
                    .isEqualTo(offset);
        }
        load.acknowledged
                .get(partition)
                .forEach((value, offset) -> assertThat(offset)
                        .as("offset acknowledged for value %d", value)
                        .isEqualTo(value));
    }

    private static List<Long> read(String bootstrap, int partition) {
        var settings = Map.<String, Object>of("bootstrap.servers", bootstrap, "auto.offset.reset", "earliest");
        try (var consumer = new KafkaConsumer<>(settings, new LongDeserializer(), new LongDeserializer())) {
            var source = new TopicPartition(TOPIC, partition);
            consumer.assign(List.of(source));
            long end =
                    Objects.requireNonNull(consumer.endOffsets(List.of(source)).get(source));
            var values = new ArrayList<Long>();
            long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
            while (consumer.position(source) < end) {
                consumer.poll(Duration.ofMillis(200)).forEach(record -> values.add(record.value()));
                assertThat(System.nanoTime())
                        .as("%d of %d records", values.size(), end)
                        .isLessThan(deadline);
            }
            return values;
        }
    }

    /// One producer on one thread: the n-th record of a partition carries n.
    private static final class Load implements AutoCloseable {

        private final KafkaProducer<Long, Long> producer;
        private final Semaphore acknowledgements = new Semaphore(0);
        private final AtomicBoolean stopping = new AtomicBoolean();
        private final CountDownLatch stopped = new CountDownLatch(1);
        private final Map<Integer, Long> sent = new ConcurrentHashMap<>();
        private final List<Map<Long, Long>> acknowledged = IntStream.range(0, PARTITIONS)
                .<Map<Long, Long>>mapToObj(_ -> new ConcurrentHashMap<>())
                .toList();
        private final ConcurrentLinkedQueue<Exception> failures = new ConcurrentLinkedQueue<>();

        private Load(String bootstrap) {
            var settings = Map.<String, Object>of(
                    "bootstrap.servers", bootstrap,
                    "acks", "all",
                    "enable.idempotence", "true",
                    "batch.size", "2000",
                    "buffer.memory", "1000000",
                    "reconnect.backoff.ms", "20",
                    "reconnect.backoff.max.ms", "100",
                    "delivery.timeout.ms", "120000");
            producer = new KafkaProducer<>(settings, new LongSerializer(), new LongSerializer());
            Thread.ofPlatform().daemon().name("load").start(this::run);
        }

        private void run() {
            try {
                for (long n = 0; !stopping.get(); n++) {
                    for (int partition = 0; partition < PARTITIONS; partition++) {
                        send(partition, n);
                    }
                }
            } finally {
                stopped.countDown();
            }
        }

        private void send(int partition, long n) {
            var _ = producer.send(new ProducerRecord<>(TOPIC, partition, null, n), (metadata, failure) -> {
                if (failure != null) {
                    failures.add(failure);
                } else {
                    acknowledged.get(partition).put(n, metadata.offset());
                }
                acknowledgements.release();
            });
            sent.put(partition, n + 1);
        }

        private void awaitAcknowledged(int count) throws InterruptedException {
            assertThat(acknowledgements.tryAcquire(count, 60, TimeUnit.SECONDS))
                    .as("%d more records acknowledged", count)
                    .isTrue();
        }

        private void finish() throws InterruptedException {
            stopping.set(true);
            assertThat(stopped.await(60, TimeUnit.SECONDS)).isTrue();
            producer.flush();
        }

        @Override
        public void close() {
            stopping.set(true);
            producer.close(Duration.ofSeconds(5));
        }
    }
}
