package io.moldau.ops.chaos.load;

import java.time.Duration;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.consumer.ConsumerRebalanceListener;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;

/// A group of one consumer that reads along and commits, and remembers what it saw. One thread; results after
/// [#finish].
public final class LiveReader implements AutoCloseable {

    private static final long COMMIT_NANOS = TimeUnit.MILLISECONDS.toNanos(500);

    private final String topic;
    private final String group;
    private final History history;
    private final KafkaConsumer<byte[], byte[]> consumer;
    private final CountDownLatch stopped = new CountDownLatch(1);
    private final Map<Integer, long[]> seen = new ConcurrentHashMap<>();
    private final Map<TopicPartition, Long> committed = new ConcurrentHashMap<>();
    private volatile boolean stopping;
    private volatile long offsetsBack;
    private volatile long records;
    private volatile long failedCommits;

    public LiveReader(String bootstrap, String topic, String group, History history) {
        this.topic = topic;
        this.group = group;
        this.history = history;
        consumer = new KafkaConsumer<>(
                Map.of(
                        "bootstrap.servers",
                        bootstrap,
                        "group.id",
                        group,
                        "client.id",
                        group,
                        "auto.offset.reset",
                        "earliest",
                        "enable.auto.commit",
                        "false",
                        "default.api.timeout.ms",
                        "30000"),
                new ByteArrayDeserializer(),
                new ByteArrayDeserializer());
        Thread.ofPlatform().daemon().name("live-reader").start(this::run);
    }

    public String group() {
        return group;
    }

    private void run() {
        try (consumer) {
            consumer.subscribe(List.of(topic), new ConsumerRebalanceListener() {
                @Override
                public void onPartitionsRevoked(Collection<TopicPartition> partitions) {}

                @Override
                public void onPartitionsAssigned(Collection<TopicPartition> partitions) {
                    partitions.forEach(LiveReader.this::checkPosition);
                }
            });
            long commitDue = System.nanoTime() + COMMIT_NANOS;
            var positions = new HashMap<TopicPartition, OffsetAndMetadata>();
            while (!stopping) {
                for (var record : consumer.poll(Duration.ofMillis(200))) {
                    take(record);
                    positions.put(
                            new TopicPartition(topic, record.partition()), new OffsetAndMetadata(record.offset() + 1));
                }
                if (System.nanoTime() - commitDue > 0 && !positions.isEmpty()) {
                    commit(positions);
                    commitDue = System.nanoTime() + COMMIT_NANOS;
                }
            }
        } catch (RuntimeException e) {
            history.failure("the reader ended: " + e);
        } finally {
            stopped.countDown();
        }
    }

    /// A commit may fail while its coordinator moves; the next one covers it. Only a promise is remembered.
    private void commit(Map<TopicPartition, OffsetAndMetadata> positions) {
        try {
            consumer.commitSync(positions, Duration.ofSeconds(5));
            positions.forEach((partition, offset) -> committed.put(partition, offset.offset()));
            positions.clear();
        } catch (KafkaException e) {
            failedCommits++;
        }
    }

    private void checkPosition(TopicPartition partition) {
        Long promised = committed.get(partition);
        if (promised != null && consumer.position(partition, Duration.ofSeconds(30)) < promised) {
            offsetsBack++;
        }
    }

    private void take(ConsumerRecord<byte[], byte[]> record) {
        long packed = ChaosValue.decode(record.value()).map(LiveReader::pack).orElse(-1L);
        var values = seen.computeIfAbsent(record.partition(), _ -> filled(new long[256], 0));
        if (record.offset() >= values.length) {
            values = filled(
                    Arrays.copyOf(values, (int) Math.max(values.length * 2L, record.offset() + 1)), values.length);
            seen.put(record.partition(), values);
        }
        int at = (int) record.offset();
        if (values[at] != UNSEEN && values[at] != packed) {
            history.failure("offset " + record.offset() + " of partition " + record.partition()
                    + " was read twice with different records");
        }
        values[at] = packed;
        records++;
    }

    /// Marks an offset that was never read.
    public static final long UNSEEN = Long.MIN_VALUE;

    private static long[] filled(long[] values, int from) {
        Arrays.fill(values, from, values.length, UNSEEN);
        return values;
    }

    /// Producer and sequence in one number.
    public static long pack(ChaosValue value) {
        return ((long) value.producer() << 40) | value.sequence();
    }

    /// By offset what was read, packed; [#UNSEEN] where nothing was.
    public long[] seen(int partition) {
        return seen.getOrDefault(partition, new long[0]);
    }

    public long records() {
        return records;
    }

    /// How many commits failed and were covered by a later one.
    public long failedCommits() {
        return failedCommits;
    }

    /// How often a position was behind what had been committed.
    public long offsetsBack() {
        return offsetsBack;
    }

    /// The last offsets of which the coordinator said that it keeps them.
    public Map<TopicPartition, Long> committed() {
        return Map.copyOf(committed);
    }

    public void finish() throws InterruptedException {
        stopping = true;
        if (!stopped.await(60, TimeUnit.SECONDS)) {
            history.failure("the reader did not come back from the client");
        }
    }

    @Override
    public void close() {
        stopping = true;
        consumer.wakeup();
    }
}
