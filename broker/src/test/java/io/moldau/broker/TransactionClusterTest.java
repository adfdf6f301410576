package io.moldau.broker;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeSet;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.IntStream;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.admin.TransactionState;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// Whole nodes, a quorum and real transactional producers: what was committed is there, once, and nothing else,
/// whichever node goes and whichever coordinates.
@Timeout(240)
class TransactionClusterTest {

    private static final int PARTITIONS = 4;
    private static final int PRODUCERS = 3;

    @TempDir
    private Path data;

    @Test
    void transactionsOutliveTheirCoordinators() throws Exception {
        try (TestCluster cluster = TestCluster.combined(data, 3).start();
                Admin admin = Admin.create(Map.of("bootstrap.servers", cluster.bootstrapServers()));
                var threads = Executors.newCachedThreadPool()) {
            admin.createTopics(List.of(
                            new NewTopic("t", PARTITIONS, (short) 3).configs(Map.of("min.insync.replicas", "2"))))
                    .all()
                    .get();
            var over = new AtomicBoolean();
            var running = new ArrayList<Future<Set<Integer>>>();
            for (int i = 0; i < PRODUCERS; i++) {
                running.add(threads.submit(producer(cluster.bootstrapServers(), i, over)));
            }
            for (int stopped = 1; stopped <= 3; stopped++) {
                TimeUnit.SECONDS.sleep(2);
                cluster.stop(stopped);
                TimeUnit.SECONDS.sleep(2);
                cluster.start();
                awaitIsr(admin);
            }
            over.set(true);
            Set<Integer> committed = new TreeSet<>();
            for (var producer : running) {
                var mine = producer.get();
                assertThat(mine).as("somebody got nothing done").hasSizeGreaterThan(10);
                committed.addAll(mine);
            }
            awaitAllComplete(admin);
            assertThat(readCommitted(cluster.bootstrapServers(), committed.size()))
                    .isEqualTo(committed);
        }
    }

    /// @return the numbers of the transactions that were committed
    private static Callable<Set<Integer>> producer(String servers, int index, AtomicBoolean over) {
        return () -> {
            var random = new SplittableRandom(index);
            Set<Integer> committed = new HashSet<>();
            try (var producer = new KafkaProducer<>(
                    Map.of(
                            "bootstrap.servers",
                            servers,
                            "transactional.id",
                            "producer-" + index,
                            "max.block.ms",
                            30_000,
                            "request.timeout.ms",
                            5_000,
                            "delivery.timeout.ms",
                            60_000),
                    new ByteArraySerializer(),
                    new ByteArraySerializer())) {
                retried(producer::initTransactions);
                for (int number = index; !over.get(); number += PRODUCERS) {
                    if (transaction(producer, number, random)) {
                        committed.add(number);
                    }
                }
            }
            return committed;
        };
    }

    /// Writes the number to each partition.
    private static boolean transaction(KafkaProducer<byte[], byte[]> producer, int number, SplittableRandom random) {
        producer.beginTransaction();
        try {
            byte[] value = ByteBuffer.allocate(4).putInt(number).array();
            for (int partition = 0; partition < PARTITIONS; partition++) {
                producer.send(new ProducerRecord<>("t", partition, null, value));
            }
            if (random.nextInt(4) > 0) {
                retried(producer::commitTransaction);
                return true;
            }
        } catch (KafkaException e) {
            // What can be aborted is; anything else comes out of the abort again, and fails the test.
            assertThat(e).isNotInstanceOf(TimeoutException.class);
        }
        retried(producer::abortTransaction);
        return false;
    }

    /// A time-out tells nothing; the same call goes on where it was.
    private static void retried(Runnable call) {
        for (int attempt = 0; ; attempt++) {
            try {
                call.run();
                return;
            } catch (TimeoutException e) {
                if (attempt == 4) {
                    throw e;
                }
            }
        }
    }

    private static void awaitIsr(Admin admin) throws Exception {
        for (String topic : List.of("t", "__transaction_state")) {
            await(
                    "the ISR of " + topic,
                    () -> Objects.requireNonNull(admin.describeTopics(List.of(topic))
                                    .allTopicNames()
                                    .get()
                                    .get(topic))
                            .partitions()
                            .stream()
                            .allMatch(partition -> partition.isr().size()
                                    == partition.replicas().size()));
        }
    }

    private static void awaitAllComplete(Admin admin) throws Exception {
        await("the end of all transactions", () -> {
            try {
                return admin.listTransactions().all().get().stream()
                        .allMatch(listing -> listing.state() == TransactionState.COMPLETE_COMMIT
                                || listing.state() == TransactionState.COMPLETE_ABORT);
            } catch (ExecutionException e) {
                // What the client makes of a node that it has not found again.
                return false;
            }
        });
    }

    private static void await(String what, Callable<Boolean> condition) throws Exception {
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(90);
        while (!condition.call()) {
            assertThat(System.nanoTime() - deadline).as("waited for " + what).isNegative();
            TimeUnit.MILLISECONDS.sleep(20);
        }
    }

    /// @return the numbers that are there: each once in every partition
    private static Set<Integer> readCommitted(String servers, int count) {
        Map<Integer, Set<Integer>> found = new HashMap<>();
        Map<String, Object> config = Map.of(
                "bootstrap.servers", servers, "isolation.level", "read_committed", "auto.offset.reset", "earliest");
        try (var consumer = new KafkaConsumer<>(config, new ByteArrayDeserializer(), new ByteArrayDeserializer())) {
            var partitions = IntStream.range(0, PARTITIONS)
                    .mapToObj(partition -> new TopicPartition("t", partition))
                    .toList();
            consumer.assign(partitions);
            consumer.seekToBeginning(partitions);
            var ends = consumer.endOffsets(partitions);
            while (partitions.stream()
                    .anyMatch(
                            partition -> consumer.position(partition) < Objects.requireNonNull(ends.get(partition)))) {
                consumer.poll(Duration.ofMillis(200)).forEach(record -> {
                    int number = ByteBuffer.wrap(record.value()).getInt();
                    assertThat(found.computeIfAbsent(number, key -> new HashSet<>())
                                    .add(record.partition()))
                            .as("%s is in partition %s twice", number, record.partition())
                            .isTrue();
                });
            }
        }
        found.forEach((number, partitions) ->
                assertThat(partitions).as("%s is torn", number).hasSize(PARTITIONS));
        assertThat(found).hasSize(count);
        return new TreeSet<>(found.keySet());
    }
}
