package io.moldau.ops.chaos.check;

import io.moldau.ops.chaos.load.History;
import io.moldau.ops.chaos.load.LiveReader;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;

/// Reads a topic from its beginning to its end and checks every record of it.
public final class ReadBack {

    private static final long IDLE_NANOS = TimeUnit.SECONDS.toNanos(60);

    private final String bootstrap;
    private final String topic;
    private final Map<Integer, Long> ends = new HashMap<>();

    public ReadBack(String bootstrap, String topic) {
        this.bootstrap = bootstrap;
        this.topic = topic;
    }

    /// The end of each partition's log as consumers see it, after [#check].
    public Map<Integer, Long> ends() {
        return Map.copyOf(ends);
    }

    public Findings check(int partitions, History history, LiveReader live) {
        var checkers = new HashMap<Integer, PartitionChecker>();
        for (int partition = 0; partition < partitions; partition++) {
            checkers.put(partition, new PartitionChecker(partition, history.outcomes(partition), live.seen(partition)));
        }
        var problems = new ArrayList<String>();
        read(partitions, checkers, problems);
        var all = new Findings(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, problems);
        for (int partition = 0; partition < partitions; partition++) {
            all = all.plus(Objects.requireNonNull(checkers.get(partition)).end(end(partition)));
        }
        return all;
    }

    private long end(int partition) {
        return Objects.requireNonNull(ends.get(partition));
    }

    private void read(int partitions, Map<Integer, PartitionChecker> checkers, List<String> problems) {
        var settings = Map.<String, Object>of(
                "bootstrap.servers", bootstrap, "auto.offset.reset", "none", "enable.auto.commit", "false");
        try (var consumer = new KafkaConsumer<>(settings, new ByteArrayDeserializer(), new ByteArrayDeserializer())) {
            var left = new HashSet<TopicPartition>();
            IntStream.range(0, partitions).forEach(it -> left.add(new TopicPartition(topic, it)));
            consumer.assign(left);
            consumer.endOffsets(left, Duration.ofSeconds(60))
                    .forEach((partition, end) -> ends.put(partition.partition(), end));
            consumer.seekToBeginning(left);
            left.removeIf(it -> end(it.partition()) == 0);
            long idleSince = System.nanoTime();
            while (!left.isEmpty() && System.nanoTime() - idleSince < IDLE_NANOS) {
                for (var record : consumer.poll(Duration.ofMillis(200))) {
                    Objects.requireNonNull(checkers.get(record.partition())).record(record.offset(), record.value());
                    if (record.offset() + 1 >= end(record.partition())) {
                        left.remove(new TopicPartition(topic, record.partition()));
                    }
                    idleSince = System.nanoTime();
                }
            }
        } catch (KafkaException e) {
            // What could not be read is counted at the end of each partition; this says why.
            problems.add("reading back ended with " + e);
        }
    }
}
