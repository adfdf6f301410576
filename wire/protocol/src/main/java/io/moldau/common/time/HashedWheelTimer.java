package io.moldau.common.time;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/// A hashed timing wheel that somebody else turns: it has no thread and no clock.
///
/// Scheduling and cancelling are constant work whatever the number of tasks, and a cancelled task leaves nothing
/// behind. Deadlines are exact and not rounded to the wheel's ticks: a task runs in the first [#advanceTo] that reaches
/// its deadline. What expires together runs in the order of the deadlines, and of scheduling where those are equal.
///
/// Any thread may schedule and cancel; one driver advances. Actions run in the driver, outside the lock.
public final class HashedWheelTimer implements Timer {

    private static final long FARTHEST = 1L << 62;

    private final long startNanos;
    private final long tickNanos;
    private final int mask;
    private final Runnable onEarlierDeadline;

    // All below guarded by this.
    private final Task[] slots;
    private int size;
    private long scheduled;
    // Ticks since the start; every task's tick is this one or later.
    private long currentTick;
    private long lastAdvanceNanos;
    // A time before which nothing expires; exact unless a task was cancelled or expired since it was computed.
    private long earliestNanos;
    private boolean earliestExact;

    /// @param startNanos what the monotonic clock shows now
    /// @param tickNanos the width of a slot; about the resolution of the usual delays
    /// @param slotCount a power of two
    /// @param onEarlierDeadline called by the scheduling thread when a task expires before the time that
    ///     [#nextDeadlineNanos] told last, so that a sleeping driver can be woken; must not call the timer
    public HashedWheelTimer(long startNanos, long tickNanos, int slotCount, Runnable onEarlierDeadline) {
        if (tickNanos <= 0 || slotCount <= 0 || Integer.bitCount(slotCount) != 1) {
            throw new IllegalArgumentException("A wheel needs a positive tick and a power of two of slots");
        }
        this.startNanos = startNanos;
        this.tickNanos = tickNanos;
        this.mask = slotCount - 1;
        this.onEarlierDeadline = onEarlierDeadline;
        this.lastAdvanceNanos = startNanos;
        this.slots = new Task[slotCount];
        for (int i = 0; i < slotCount; i++) {
            slots[i] = new Task(this);
        }
    }

    /// Ticks of a millisecond and a turn of about four seconds.
    public HashedWheelTimer(long startNanos, Runnable onEarlierDeadline) {
        this(startNanos, 1_000_000L, 4096, onEarlierDeadline);
    }

    @Override
    public TimerTask schedule(long deadlineNanos, Runnable action) {
        boolean isFirst;
        Task task;
        synchronized (this) {
            long delay = deadlineNanos - lastAdvanceNanos;
            if (delay > FARTHEST) {
                throw new IllegalArgumentException("A deadline may lie at most 146 years ahead");
            }
            long tick = Math.max(currentTick, Math.floorDiv(deadlineNanos - startNanos, tickNanos));
            task = new Task(this, deadlineNanos, tick, scheduled++, action);
            task.linkBefore(slots[(int) tick & mask]);
            isFirst = size == 0 || deadlineNanos - earliestNanos < 0;
            size++;
            if (isFirst) {
                earliestNanos = deadlineNanos;
                earliestExact = true;
            }
        }
        if (isFirst) {
            onEarlierDeadline.run();
        }
        return task;
    }

    /// When the first task expires: how long the driver may sleep. Empty if there is no task.
    public synchronized OptionalLong nextDeadlineNanos() {
        if (size == 0) {
            return OptionalLong.empty();
        }
        if (!earliestExact) {
            earliestNanos = findEarliest();
            earliestExact = true;
        }
        return OptionalLong.of(earliestNanos);
    }

    /// Runs every task whose deadline is reached. A time before the last one counts as the last one.
    ///
    /// @return how many ran
    public int advanceTo(long nowNanos) {
        List<Task> expired = expire(nowNanos);
        for (Task task : expired) {
            task.action.run();
        }
        return expired.size();
    }

