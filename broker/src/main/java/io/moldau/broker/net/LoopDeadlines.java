package io.moldau.broker.net;

import io.moldau.broker.delayed.DeadlineWheel;
import io.moldau.broker.delayed.Deadlines;
import io.moldau.common.time.Time;
import io.netty.channel.EventLoop;
import io.netty.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/// The deadlines of one event loop: a wheel, and one wake-up at the earliest of them. Owned by the loop.
///
/// A cancelled deadline leaves the wake-up where it is: it then finds nothing to do and looks for the next one. So
/// a long poll that is answered early costs neither a timer nor a system call, and a loop without waits never
/// wakes.
final class LoopDeadlines implements Deadlines {

    private static final long TICK_NANOS = TimeUnit.MILLISECONDS.toNanos(4);
    private static final int SLOTS = 1024;

    private final EventLoop loop;
    private final Time time;
    private final DeadlineWheel wheel;
    private @Nullable ScheduledFuture<?> wakeUp;
    private long wakeUpNanos = Long.MAX_VALUE;

    LoopDeadlines(EventLoop loop, Time time) {
        this.loop = loop;
        this.time = time;
        this.wheel = new DeadlineWheel(time.nanoseconds(), TICK_NANOS, SLOTS);
    }

    @Override
    public long nowNanos() {
        return time.nanoseconds();
    }

    @Override
    public Deadline after(long delayNanos, Runnable task) {
        long now = time.nanoseconds();
        if (wheel.size() == 0) {
            wheel.advanceTo(now); // nothing advanced it while it was empty
        }
        long deadlineNanos = now + Math.max(0, delayNanos);
        Deadline deadline = wheel.add(deadlineNanos, task);
        if (wakeUp == null || deadlineNanos + TICK_NANOS < wakeUpNanos) {
            arm(now);
        }
        return deadline;
    }

    private void arm(long now) {
        if (wakeUp != null) {
            wakeUp.cancel(false);
            wakeUp = null;
        }
        long next = wheel.nextNanos();
        if (next == Long.MAX_VALUE) {
            wakeUpNanos = Long.MAX_VALUE;
            return;
        }
        wakeUpNanos = next;
        wakeUp = loop.schedule(this::fire, Math.max(0, next - now), TimeUnit.NANOSECONDS);
    }

    private void fire() {
        wakeUp = null;
        wakeUpNanos = Long.MAX_VALUE;
        wheel.advanceTo(time.nanoseconds());
        if (wakeUp == null) {
            arm(time.nanoseconds());
        }
    }
}
