package io.moldau.metadata.event;

import io.moldau.common.FaultHandler;
import io.moldau.common.time.Time;
import java.util.ArrayDeque;
import java.util.Comparator;
import java.util.PriorityQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/// An event loop with a thread of its own.
///
/// A task that throws goes to the fault handler and does not stop the loop. The queue itself is not bounded: whoever
/// feeds it from outside bounds what is under way.
public final class ThreadEventLoop implements EventLoop {

    private static final class Scheduled implements Timer {
        private final long deadlineNanos;
        private final long order;
        private final Runnable task;
        private volatile boolean cancelled;

        Scheduled(long deadlineNanos, long order, Runnable task) {
            this.deadlineNanos = deadlineNanos;
            this.order = order;
            this.task = task;
        }

        @Override
        public void cancel() {
            cancelled = true;
        }
    }

    private final Time time;
    private final FaultHandler faults;
    private final Thread thread;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    // Under the lock:
    private final ArrayDeque<Runnable> tasks = new ArrayDeque<>();
    private final PriorityQueue<Scheduled> timers = new PriorityQueue<>(
            Comparator.<Scheduled>comparingLong(timer -> timer.deadlineNanos).thenComparingLong(timer -> timer.order));
    private long timerCount;
    private boolean closed;

    public ThreadEventLoop(String name, Time time, FaultHandler faults) {
        this.time = time;
        this.faults = faults;
        this.thread = new Thread(this::run, name);
        this.thread.setDaemon(true);
        this.thread.start();
    }

    @Override
    public void execute(Runnable task) {
        lock.lock();
        try {
            if (closed) {
                throw new RejectedExecutionException(thread.getName() + " is closed");
            }
            tasks.addLast(task);
            changed.signal();
        } finally {
            lock.unlock();
        }
    }

    @Override
    public Timer schedule(long deadlineNanos, Runnable task) {
        lock.lock();
        try {
            var timer = new Scheduled(deadlineNanos, timerCount++, task);
            if (!closed) {
                timers.add(timer);
                changed.signal();
            }
            return timer;
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void close() {
        lock.lock();
        try {
            closed = true;
            timers.clear();
            changed.signal();
        } finally {
            lock.unlock();
        }
        if (Thread.currentThread() != thread) {
            boolean interrupted = false;
            while (thread.isAlive()) {
                try {
                    thread.join();
                } catch (InterruptedException e) {
                    interrupted = true;
                }
            }
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    private void run() {
        for (Runnable task = next(); task != null; task = next()) {
            try {
                task.run();
            } catch (RuntimeException | Error e) {
                faults.handle(thread.getName(), e);
            }
        }
    }

    /// The next task that is due, or null when the loop is closed.
    private @Nullable Runnable next() {
        lock.lock();
        try {
            while (true) {
                Scheduled timer = timers.peek();
                while (timer != null && timer.cancelled) {
                    timers.poll();
                    timer = timers.peek();
                }
                long wait = timer == null ? Long.MAX_VALUE : timer.deadlineNanos - time.nanoseconds();
                if (timer != null && wait <= 0) {
                    timers.poll();
                    return timer.task;
                }
                Runnable task = tasks.pollFirst();
                if (task != null || closed) {
                    return task;
                }
                try {
                    if (timer == null) {
                        changed.await();
                    } else {
                        changed.await(wait, TimeUnit.NANOSECONDS);
                    }
                } catch (InterruptedException e) {
                    // Nobody interrupts this thread to stop it; see close().
                    continue;
                }
            }
        } finally {
            lock.unlock();
        }
    }
}
