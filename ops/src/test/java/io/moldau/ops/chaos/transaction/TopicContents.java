package io.moldau.ops.chaos.transaction;

import io.moldau.ops.chaos.cluster.Await;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;

/// Everything that a consumer is given of some partitions. Not thread-safe.
///
/// @param ends where the log ends for this consumer
/// @param records by partition
public record TopicContents(
        Map<TopicPartition, Long> ends, Map<Integer, List<ConsumerRecord<byte[], byte[]>>> records) {

    private static final Duration PATIENCE = Duration.ofSeconds(60);

    /// From the beginning to the end of each partition.
    ///
    /// @param isolation `read_committed` or `read_uncommitted`
    public static TopicContents read(String bootstrap, Collection<TopicPartition> partitions, String isolation) {
        var records = new TreeMap<Integer, List<ConsumerRecord<byte[], byte[]>>>();
        partitions.forEach(it -> records.put(it.partition(), new ArrayList<>()));
        try (var consumer = consumer(bootstrap, isolation)) {
            consumer.assign(partitions);
            consumer.seekToBeginning(partitions);
            var ends = consumer.endOffsets(partitions, PATIENCE);
            Await.until(
                    isolation + " reading of " + partitions,
                    PATIENCE,
                    () -> {
                        consumer.poll(Duration.ofMillis(200))
                                .forEach(it -> Objects.requireNonNull(records.get(it.partition()))
                                        .add(it));
                        return partitions.stream()
                                .allMatch(it -> consumer.position(it) >= Objects.requireNonNull(ends.get(it)));
                    },
                    () -> "ends " + ends);
            return new TopicContents(ends, records);
        }
    }

    /// Until nothing is left that a read_committed consumer must wait for.
    public static void awaitStable(String bootstrap, Collection<TopicPartition> partitions, Duration atMost) {
        try (var committed = consumer(bootstrap, "read_committed");
                var uncommitted = consumer(bootstrap, "read_uncommitted")) {
            Await.until(
                    "the last stable offsets to reach the ends of the logs",
                    atMost,
                    () -> committed
                            .endOffsets(partitions, PATIENCE)
                            .equals(uncommitted.endOffsets(partitions, PATIENCE)),
                    () -> "stable " + committed.endOffsets(partitions, PATIENCE) + "\nends "
                            + uncommitted.endOffsets(partitions, PATIENCE));
        }
    }

    private static KafkaConsumer<byte[], byte[]> consumer(String bootstrap, String isolation) {
        return new KafkaConsumer<>(
                Map.of(
                        "bootstrap.servers",
                        bootstrap,
                        "isolation.level",
                        isolation,
                        "auto.offset.reset",
                        "none",
                        "enable.auto.commit",
                        false),
                new ByteArrayDeserializer(),
                new ByteArrayDeserializer());
    }
}
