package io.moldau.broker.api.data;

import static org.assertj.core.api.Assertions.assertThat;

import io.moldau.log.LogSlice;
import io.moldau.log.PartitionLog;
import io.moldau.log.ReadOutcome;
import io.moldau.wire.message.FetchRequestData;
import io.moldau.wire.message.FetchResponseData;
import io.moldau.wire.message.FetchResponseData.PartitionData;
import io.moldau.wire.protocol.ApiKey;
import io.moldau.wire.record.DecompressionLimits;
import io.moldau.wire.record.RecordBatches;
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
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// The reference's own producer, with acks=all and idempotence, against three brokers of which one dies.
class ReplicatedClientsTest {

    private static final int PARTITIONS = 6;

    @TempDir
    Path directory;

    @Test
    void whatIsAcknowledgedSurvivesABroker() throws Exception {
        try (var cluster = new SocketCluster(directory, 3, PARTITIONS, 2)) {
            Set<Integer> acknowledged = ConcurrentHashMap.newKeySet();
            List<Exception> failures = Collections.synchronizedList(new ArrayList<>());
            var lastAck = new AtomicLong();
            var longestGap = new AtomicLong();
            int count = 6000;
            Map<String, Object> config = Map.of(
                    "bootstrap.servers",
                    cluster.bootstrap(),
                    "acks",
                    "all",
                    "enable.idempotence",
                    true,
                    "linger.ms",
                    1,
                    "delivery.timeout.ms",
                    60_000,
                    "request.timeout.ms",
                    5_000);
            try (var producer = new KafkaProducer<>(config, new ByteArraySerializer(), new ByteArraySerializer())) {
                for (int i = 0; i < count; i++) {
                    int number = i;
                    producer.send(
                            new ProducerRecord<>(
                                    SocketCluster.TOPIC,
                                    i % PARTITIONS,
                                    null,
                                    ByteBuffer.allocate(4).putInt(i).array()),
                            (metadata, failure) -> {
                                if (failure != null) {
                                    failures.add(failure);
                                } else {
                                    acknowledged.add(number);
                                    long now = System.nanoTime();
                                    long before = lastAck.getAndSet(now);
                                    if (before != 0) {
                                        longestGap.accumulateAndGet(now - before, Math::max);
                                    }
                                }
                            });
                    if (i % 20 == 0) {
                        TimeUnit.MILLISECONDS.sleep(1);
                    }
                    if (i == count / 3) {
                        cluster.kill(1);
                    }
                    if (i == 2 * count / 3) {
                        cluster.start(1);
                    }
                }
            }
            assertThat(failures).isEmpty();
            assertThat(acknowledged).hasSize(count);
            for (int partition = 0; partition < PARTITIONS; partition++) {
                int it = partition;
                await(() -> cluster.registration(it).isr().size() == 3);
            }
            Set<Integer> found = new HashSet<>();
            for (int partition = 0; partition < PARTITIONS; partition++) {
                int number = partition;
                await(() -> log(cluster, 2, number).logEndOffset()
                                == log(cluster, 1, number).logEndOffset()
                        && log(cluster, 3, number).logEndOffset()
                                == log(cluster, 1, number).logEndOffset());
                byte[] first = bytes(log(cluster, 1, partition));
                assertThat(bytes(log(cluster, 2, partition))).isEqualTo(first);
                assertThat(bytes(log(cluster, 3, partition))).isEqualTo(first);
                var batches = new RecordBatches(ByteBuffer.wrap(first));
                while (batches.tryNext() == RecordBatches.Step.BATCH) {
                    batches.batch().records(DecompressionLimits.DEFAULT).forEach(record -> {
                        int value = Objects.requireNonNull(record.value())
                                .duplicate()
                                .getInt();
                        assertThat(found.add(value))
                                .as("record " + value + " is there once")
                                .isTrue();
                    });
                }
            }
            assertThat(found).containsAll(acknowledged);
            System.out.printf(
                    "acknowledged %d, longest gap %d ms%n", acknowledged.size(), longestGap.get() / 1_000_000);
            assertThat(cluster.faults.faults()).isEmpty();
        }
    }

