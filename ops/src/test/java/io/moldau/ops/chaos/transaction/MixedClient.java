package io.moldau.ops.chaos.transaction;

import io.moldau.ops.chaos.cluster.Await;
import io.moldau.ops.chaos.transaction.Transaction.Id;
import io.moldau.ops.chaos.transaction.Transaction.Outcome;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/// Writes transactions over many partitions, and reads all of them meanwhile. One thread; [#seen] after [#finish].
final class MixedClient {

    private static final int TIMEOUT_MS = 10_000;
    private static final int MOST_RECORDS = 8;
    private static final int COMMITTED_PERCENT = 75;
    private static final int ABORTED_PERCENT = 20;
    private static final Duration READ = Duration.ofMillis(2);

    private final String bootstrap;
    private final int number;
    private final List<TopicPartition> partitions;
    private final TransactionHistory history;
    private final Random random;
    private final List<Sighting> seen = new ArrayList<>();
    private final CountDownLatch stopped = new CountDownLatch(1);
    private volatile boolean stopping;
    private long transactions;

    MixedClient(String bootstrap, int number, List<TopicPartition> partitions, TransactionHistory history, long seed) {
        this.bootstrap = bootstrap;
        this.number = number;
        this.partitions = partitions;
        this.history = history;
        random = new Random(seed);
        Thread.ofPlatform().daemon().name(id()).start(this::run);
    }

    int number() {
        return number;
    }

    String id() {
        return id(number);
    }

    /// Its transactional id.
    static String id(int number) {
        return "mixed-" + number;
    }

    private void run() {
        try (var consumer = consumer()) {
            consumer.assign(partitions);
            while (!stopping) {
                // One that was given up leaves its transaction open; the next one of the same id ends it.
                var producer = producer();
                try {
                    producer.initTransactions();
                    boolean usable = true;
                    while (usable && !stopping) {
                        usable = transact(producer, consumer);
                        Await.pass(Duration.ofMillis(random.nextInt(5, 30)));
                    }
                } catch (KafkaException e) {
                    history.failed(e);
                } finally {
                    producer.close(Duration.ZERO);
                }
            }
        } finally {
            stopped.countDown();
        }
    }

    /// @return whether the producer can go on
    private boolean transact(KafkaProducer<byte[], byte[]> producer, KafkaConsumer<byte[], byte[]> consumer) {
        var id = new Id(number, transactions++);
        var writes = new ArrayList<TopicPartition>();
        var read = new HashSet<Id>();
        var outcome = Outcome.ABORTED;
        boolean committing = false;
        long began = System.nanoTime();
        try {
            producer.beginTransaction();
            int count = random.nextInt(1, MOST_RECORDS + 1);
            for (int index = 0; index < count; index++) {
                var to = partitions.get(random.nextInt(partitions.size()));
                writes.add(to);
                var value = new Mark(id, index).encode();
                var _ = producer.send(new ProducerRecord<>(to.topic(), to.partition(), null, value));
                read(consumer, read);
            }
            int dice = random.nextInt(100);
            if (dice < COMMITTED_PERCENT) {
                committing = true;
                producer.commitTransaction();
                outcome = Outcome.COMMITTED;
            } else if (dice < COMMITTED_PERCENT + ABORTED_PERCENT) {
                producer.flush();
                producer.abortTransaction();
            } else {
                producer.flush();
                return false;
            }
            return true;
        } catch (KafkaException e) {
            history.failed(e);
            if (committing) {
                outcome = Outcome.UNKNOWN;
                return false;
            }
            return abort(producer);
        } finally {
            long ended = outcome == Outcome.UNKNOWN ? Long.MAX_VALUE : System.nanoTime();
            history.add(new Transaction(id, began, ended, outcome, List.copyOf(writes), Set.copyOf(read)));
        }
    }

    private boolean abort(KafkaProducer<byte[], byte[]> producer) {
        try {
            producer.abortTransaction();
            return true;
        } catch (KafkaException e) {
            history.failed(e);
            return false;
        }
    }

    private void read(KafkaConsumer<byte[], byte[]> consumer, Set<Id> transactionsRead) {
        for (var record : consumer.poll(READ)) {
            var mark = Mark.decode(record.value());
            seen.add(new Sighting(new TopicPartition(record.topic(), record.partition()), record.offset(), mark));
            transactionsRead.add(mark.transaction());
        }
    }

    private KafkaProducer<byte[], byte[]> producer() {
        return new KafkaProducer<>(
                Map.of(
                        "bootstrap.servers",
                        bootstrap,
                        "transactional.id",
                        id(),
                        "transaction.timeout.ms",
                        TIMEOUT_MS,
                        "max.block.ms",
                        20_000,
                        "reconnect.backoff.max.ms",
                        200),
                new ByteArraySerializer(),
                new ByteArraySerializer());
    }

    private KafkaConsumer<byte[], byte[]> consumer() {
        return new KafkaConsumer<>(
                Map.of(
                        "bootstrap.servers",
                        bootstrap,
                        "isolation.level",
                        "read_committed",
                        "enable.auto.commit",
                        false,
                        "auto.offset.reset",
                        "earliest",
                        "reconnect.backoff.max.ms",
                        200),
                new ByteArrayDeserializer(),
                new ByteArrayDeserializer());
    }

    void finish() throws InterruptedException {
        stopping = true;
        if (!stopped.await(120, TimeUnit.SECONDS)) {
            throw new AssertionError(id() + " did not come back");
        }
    }

    List<Sighting> seen() {
        return List.copyOf(seen);
    }

    void close() {
        stopping = true;
    }
}
