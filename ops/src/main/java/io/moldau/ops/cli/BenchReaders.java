package io.moldau.ops.cli;

import io.moldau.common.time.Time;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;

/// Consumers that read, each in a thread of its own, partitions they are given: no group is made.
final class BenchReaders implements BenchWork {

    private static final Duration POLL = Duration.ofMillis(100);
    private static final long READY_SECONDS = 60;

    private final BenchPlan plan;
    private final List<TopicPartition> partitions;
    private final Clients clients;
    private final Time time;
    private final Reading reading;
    private final List<BenchTally> tallies = new ArrayList<>();
    private final CountDownLatch ready;

    /// How they read.
    sealed interface Reading {

        /// What is there, from the beginning, and again from the beginning if that is not enough.
        ///
        /// @param left measured records that may still be read
        record Everything(AtomicLong left) implements Reading {}

        /// What comes from now on, and is measured in this run. A latency is the time from when a record was due until
        /// it was here.
        record Arrivals(long run) implements Reading {}
    }

    BenchReaders(BenchPlan plan, List<TopicPartition> partitions, Clients clients, Time time, Reading reading) {
        this.plan = plan;
        this.partitions = partitions;
        this.clients = clients;
        this.time = time;
        this.reading = reading;
        int threads = Math.min(plan.consumers(), partitions.size());
        for (int i = 0; i < threads; i++) {
            tallies.add(new BenchTally());
        }
        this.ready = new CountDownLatch(threads);
    }

    @Override
    public List<BenchTally> tallies() {
        return tallies;
    }

    /// Waits until every consumer knows where it reads.
    ///
    /// @return false if that takes too long
    boolean awaitReady() throws InterruptedException {
        return ready.await(READY_SECONDS, TimeUnit.SECONDS);
    }

    long received() {
        return tallies.stream().mapToLong(BenchTally::records).sum();
    }

    @Override
    public void work(int index, long beganNanos, BooleanSupplier stop) {
        BenchTally tally = tallies.get(index);
        List<TopicPartition> own = new ArrayList<>();
        for (int i = index; i < partitions.size(); i += tallies.size()) {
            own.add(partitions.get(i));
        }
        long measureNanos = beganNanos + plan.warmUp().toNanos();
        try (Consumer<byte[], byte[]> consumer = clients.consumer(plan.consumer())) {
            consumer.assign(own);
            switch (reading) {
                case Reading.Everything everything -> readAll(consumer, own, everything, measureNanos, tally, stop);
                case Reading.Arrivals arrivals -> {
                    consumer.seekToEnd(own);
                    own.forEach(consumer::position);
                    ready.countDown();
                    while (!stop.getAsBoolean()) {
                        arrived(consumer.poll(POLL), arrivals.run(), tally);
                    }
                }
            }
        } catch (KafkaException e) {
            tally.failed(1, e);
        } finally {
            ready.countDown();
        }
    }

    private void readAll(
            Consumer<byte[], byte[]> consumer,
            List<TopicPartition> own,
            Reading.Everything everything,
            long measureNanos,
            BenchTally tally,
            BooleanSupplier stop) {
        long endNanos = plan.byTime() ? measureNanos + plan.duration().toNanos() : Long.MAX_VALUE;
        var ends = consumer.endOffsets(own);
        if (own.stream().allMatch(it -> ends.getOrDefault(it, 0L) == 0)) {
            return;
        }
        consumer.seekToBeginning(own);
        while (!stop.getAsBoolean()) {
            ConsumerRecords<byte[], byte[]> records = consumer.poll(POLL);
            long now = time.nanoseconds();
            if (now >= endNanos) {
                return;
            }
            if (now >= measureNanos && !records.isEmpty()) {
                long allowed = everything.left().getAndAdd(-records.count());
                count(records, allowed, now, tally);
                if (allowed <= records.count()) {
                    return;
                }
            }
            if (own.stream().allMatch(it -> consumer.position(it) >= ends.getOrDefault(it, 0L))) {
                consumer.seekToBeginning(own);
            }
        }
    }

    private static void count(ConsumerRecords<byte[], byte[]> records, long most, long now, BenchTally tally) {
        long count = 0;
        long bytes = 0;
        for (ConsumerRecord<byte[], byte[]> record : records) {
            if (count >= most) {
                break;
            }
            count++;
            bytes += Math.max(0, record.serializedValueSize()) + Math.max(0, record.serializedKeySize());
        }
        tally.passed(count, bytes, now);
    }

    private void arrived(ConsumerRecords<byte[], byte[]> records, long run, BenchTally tally) {
        long now = time.nanoseconds();
        for (ConsumerRecord<byte[], byte[]> record : records) {
            byte[] value = record.value();
            if (value != null && BenchPayload.isOf(run, value)) {
                tally.passed(value.length, now - BenchPayload.dueNanos(value), now);
            }
        }
    }
}
