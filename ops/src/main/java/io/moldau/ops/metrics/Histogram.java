package io.moldau.ops.metrics;

import java.util.Arrays;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;

/// Counts durations in fixed buckets, without a lock and without allocating. Thread-safe.
final class Histogram {

    private static final long[] BOUNDS_MICROS = {
        50,
        100,
        250,
        500,
        1_000,
        2_500,
        5_000,
        10_000,
        25_000,
        50_000,
        100_000,
        250_000,
        500_000,
        1_000_000,
        2_500_000,
        5_000_000,
        10_000_000,
        30_000_000,
    };

    private static final long[] BOUNDS_NANOS =
            Arrays.stream(BOUNDS_MICROS).map(TimeUnit.MICROSECONDS::toNanos).toArray();

    /// The upper bounds in seconds, the last one infinite.
    static final double[] BOUNDS = bounds();

    private final LongAdder[] buckets = new LongAdder[BOUNDS.length];
    private final LongAdder nanos = new LongAdder();

    Histogram() {
        Arrays.setAll(buckets, i -> new LongAdder());
    }

    private static double[] bounds() {
        double[] seconds = new double[BOUNDS_MICROS.length + 1];
        for (int i = 0; i < BOUNDS_MICROS.length; i++) {
            seconds[i] = BOUNDS_MICROS[i] / 1e6;
        }
        seconds[BOUNDS_MICROS.length] = Double.POSITIVE_INFINITY;
        return seconds;
    }

    void record(long durationNanos) {
        int i = 0;
        while (i < BOUNDS_NANOS.length && durationNanos > BOUNDS_NANOS[i]) {
            i++;
        }
        buckets[i].increment();
        nanos.add(durationNanos);
    }

    /// How many durations each bucket has; none of them counts what the one before has.
    long[] counts() {
        return Arrays.stream(buckets).mapToLong(LongAdder::sum).toArray();
    }

    double sumSeconds() {
        return nanos.sum() / 1e9;
    }
}
