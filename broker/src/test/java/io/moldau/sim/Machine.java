package io.moldau.sim;

import io.moldau.common.time.Time;
import java.util.concurrent.TimeUnit;

/// Where a process runs: a clock of its own, and a life that ends with the process.
class Machine implements Time {

    /// In 2026.
    private static final long WALL_ORIGIN_MS = 1_780_000_000_000L;

    private final Scheduler scheduler;
    private final String name;
    private final int id;
    private int life;
    private long pausedUntil;
    private long wallStepMs;

    Machine(Scheduler scheduler, String name, int id) {
        this.scheduler = scheduler;
        this.name = name;
        this.id = id;
    }

    final String name() {
        return name;
    }

    final int id() {
        return id;
    }

    final Scheduler scheduler() {
        return scheduler;
    }

    /// Counts the processes that ended here.
    final int life() {
        return life;
    }

    final void endLife() {
        life++;
        pausedUntil = 0;
    }

    final long pausedUntil() {
        return pausedUntil;
    }

    final boolean isPaused() {
        return pausedUntil > scheduler.now();
    }

    /// Nothing happens on this machine before that time.
    final void pauseUntil(long nanos) {
        pausedUntil = nanos;
    }

    /// Somebody sets the wall clock. The monotonic clock does not notice.
    final void stepWallClock(long byMs) {
        wallStepMs += byMs;
    }

    @Override
    public final long milliseconds() {
        return WALL_ORIGIN_MS + wallStepMs + TimeUnit.NANOSECONDS.toMillis(scheduler.now());
    }

    @Override
    public final long nanoseconds() {
        // Another origin on each machine, and one from which the readings run over.
        return scheduler.now() + (id % 2 == 0 ? Long.MAX_VALUE - 30_000_000_000L : id * 1_000_000_007L);
    }

    /// The scheduler's time for a reading of this machine's monotonic clock.
    final long toSchedulerNanos(long nanoseconds) {
        return scheduler.now() + (nanoseconds - nanoseconds());
    }

    @Override
    public String toString() {
        return name;
    }
}
