package io.moldau.common.time;

import java.util.concurrent.TimeUnit;

/// A moment on the monotonic clock by which something has to be done. Readings of that clock may wrap, so they are
/// subtracted and never compared; deadlines lie at most 146 years ahead.
///
/// @param nanos the reading of [Time#nanoseconds] when it has passed
public record Deadline(long nanos) implements Comparable<Deadline> {

    private static final long FARTHEST = 1L << 62;

    /// @param delayMillis zero or less has passed already; a large one is cut to what can be told
    public static Deadline afterMillis(long nowNanos, long delayMillis) {
        return afterNanos(nowNanos, TimeUnit.MILLISECONDS.toNanos(delayMillis));
    }

    public static Deadline afterNanos(long nowNanos, long delayNanos) {
        return new Deadline(nowNanos + Math.min(Math.max(delayNanos, 0), FARTHEST));
    }

    public boolean hasPassed(long nowNanos) {
        return nowNanos - nanos >= 0;
    }

    /// How long is left, zero if it has passed.
    public long remainingNanos(long nowNanos) {
        return Math.max(0, nanos - nowNanos);
    }

    /// How long is left in whole milliseconds, rounded up so that waiting for them reaches the deadline.
    public long remainingMillis(long nowNanos) {
        return Math.ceilDiv(remainingNanos(nowNanos), 1_000_000L);
    }

    public Deadline earlier(Deadline other) {
        return compareTo(other) <= 0 ? this : other;
    }

    @Override
    public int compareTo(Deadline other) {
        return Long.signum(nanos - other.nanos);
    }
}
