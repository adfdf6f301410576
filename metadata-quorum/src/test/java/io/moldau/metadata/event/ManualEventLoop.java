package io.moldau.metadata.event;

import io.moldau.common.time.Time;
import java.util.ArrayDeque;
import java.util.Comparator;
import java.util.PriorityQueue;
import java.util.concurrent.RejectedExecutionException;

/// An event loop that a test steps by hand, on one thread.
public final class ManualEventLoop implements EventLoop {

    private final Time time;
    private final ArrayDeque<Runnable> tasks = new ArrayDeque<>();
    private final PriorityQueue<Scheduled> timers =
            new PriorityQueue<>(Comparator.comparingLong((Scheduled timer) -> timer.deadlineNanos));
    private boolean closed;

    private static final class Scheduled implements Timer {
        private final long deadlineNanos;
        private final Runnable task;
        private boolean cancelled;

        Scheduled(long deadlineNanos, Runnable task) {
            this.deadlineNanos = deadlineNanos;
            this.task = task;
        }

        @Override
        public void cancel() {
            cancelled = true;
        }
    }

    public ManualEventLoop(Time time) {
        this.time = time;
    }

    @Override
    public void execute(Runnable task) {
        if (closed) {
            throw new RejectedExecutionException("closed");
        }
        tasks.addLast(task);
    }

    @Override
    public Timer schedule(long deadlineNanos, Runnable task) {
        var timer = new Scheduled(deadlineNanos, task);
        timers.add(timer);
        return timer;
    }

    /// Runs the next task or due timer. Returns whether there was one.
    public boolean step() {
        Scheduled timer = timers.peek();
        while (timer != null && (timer.cancelled || timer.deadlineNanos - time.nanoseconds() <= 0)) {
            timers.poll();
            if (!timer.cancelled) {
                timer.task.run();
                return true;
            }
            timer = timers.peek();
        }
        Runnable task = tasks.pollFirst();
        if (task == null) {
            return false;
        }
        task.run();
        return true;
    }

    /// Runs everything that can run now.
    public void runAll() {
        while (step()) {
            continue;
        }
    }

    @Override
    public void close() {
        closed = true;
        timers.clear();
        runAll();
    }
}
