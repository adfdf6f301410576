package io.moldau.sim;

import io.moldau.broker.delayed.Deadlines;
import io.moldau.common.time.TimerTask;
import io.moldau.metadata.event.EventLoop;
import java.util.List;
import java.util.concurrent.AbstractExecutorService;
import java.util.concurrent.Callable;
import java.util.concurrent.Delayed;
import java.util.concurrent.FutureTask;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;

/// One simulated thread of a process: tasks run one after the other, each some while after it was brought. In all the
/// shapes in which nodes ask for threads.
final class SimulatedExecutor extends AbstractExecutorService implements EventLoop, ScheduledExecutorService {

    private final Machine machine;
    private final String name;
    private final Scheduler scheduler;
    private final boolean ordered;
    private long last;
    private boolean closed;
    private boolean inside;

    private SimulatedExecutor(Machine machine, String name, boolean ordered) {
        this.machine = machine;
        this.name = name;
        this.scheduler = machine.scheduler();
        this.ordered = ordered;
    }

    /// Runs tasks in the order they came.
    static SimulatedExecutor thread(Machine machine, String name) {
        return new SimulatedExecutor(machine, name, true);
    }

    /// Runs tasks in any order.
    static SimulatedExecutor pool(Machine machine, String name) {
        return new SimulatedExecutor(machine, name, false);
    }

    /// True while a task of this thread runs.
    boolean isInside() {
        return inside;
    }

    private long delay() {
        var random = scheduler.random();
        int dice = random.nextInt(1000);
        if (dice < 960) {
            return random.nextInt(1_000, 40_000);
        }
        return dice < 998 ? random.nextInt(40_000, 3_000_000) : random.nextInt(3_000_000, 40_000_000);
    }

    @Override
    public void execute(Runnable task) {
        if (closed) {
            throw new RejectedExecutionException(name + " is closed");
        }
        long at = scheduler.now() + delay();
        if (ordered) {
            at = Math.max(at, last + 1);
            last = at;
        }
        scheduler.at(at, machine, name, () -> run(task));
    }

    private void run(Runnable task) {
        inside = true;
        try {
            task.run();
        } finally {
            inside = false;
        }
    }

    private Scheduler.Event later(long schedulerNanos, Runnable task) {
        return scheduler.at(schedulerNanos + delay(), machine, name, () -> {
            if (!closed) {
                run(task);
            }
        });
    }

    @Override
    public EventLoop.Timer schedule(long deadlineNanos, Runnable task) {
        return later(machine.toSchedulerNanos(deadlineNanos), task)::cancel;
    }

    /// This thread as the node's timer.
    io.moldau.common.time.Timer asTimer() {
        return (deadlineNanos, action) -> {
            var event = later(machine.toSchedulerNanos(deadlineNanos), action);
            return new TimerTask() {
                @Override
                public boolean cancel() {
                    return event.cancel();
                }

                @Override
                public long deadlineNanos() {
                    return deadlineNanos;
                }
            };
        };
    }

    /// Deadlines that fall due on this thread.
    Deadlines asDeadlines() {
        return new Deadlines() {
            @Override
            public long nowNanos() {
                return machine.nanoseconds();
            }

            @Override
            public Deadline after(long delayNanos, Runnable task) {
                return later(scheduler.now() + delayNanos, task)::cancel;
            }
        };
    }

    // ---- ScheduledExecutorService

    private final class Later<V> extends FutureTask<V> implements ScheduledFuture<V> {
        private final long deadline;
        private final Scheduler.Event event;

        Later(Callable<V> task, long delayNanos) {
            super(task);
            deadline = scheduler.now() + Math.max(0, delayNanos);
            event = later(deadline, this);
        }

        @Override
        protected void setException(Throwable failure) {
            // Nobody asks these futures how they ended.
            throw new AssertionError("uncaught in " + SimulatedExecutor.this, failure);
        }

        @Override
        public boolean cancel(boolean mayInterruptIfRunning) {
            event.cancel();
            return super.cancel(mayInterruptIfRunning);
        }

        @Override
        public long getDelay(TimeUnit unit) {
            return unit.convert(deadline - scheduler.now(), TimeUnit.NANOSECONDS);
        }

        @Override
        public int compareTo(Delayed other) {
            return Long.compare(getDelay(TimeUnit.NANOSECONDS), other.getDelay(TimeUnit.NANOSECONDS));
        }
    }

    @Override
    public ScheduledFuture<?> schedule(Runnable command, long delay, TimeUnit unit) {
        return new Later<>(
                () -> {
                    command.run();
                    return true;
                },
                unit.toNanos(delay));
    }

    @Override
    public <V> ScheduledFuture<V> schedule(Callable<V> callable, long delay, TimeUnit unit) {
        return new Later<>(callable, unit.toNanos(delay));
    }

    @Override
    public ScheduledFuture<?> scheduleAtFixedRate(Runnable command, long initialDelay, long period, TimeUnit unit) {
        return scheduleWithFixedDelay(command, initialDelay, period, unit);
    }

    @Override
    public ScheduledFuture<?> scheduleWithFixedDelay(Runnable command, long initialDelay, long delay, TimeUnit unit) {
        return schedule(
                () -> {
                    command.run();
                    scheduleWithFixedDelay(command, delay, delay, unit);
                },
                initialDelay,
                unit);
    }

    // ---- the end

    @Override
    public void shutdown() {
        closed = true;
    }

    @Override
    public List<Runnable> shutdownNow() {
        closed = true;
        return List.of();
    }

    @Override
    public boolean isShutdown() {
        return closed;
    }

    @Override
    public boolean isTerminated() {
        return closed;
    }

    @Override
    public boolean awaitTermination(long timeout, TimeUnit unit) {
        return true;
    }

    @Override
    public void close() {
        closed = true;
    }

    @Override
    public String toString() {
        return machine.name() + "/" + name;
    }
}
