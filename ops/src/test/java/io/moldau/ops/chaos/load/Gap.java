package io.moldau.ops.chaos.load;

import java.time.Duration;

/// A time in which records waited and none was acknowledged.
///
/// @param partition where, and -1 when no partition got an acknowledgement
/// @param endNanos of `System.nanoTime`
public record Gap(long nanos, int producer, int partition, long endNanos) {

    public static final Gap NONE = new Gap(0, -1, -1, 0);

    public double seconds() {
        return nanos / 1e9;
    }

    public Duration duration() {
        return Duration.ofNanos(nanos);
    }

    Gap longer(Gap other) {
        return other.nanos > nanos ? other : this;
    }
}
