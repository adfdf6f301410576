package io.moldau.ops.cli;

import io.moldau.common.time.Time;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.KafkaException;

/// Producers that send records, each from a thread of its own, until there are enough, the time is over, or they are
/// told to stop.
///
/// A latency is the time from when a record was due until it was acknowledged: with a rate, a record that had to wait
/// since those before it took long counts with its wait.
final class BenchProducers implements BenchWork {

    private final BenchPlan plan;
    private final Clients clients;
    private final Time time;
    private final long run;
    private final List<BenchTally> tallies = new ArrayList<>();

    /// Measured records that may still be sent.
    private final AtomicLong left;

    private final AtomicLong sent = new AtomicLong();

    /// @param run a number that the records of this run carry
    BenchProducers(BenchPlan plan, Clients clients, Time time, long run) {
        this.plan = plan;
        this.clients = clients;
        this.time = time;
        this.run = run;
        this.left = new AtomicLong(plan.byTime() ? Long.MAX_VALUE : plan.records());
        for (int i = 0; i < plan.producers(); i++) {
            tallies.add(new BenchTally());
        }
    }

    @Override
    public List<BenchTally> tallies() {
        return tallies;
    }

    /// Measured records that were sent so far.
    long sent() {
        return sent.get();
    }

    @Override
    public void work(int index, long beganNanos, BooleanSupplier stop) {
        BenchTally tally = tallies.get(index);
        long measureNanos = beganNanos + plan.warmUp().toNanos();
        long endNanos = plan.byTime() ? measureNanos + plan.duration().toNanos() : Long.MAX_VALUE;
        var pacer = new Pacer(beganNanos, plan.perSecond(), plan.producers(), index);
        var payload = new BenchPayload(plan.recordBytes(), run);
        try (Producer<byte[], byte[]> producer = clients.producer(plan.producer())) {
            for (long n = 0; !stop.getAsBoolean() && tally.firstFailure() == null; n++) {
                long due = pacer.dueNanos(n, time.nanoseconds());
                boolean measured = due >= measureNanos;
                if (due >= endNanos || !awaited(due, stop) || (measured && left.getAndDecrement() <= 0)) {
                    break;
                }
                send(producer, payload, due, measured, tally);
            }
            producer.flush();
        } catch (KafkaException e) {
            tally.failed(1, e);
        }
    }

    private boolean awaited(long dueNanos, BooleanSupplier stop) {
        for (long ahead = dueNanos - time.nanoseconds(); ahead > 0; ahead = dueNanos - time.nanoseconds()) {
            if (stop.getAsBoolean()) {
                return false;
            }
            LockSupport.parkNanos(ahead);
        }
        return true;
    }

    private void send(
            Producer<byte[], byte[]> producer, BenchPayload payload, long due, boolean measured, BenchTally tally) {
        if (measured) {
            sent.incrementAndGet();
        }
        var unused =
                producer.send(new ProducerRecord<>(plan.topic(), payload.next(due, measured)), (record, failure) -> {
                    if (failure != null) {
                        tally.failed(1, failure);
                    } else if (measured) {
                        long now = time.nanoseconds();
                        tally.passed(plan.recordBytes(), now - due, now);
                    }
                });
    }
}
