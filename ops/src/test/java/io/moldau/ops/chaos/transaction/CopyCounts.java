package io.moldau.ops.chaos.transaction;

import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;

/// What the copiers of one transactional id were told. Any thread.
final class CopyCounts {

    private final LongAdder committed = new LongAdder();
    private final LongAdder aborted = new LongAdder();
    private final LongAdder fenced = new LongAdder();
    private final LongAdder records = new LongAdder();
    private final Map<String, Integer> failures = new ConcurrentHashMap<>();
    private final AtomicLong lastBegan = new AtomicLong(Long.MIN_VALUE);
    private final AtomicLong lastCommit = new AtomicLong(Long.MIN_VALUE);
    private final AtomicLong longestGap = new AtomicLong();

    void committed(long beganNanos, long nowNanos, int count) {
        committed.increment();
        records.add(count);
        lastBegan.accumulateAndGet(beganNanos, Math::max);
        long before = lastCommit.getAndAccumulate(nowNanos, Math::max);
        if (before != Long.MIN_VALUE) {
            longestGap.accumulateAndGet(nowNanos - before, Math::max);
        }
    }

    void aborted() {
        aborted.increment();
    }

    /// The rival, or the coordinator after a time-out, has ended the transaction.
    void fenced() {
        fenced.increment();
    }

    /// A transaction ended with another error; its copier begins anew.
    void failed(String what) {
        failures.merge(what, 1, Integer::sum);
    }

    boolean freshSince(long nanos) {
        return lastBegan.get() > nanos;
    }

    long committedCount() {
        return committed.sum();
    }

    long abortedCount() {
        return aborted.sum();
    }

    long fencedCount() {
        return fenced.sum();
    }

    long recordCount() {
        return records.sum();
    }

    double longestGapSeconds() {
        return longestGap.get() / 1e9;
    }

    Map<String, Integer> failures() {
        return new TreeMap<>(failures);
    }
}
