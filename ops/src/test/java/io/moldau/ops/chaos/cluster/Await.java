package io.moldau.ops.chaos.cluster;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/// Waits for what other processes do. They tell nobody when they are ready, so it asks again and again.
public final class Await {

    private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

    private Await() {}

    /// @param details told when the time is over
    public static void until(String what, Duration atMost, Condition condition, Supplier<String> details) {
        long deadline = System.nanoTime() + atMost.toNanos();
        @Nullable Exception last = null;
        while (true) {
            try {
                if (condition.holds()) {
                    return;
                }
                last = null;
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new IllegalStateException(e);
            } catch (Exception e) {
                last = e;
            }
            if (System.nanoTime() - deadline > 0) {
                throw new AssertionError(
                        "Waited " + atMost.toSeconds() + " s in vain for " + what + ".\n" + details.get(), last);
            }
            LockSupport.parkNanos(PAUSE_NANOS);
        }
    }

    /// Lets time pass, where time itself is the fault: how long a node hangs or a link is cut.
    public static void pass(Duration time) {
        long deadline = System.nanoTime() + time.toNanos();
        for (long left = time.toNanos(); left > 0; left = deadline - System.nanoTime()) {
            LockSupport.parkNanos(left);
        }
    }
}
