package io.moldau.broker.replica;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.LongSupplier;

/// Holds back the copying of some replicas, so that a reassignment leaves clients their share of
/// the network (KIP-73). One for what this node sends to followers, one for what it fetches as one.
/// Thread-safe.
public final class ReplicationThrottle {

    /// No limit.
    public static final long UNLIMITED = Long.MAX_VALUE;

    private final LongSupplier clock;

    /// Guarded by itself.
    private final ByteRate rate;

    private final LongAdder waits = new LongAdder();

    private volatile long limit = UNLIMITED;

    /// @param clock nanoseconds, monotonic
    /// @param samples how many samples the rate is measured by (`replication.quota.window.num`)
    /// @param sampleNanos length of each (`replication.quota.window.size.seconds`)
    public ReplicationThrottle(LongSupplier clock, int samples, long sampleNanos) {
        this.clock = clock;
        this.rate = new ByteRate(samples, sampleNanos, clock.getAsLong());
    }

    /// One that nobody sets a limit to.
    static ReplicationThrottle unlimited() {
        return new ReplicationThrottle(() -> 0L, 1, TimeUnit.SECONDS.toNanos(1));
    }

    /// So many bytes per second from now on.
    public void limit(long bytesPerSecond) {
        limit = bytesPerSecond;
    }

    /// Whether what is throttled has to wait.
    boolean isExceeded() {
        long most = limit;
        if (most == UNLIMITED || bytesPerSecond() <= most) {
            return false;
        }
        waits.increment();
        return true;
    }

    /// How much passes now.
    public double bytesPerSecond() {
        synchronized (rate) {
            return rate.bytesPerSecond(clock.getAsLong());
        }
    }

    /// Bytes per second, or [#UNLIMITED].
    public long limit() {
        return limit;
    }

    /// How often something had to wait.
    public long waits() {
        return waits.sum();
    }

    /// Bytes of a throttled replica passed.
    void record(int bytes) {
        if (bytes > 0) {
            synchronized (rate) {
                rate.record(bytes, clock.getAsLong());
            }
        }
    }

    /// When it is not exceeded any more if nothing passes until then.
    long openNanos() {
        synchronized (rate) {
            return rate.belowNanos(limit, clock.getAsLong());
        }
    }
}