    /// How many tasks wait.
    public synchronized int size() {
        return size;
    }

    private synchronized List<Task> expire(long nowNanos) {
        if (nowNanos - lastAdvanceNanos < 0) {
            nowNanos = lastAdvanceNanos;
        }
        lastAdvanceNanos = nowNanos;
        long nowTick = Math.floorDiv(nowNanos - startNanos, tickNanos);
        if (size == 0 || nowNanos - earliestNanos < 0) {
            currentTick = nowTick;
            return List.of();
        }
        var expired = new ArrayList<Task>();
        // A whole turn visits every slot; more would visit them again.
        long lastTick = Math.min(nowTick, currentTick + mask);
        for (long tick = currentTick; tick <= lastTick; tick++) {
            Task head = slots[(int) tick & mask];
            for (Task task = head.next; task != head; ) {
                Task following = task.next;
                if (nowNanos - task.deadlineNanos >= 0) {
                    task.unlink();
                    task.state = State.EXPIRED;
                    size--;
                    expired.add(task);
                }
                task = following;
            }
        }
        currentTick = nowTick;
        earliestExact = false;
        expired.sort(Comparator.naturalOrder());
        return expired;
    }

    /// The first slot from now on that has a task of this turn holds the first task; without one, all are farther away
    /// than a turn.
    private long findEarliest() {
        for (long tick = currentTick; tick <= currentTick + mask; tick++) {
            Task head = slots[(int) tick & mask];
            Task first = null;
            for (Task task = head.next; task != head; task = task.next) {
                if (task.tick <= tick) {
                    first = earlier(first, task);
                }
            }
            if (first != null) {
                return first.deadlineNanos;
            }
        }
        Task first = null;
        for (Task head : slots) {
            for (Task task = head.next; task != head; task = task.next) {
                first = earlier(first, task);
            }
        }
        if (first == null) {
            throw new IllegalStateException("The timer says it has " + size + " tasks and has none");
        }
        return first.deadlineNanos;
    }

    private static Task earlier(@Nullable Task best, Task task) {
        return best == null || task.compareTo(best) < 0 ? task : best;
    }

    private synchronized boolean cancel(Task task) {
        if (task.state != State.WAITING) {
            return false;
        }
        task.state = State.CANCELLED;
        task.unlink();
        size--;
        if (task.deadlineNanos == earliestNanos) {
            earliestExact = false;
        }
        return true;
    }

    private enum State {
        WAITING,
        CANCELLED,
        EXPIRED
    }

    /// A task, or the head of a slot's ring of tasks. Guarded by its timer.
    private static final class Task implements TimerTask, Comparable<Task> {

        private final HashedWheelTimer timer;
        private final long deadlineNanos;
        private final long tick;
        private final long order;
        private final Runnable action;
        private State state = State.WAITING;
        private Task previous = this;
        private Task next = this;

        Task(HashedWheelTimer timer) {
            this(timer, 0, 0, 0, () -> {});
        }

        Task(HashedWheelTimer timer, long deadlineNanos, long tick, long order, Runnable action) {
            this.timer = timer;
            this.deadlineNanos = deadlineNanos;
            this.tick = tick;
            this.order = order;
            this.action = action;
        }

        void linkBefore(Task head) {
            previous = head.previous;
            next = head;
            previous.next = this;
            head.previous = this;
        }

        void unlink() {
            previous.next = next;
            next.previous = previous;
        }

        @Override
        public boolean cancel() {
            return timer.cancel(this);
        }

        @Override
        public long deadlineNanos() {
            return deadlineNanos;
        }

        @Override
        public int compareTo(Task other) {
            long difference = deadlineNanos - other.deadlineNanos;
            return difference != 0 ? Long.signum(difference) : Long.compare(order, other.order);
        }
    }
}
