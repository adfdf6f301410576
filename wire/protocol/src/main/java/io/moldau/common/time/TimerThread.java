package io.moldau.common.time;

import io.moldau.common.FaultHandler;
import java.util.OptionalLong;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/// A [HashedWheelTimer] and the one thread that turns it, asleep until exactly the next deadline.
///
/// Callable from any thread. What an action throws goes to the [FaultHandler], and the timer goes on. After [#close] no
/// action runs any more.
public final class TimerThread implements Timer, AutoCloseable {

    private final Time time;
    private final FaultHandler faults;
    private final HashedWheelTimer wheel;
    private final Thread thread;

    private final ReentrantLock lock = new ReentrantLock();
    private final Condition woken = lock.newCondition();
    // Guarded by lock.
    private boolean closed;

    /// Starts the thread.
    public TimerThread(String name, Time time, FaultHandler faults) {
        this.time = time;
        this.faults = faults;
        this.wheel = new HashedWheelTimer(time.nanoseconds(), this::wake);
        this.thread = Thread.ofPlatform().name(name).daemon(true).unstarted(this::run);
        thread.start();
    }

    @Override
    public TimerTask schedule(long deadlineNanos, Runnable action) {
        return wheel.schedule(deadlineNanos, () -> {
            try {
                action.run();
            } catch (Throwable fault) {
                faults.handle("running a timer's action", fault);
            }
        });
    }

    /// How many tasks wait.
    public int size() {
        return wheel.size();
    }

    private void wake() {
        lock.lock();
        try {
            woken.signal();
        } finally {
            lock.unlock();
        }
    }

    private void run() {
        while (sleepUntilDue()) {
            wheel.advanceTo(time.nanoseconds());
        }
    }

    /// False when the timer is closed.
    private boolean sleepUntilDue() {
        lock.lock();
        try {
            while (!closed) {
                OptionalLong next = wheel.nextDeadlineNanos();
                long left = next.isPresent() ? next.getAsLong() - time.nanoseconds() : Long.MAX_VALUE;
                if (left <= 0) {
                    return true;
                }
                if (next.isPresent()) {
                    woken.awaitNanos(left);
                } else {
                    woken.await();
                }
            }
            return false;
        } catch (InterruptedException e) {
            // Nobody but close() has business with this thread, and it doesn't interrupt.
            faults.handle("waiting for a timer's next deadline", e);
            return false;
        } finally {
            lock.unlock();
        }
    }

    /// Returns when the action that runs now, if any, has ended. Called by an action itself, returns at once.
    @Override
    public void close() {
        lock.lock();
        try {
            closed = true;
            woken.signal();
        } finally {
            lock.unlock();
        }
        if (Thread.currentThread() == thread) {
            return;
        }
        try {
            thread.join(TimeUnit.SECONDS.toMillis(10));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