    private static PartitionData fetch(SocketCluster cluster, int broker, String rack, long offset) throws Exception {
        var request = new FetchRequestData()
                .setMaxWaitMs(0)
                .setMinBytes(1)
                .setMaxBytes(1 << 20)
                .setSessionEpoch(-1)
                .setRackId(rack);
        request.topics()
                .add(new FetchRequestData.FetchTopic()
                        .setTopicId(SocketCluster.TOPIC_ID)
                        .setPartitions(List.of(new FetchRequestData.FetchPartition()
                                .setPartition(0)
                                .setFetchOffset(offset)
                                .setPartitionMaxBytes(1 << 20))));
        try (var client = new RawClient(Objects.requireNonNull(cluster.members.get(broker)).address)) {
            return client.call(ApiKey.FETCH, 17, request, FetchResponseData.class)
                    .responses()
                    .getFirst()
                    .partitions()
                    .getFirst();
        }
    }

    @Test
    void aConsumerIsSentToTheReplicaInItsRack() throws Exception {
        try (var cluster = new SocketCluster(directory, 3, 1, 2)) {
            Map<String, Object> config = Map.of("bootstrap.servers", cluster.bootstrap(), "acks", "all");
            try (var producer = new KafkaProducer<>(config, new ByteArraySerializer(), new ByteArraySerializer())) {
                for (int i = 0; i < 100; i++) {
                    producer.send(new ProducerRecord<>(SocketCluster.TOPIC, new byte[] {(byte) i}));
                }
            }
            // The leader, broker 1, has followers in the racks 2 and 3.
            PartitionData elsewhere = fetch(cluster, 1, "rack-3", 0);
            assertThat(elsewhere.preferredReadReplica()).isEqualTo(3);
            assertThat(Objects.requireNonNull(elsewhere.records()).sizeInBytes())
                    .isZero();
            PartitionData here = fetch(cluster, 1, "rack-1", 0);
            assertThat(here.preferredReadReplica()).isEqualTo(-1);
            assertThat(Objects.requireNonNull(here.records()).sizeInBytes()).isPositive();
            assertThat(fetch(cluster, 1, "rack-9", 0).preferredReadReplica()).isEqualTo(-1);
            // The follower serves what it knows to be committed, and hears of that at once.
            await(() ->
                    Objects.requireNonNull(cluster.members.get(3)).partition(0).highWatermark() == 100);
            PartitionData there = fetch(cluster, 3, "rack-3", 0);
            assertThat(there.errorCode()).isZero();
            assertThat(there.highWatermark()).isEqualTo(100);
            assertThat(Objects.requireNonNull(there.records()).sizeInBytes())
                    .isEqualTo(Objects.requireNonNull(here.records()).sizeInBytes());
            Map<String, Object> ofConsumer = Map.of(
                    "bootstrap.servers", cluster.bootstrap(), "client.rack", "rack-2", "auto.offset.reset", "earliest");
            try (var consumer =
                    new KafkaConsumer<>(ofConsumer, new ByteArrayDeserializer(), new ByteArrayDeserializer())) {
                consumer.assign(List.of(new TopicPartition(SocketCluster.TOPIC, 0)));
                consumer.seekToBeginning(consumer.assignment());
                var count = new AtomicLong();
                await(() -> {
                    count.addAndGet(consumer.poll(Duration.ofMillis(100)).count());
                    return count.get() == 100;
                });
            }
            assertThat(cluster.faults.faults()).isEmpty();
        }
    }

    private static PartitionLog log(SocketCluster cluster, int broker, int partition) {
        return Objects.requireNonNull(cluster.members.get(broker))
                .partition(partition)
                .log();
    }

    private static byte[] bytes(PartitionLog log) throws Exception {
        if (!(log.read(log.logStartOffset(), Integer.MAX_VALUE, Long.MAX_VALUE, true)
                instanceof ReadOutcome.Slice(LogSlice slice))) {
            throw new AssertionError("the log cannot be read from its start");
        }
        try {
            var bytes = ByteBuffer.allocate(slice.sizeInBytes());
            slice.read(bytes);
            return bytes.array();
        } finally {
            slice.release();
        }
    }

    private static void await(BooleanSupplier condition) throws InterruptedException {
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
        while (!condition.getAsBoolean()) {
            assertThat(System.nanoTime() - deadline).as("waited for a minute").isNegative();
            TimeUnit.MILLISECONDS.sleep(10);
        }
    }
}
