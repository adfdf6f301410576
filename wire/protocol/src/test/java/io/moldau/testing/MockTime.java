package io.moldau.testing;

import io.moldau.common.time.Time;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

/// A clock that moves when a test says so. Any thread may read or move it.
public final class MockTime implements Time {

    private final long originNanos;
    private long elapsedNanos;
    private long wallAtOriginMillis;

    /// Starts at a fixed moment in 2023 on the wall clock.
    public MockTime() {
        this(1_700_000_000_000L, TimeUnit.SECONDS.toNanos(1_000));
    }

    /// @param nanos the first reading of the monotonic clock, whose origin may lie anywhere: start shortly before
    ///     `Long.MAX_VALUE` to find code that compares readings instead of subtracting them
    public MockTime(long wallMillis, long nanos) {
        this.wallAtOriginMillis = wallMillis;
        this.originNanos = nanos;
    }

    @Override
    public synchronized long milliseconds() {
        return wallAtOriginMillis + TimeUnit.NANOSECONDS.toMillis(elapsedNanos);
    }

    @Override
    public synchronized long nanoseconds() {
        return originNanos + elapsedNanos;
    }

    /// Time passes, on both clocks.
    public void advance(Duration by) {
        advanceNanos(by.toNanos());
    }

    public void advanceMillis(long millis) {
        advanceNanos(TimeUnit.MILLISECONDS.toNanos(millis));
    }

    public synchronized void advanceNanos(long by) {
        if (by < 0) {
            throw new IllegalArgumentException("Time does not run backwards; setWallClock makes a clock step");
        }
        elapsedNanos += by;
    }

    /// An operator or NTP sets the wall clock; the monotonic one does not notice.
    public synchronized void setWallClock(long millis) {
        wallAtOriginMillis += millis - milliseconds();
    }
}
