package io.moldau.ops.crash;

import static org.assertj.core.api.Assertions.assertThat;

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
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.LongDeserializer;
import org.apache.kafka.common.serialization.LongSerializer;

/// An idempotent producer with acks=all, on one thread: the n-th record of each partition of its topic carries n. So
/// what was lost, moved or doubled shows in the log itself.
public final class NumberedLoad implements AutoCloseable {

    private final KafkaProducer<Long, Long> producer;
    private final Semaphore acknowledgements = new Semaphore(0);
    private final AtomicBoolean stopping = new AtomicBoolean();
    private final CountDownLatch stopped = new CountDownLatch(1);
    private final Map<Integer, Long> sent = new ConcurrentHashMap<>();
    private final List<Map<Long, Long>> acknowledged;
    private final String topic;
    private final int partitions;
    private final ConcurrentLinkedQueue<Exception> failures = new ConcurrentLinkedQueue<>();

    /// Begins.
    public NumberedLoad(String bootstrap, String topic, int partitions) {
        this.topic = topic;
        this.partitions = partitions;
        acknowledged = IntStream.range(0, partitions)
                .<Map<Long, Long>>mapToObj(_ -> new ConcurrentHashMap<>())
                .toList();
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
                for (int partition = 0; partition < partitions; partition++) {
                    send(partition, n);
                }
            }
        } finally {
            stopped.countDown();
        }
    }

    private void send(int partition, long n) {
        var _ = producer.send(new ProducerRecord<>(topic, partition, null, n), (metadata, failure) -> {
            if (failure != null) {
                failures.add(failure);
            } else {
                acknowledged.get(partition).put(n, metadata.offset());
            }
            acknowledgements.release();
        });
        sent.put(partition, n + 1);
    }

    /// Waits until so many more have been acknowledged.
    public void awaitAcknowledged(int count) throws InterruptedException {
        assertThat(acknowledgements.tryAcquire(count, 60, TimeUnit.SECONDS))
                .as("%d more records acknowledged", count)
                .isTrue();
    }

    /// Sends no more and waits for what is under way.
    public void finish() throws InterruptedException {
        stopping.set(true);
        assertThat(stopped.await(60, TimeUnit.SECONDS)).isTrue();
        producer.flush();
    }

    @Override
    public void close() {
        stopping.set(true);
        producer.close(Duration.ofSeconds(5));
    }

    /// Of a load that has finished: all that it was given is there, once and in order, and where it was told.
    public void verify(String bootstrap) {
        assertThat(failures).isEmpty();
        for (int partition = 0; partition < partitions; partition++) {
            verify(partition, bootstrap);
        }
    }

    /// The producer retried what was in flight, so each value it was given is there once, in order, where it was told.
    private void verify(int partition, String bootstrap) {
        var values = read(bootstrap, partition);
        long count = Objects.requireNonNull(sent.get(partition));
        assertThat(values.size()).as("records of partition %d", partition).isEqualTo((int) count);
        for (int offset = 0; offset < values.size(); offset++) {
            assertThat(values.get(offset))
                    .as("value at %d-%d", partition, offset)
                    .isEqualTo(offset);
        }
        acknowledged
                .get(partition)
                .forEach((value, offset) -> assertThat(offset)
                        .as("offset acknowledged for value %d", value)
                        .isEqualTo(value));
    }

    private List<Long> read(String bootstrap, int partition) {
        var settings = Map.<String, Object>of("bootstrap.servers", bootstrap, "auto.offset.reset", "earliest");
        try (var consumer = new KafkaConsumer<>(settings, new LongDeserializer(), new LongDeserializer())) {
            var source = new TopicPartition(topic, partition);
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
}
