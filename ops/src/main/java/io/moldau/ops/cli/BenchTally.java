package io.moldau.ops.cli;

import java.util.Locale;
import java.util.concurrent.TimeUnit;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;

/// What became of the records of one client. One thread counts; others may look meanwhile.
final class BenchTally {

    private static final long LONGEST_MICROS = TimeUnit.HOURS.toMicros(1);
    private static final int DIGITS = 3;

    private final Histogram micros = new Histogram(LONGEST_MICROS, DIGITS);
    private long records;
    private long bytes;
    private long failed;
    private long lastNanos = Long.MIN_VALUE;
    private @Nullable Exception firstFailure;

    synchronized void passed(int size, long latencyNanos, long nowNanos) {
        records++;
        bytes += size;
        lastNanos = nowNanos;
        micros.recordValue(Math.clamp(TimeUnit.NANOSECONDS.toMicros(latencyNanos), 0, LONGEST_MICROS));
    }

    /// Several at once, whose latencies nobody asks for.
    synchronized void passed(long count, long size, long nowNanos) {
        records += count;
        bytes += size;
        lastNanos = nowNanos;
    }

    synchronized void failed(long count, @Nullable Exception failure) {
        failed += count;
        firstFailure = firstFailure == null ? failure : firstFailure;
    }

    synchronized long records() {
        return records;
    }

    synchronized long bytes() {
        return bytes;
    }

    synchronized @Nullable Exception firstFailure() {
        return firstFailure;
    }

    synchronized void addTo(Sum sum) {
        sum.records += records;
        sum.bytes += bytes;
        sum.failed += failed;
        sum.lastNanos = Math.max(sum.lastNanos, lastNanos);
        sum.micros.add(micros);
    }

    /// Of several clients.
    static final class Sum {
        private long records;
        private long bytes;
        private long failed;
        private long lastNanos = Long.MIN_VALUE;
        private final Histogram micros = new Histogram(LONGEST_MICROS, DIGITS);

        /// @param fromNanos when measuring began
        BenchResult result(String mode, long fromNanos, boolean withLatency) {
            double seconds = records == 0 ? 0 : (lastNanos - fromNanos) / 1e9;
            return new BenchResult(mode, records, bytes, seconds, failed, withLatency ? micros : null);
        }

        /// For people who wait.
        String text(String mode, double seconds, boolean withLatency) {
            BenchResult soFar = new BenchResult(mode, records, bytes, seconds, failed, withLatency ? micros : null);
            String text = String.format(
                    Locale.ROOT,
                    "%s: %,d records so far, %,.0f/s, %,.1f MiB/s",
                    mode,
                    records,
                    soFar.recordsPerSecond(),
                    soFar.mebibytesPerSecond());
            return withLatency
                    ? text
                            + String.format(
                                    Locale.ROOT,
                                    ", p50 %.2f ms, p99 %.2f ms",
                                    micros.getValueAtPercentile(50) / 1e3,
                                    micros.getValueAtPercentile(99) / 1e3)
                    : text;
        }
    }
}
