package io.moldau.broker.coordinator.runtime;

import io.moldau.common.time.Deadline;
import io.moldau.common.time.Time;
import io.moldau.common.time.Timer;
import io.moldau.common.time.TimerTask;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Consumer;

/// The pending timers of one shard, at most one for each key. Owned by the shard's mailbox.
///
/// Most timers are sessions that each heartbeat pushes further out. So a timer that is put off keeps its place in the
/// node's timer, and only when that fires is it seen that there is time left.
final class ShardTimers {

    private static final class Armed {
        private TimerEvent event;
        private Deadline deadline;
        private final TimerTask task;
        private final Deadline firesAt;

        Armed(TimerEvent event, Deadline deadline, TimerTask task) {
            this.event = event;
            this.deadline = deadline;
            this.firesAt = deadline;
            this.task = task;
        }
    }

    private final Timer timer;
    private final Time time;
    private final Consumer<Object> fired;
    private final Map<Object, Armed> armed = new HashMap<>();

    /// @param fired is told the key of a timer that may be due, on the node timer's thread; it brings the key back to
    ///     [#takeDue] inside the mailbox
    ShardTimers(Timer timer, Time time, Consumer<Object> fired) {
        this.timer = timer;
        this.time = time;
        this.fired = fired;
    }

    void schedule(TimerEvent event, long delayMs) {
        var key = event.key();
        var deadline = Deadline.afterMillis(time.nanoseconds(), delayMs);
        var pending = armed.get(key);
        if (pending != null && pending.firesAt.compareTo(deadline) <= 0) {
            pending.event = event;
            pending.deadline = deadline;
            return;
        }
        if (pending != null) {
            pending.task.cancel();
        }
        arm(key, event, deadline);
    }

    private void arm(Object key, TimerEvent event, Deadline deadline) {
        armed.put(key, new Armed(event, deadline, timer.schedule(deadline, () -> fired.accept(key))));
    }

    void cancel(Object key) {
        var pending = armed.remove(key);
        if (pending != null) {
            pending.task.cancel();
        }
    }

    /// The event with this key if its time has come.
    @org.jspecify.annotations.Nullable
    TimerEvent takeDue(Object key) {
        var pending = armed.get(key);
        if (pending == null || !pending.firesAt.hasPassed(time.nanoseconds())) {
            return null; // Taken back, or armed anew, while the key was on its way here.
        }
        armed.remove(key);
        if (!pending.deadline.hasPassed(time.nanoseconds())) {
            arm(key, pending.event, pending.deadline);
            return null;
        }
        return pending.event;
    }

    void cancelAll() {
        armed.values().forEach(pending -> pending.task.cancel());
        armed.clear();
    }

    int size() {
        return armed.size();
    }
}
