package io.moldau.common.time;

import java.util.concurrent.TimeUnit;

/// Tells which of many failures of one kind are worth a line in the log: the first, and then at
/// intervals that double. After a quiet minute the count begins anew.
///
/// Pure; not thread-safe.
public final class Repeats {

    private static final long QUIET_NANOS = TimeUnit.MINUTES.toNanos(1);

    private int count;
    private long lastNanos;

    /// Counts one more.
    ///
    /// @return whether to tell it
    public boolean next(long nowNanos) {
        if (count > 0 && nowNanos - lastNanos > QUIET_NANOS) {
            count = 0;
        }
        lastNanos = nowNanos;
        count = Math.min(Integer.MAX_VALUE - 1, count) + 1;
        return Integer.bitCount(count) == 1;
    }

    /// How many there were since it was quiet.
    public int count() {
        return count;
    }
}
