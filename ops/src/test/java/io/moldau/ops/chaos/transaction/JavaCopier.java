package io.moldau.ops.chaos.transaction;

import io.moldau.ops.chaos.cluster.Await;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.InvalidProducerEpochException;
import org.apache.kafka.common.errors.ProducerFencedException;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/// The Java client. One thread.
final class JavaCopier implements Copier {

    private static final Duration PATIENCE = Duration.ofSeconds(20);

    private final CopyPlan plan;
    private final CopyCounts counts;
    private final Random random;
    private final CountDownLatch stopped = new CountDownLatch(1);
    private volatile boolean stopping;

    JavaCopier(CopyPlan plan, CopyCounts counts) {
        this.plan = plan;
        this.counts = counts;
        random = new Random(plan.seed());
        Thread.ofPlatform().daemon().name("copier-" + plan.transactionalId()).start(this::run);
    }

    private void run() {
        try {
            while (!stopping) {
                live();
                Await.pass(Duration.ofMillis(random.nextInt(200, CopyPlan.FENCED_MOST_MS)));
            }
        } finally {
            stopped.countDown();
        }
    }

    /// From taking the id over to losing it.
    private void live() {
        var producer = producer();
        try (var consumer = consumer()) {
            producer.initTransactions();
            consumer.assign(plan.partitions().stream()
                    .map(it -> new TopicPartition(plan.from(), it))
                    .toList());
            goToCommitted(consumer);
            while (!stopping) {
                var records = consumer.poll(Duration.ofMillis(100));
                if (!records.isEmpty()) {
                    copy(records, producer, consumer);
                }
            }
        } catch (ProducerFencedException | InvalidProducerEpochException e) {
            counts.fenced();
        } catch (KafkaException e) {
            if (e.getCause() instanceof ProducerFencedException
                    || e.getCause() instanceof InvalidProducerEpochException) {
                counts.fenced();
            } else {
                counts.failed(e.getClass().getSimpleName() + ": " + e.getMessage());
            }
        } finally {
            // An open transaction stays open: the next one who takes the id ends it.
            producer.close(Duration.ZERO);
        }
    }

    private void copy(
            ConsumerRecords<byte[], byte[]> records,
            KafkaProducer<byte[], byte[]> producer,
            KafkaConsumer<byte[], byte[]> consumer) {
        int wanted = random.nextInt(1, CopyPlan.MOST_RECORDS + 1);
        long began = System.nanoTime();
        producer.beginTransaction();
        int copied = 0;
        var next = new HashMap<TopicPartition, OffsetAndMetadata>();
        for (var record : records) {
            if (copied == wanted) {
                break;
            }
            var _ = producer.send(new ProducerRecord<>(plan.to(), record.partition(), record.key(), record.value()));
            next.put(new TopicPartition(plan.from(), record.partition()), new OffsetAndMetadata(record.offset() + 1));
            copied++;
        }
        if (random.nextInt(100) < CopyPlan.ASLEEP_PERCENT) {
            Await.pass(Duration.ofMillis(random.nextInt(CopyPlan.ASLEEP_MOST_MS)));
        }
        if (random.nextInt(100) >= CopyPlan.ABORTED_PERCENT) {
            producer.sendOffsetsToTransaction(next, consumer.groupMetadata());
            producer.commitTransaction();
            counts.committed(began, System.nanoTime(), copied);
            for (var partition : records.partitions()) {
                var copiedTo = next.get(partition);
                consumer.seek(
                        partition,
                        copiedTo == null ? records.records(partition).getFirst().offset() : copiedTo.offset());
            }
        } else {
            if (random.nextBoolean()) {
                // Else the client forgets what it has not sent yet.
                producer.flush();
                producer.sendOffsetsToTransaction(next, consumer.groupMetadata());
            }
            producer.abortTransaction();
            counts.aborted();
            goToCommitted(consumer);
        }
    }

    private void goToCommitted(KafkaConsumer<byte[], byte[]> consumer) {
        var committed = consumer.committed(consumer.assignment(), PATIENCE);
        for (var partition : consumer.assignment()) {
            var at = committed.get(partition);
            consumer.seek(partition, at == null ? 0 : at.offset());
        }
    }

    private KafkaProducer<byte[], byte[]> producer() {
        return new KafkaProducer<>(
                settings(Map.of(
                        "transactional.id",
                        plan.transactionalId(),
                        "transaction.timeout.ms",
                        CopyPlan.TIMEOUT_MS,
                        "linger.ms",
                        0,
                        "max.block.ms",
                        PATIENCE.toMillis())),
                new ByteArraySerializer(),
                new ByteArraySerializer());
    }

    private KafkaConsumer<byte[], byte[]> consumer() {
        return new KafkaConsumer<>(
                settings(Map.of(
                        "group.id",
                        plan.group(),
                        "isolation.level",
                        "read_committed",
                        "enable.auto.commit",
                        false,
                        "auto.offset.reset",
                        "none",
                        "max.poll.records",
                        CopyPlan.MOST_RECORDS)),
                new ByteArrayDeserializer(),
                new ByteArrayDeserializer());
    }

    private Map<String, Object> settings(Map<String, Object> further) {
        var all = new HashMap<>(further);
        all.put("bootstrap.servers", plan.bootstrap());
        all.put("reconnect.backoff.max.ms", 200);
        all.put("retry.backoff.max.ms", 200);
        return all;
    }

    @Override
    public void finish() throws InterruptedException {
        stopping = true;
        if (!stopped.await(120, TimeUnit.SECONDS)) {
            throw new AssertionError("a copier of " + plan.transactionalId() + " did not come back");
        }
    }

    @Override
    public void close() {
        stopping = true;
    }
}
