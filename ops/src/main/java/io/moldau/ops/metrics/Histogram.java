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

    /// The duration in seconds that so large a part of them does not exceed, as far as buckets tell: between its bounds
    /// durations count as spread evenly, and what is over the last bound counts as just over.
    ///
    /// @param counts of buckets, as [#counts] gives them
    /// @param part between 0 and 1
    /// @return NaN if there are none
    static double quantile(long[] counts, double part) {
        long all = Arrays.stream(counts).sum();
        if (all == 0) {
            return Double.NaN;
        }
        double rank = part * all;
        long below = 0;
        for (int i = 0; i < counts.length; i++) {
            if (counts[i] > 0 && below + counts[i] >= rank) {
                double low = i == 0 ? 0 : BOUNDS[i - 1];
                double high = i < BOUNDS_MICROS.length ? BOUNDS[i] : low;
                return low + (high - low) * Math.max(0, rank - below) / counts[i];
            }
            below += counts[i];
        }
        return BOUNDS[BOUNDS_MICROS.length - 1];
    }

    double sumSeconds() {
        return nanos.sum() / 1e9;
    }
}
