package io.moldau.sim;

import java.util.PriorityQueue;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/// Everything that will happen, in the order it will. The only source of time and chance in a simulation.
///
/// What could happen at the same time gets delays drawn from the seed, so which of several runnable tasks goes first
/// is a choice of the seed too. An event belongs to a [Machine]: it dies with the machine's process and waits while
/// the machine is paused.
final class Scheduler {

    /// Something that will happen.
    static final class Event implements Comparable<Event> {
        private final long sequence;
        private final @Nullable Machine machine;
        private final int life;
        private final String what;
        private final Runnable task;
        private long nanos;
        private boolean cancelled;

        private Event(long sequence, @Nullable Machine machine, String what, Runnable task, long nanos) {
            this.sequence = sequence;
            this.machine = machine;
            this.life = machine == null ? 0 : machine.life();
            this.what = what;
            this.task = task;
            this.nanos = nanos;
        }

        /// False if it has happened, or was cancelled before.
        boolean cancel() {
            boolean could = !cancelled;
            cancelled = true;
            return could;
        }

        @Override
        public int compareTo(Event other) {
            int byTime = Long.compare(nanos, other.nanos);
            return byTime != 0 ? byTime : Long.compare(sequence, other.sequence);
        }
    }

    private final SplittableRandom random;
    private final EventLog log;
    private final PriorityQueue<Event> events = new PriorityQueue<>();
    private long now;
    private long sequence;
    private long steps;
    private @Nullable Machine last;

    Scheduler(long seed, EventLog log) {
        this.random = new SplittableRandom(seed);
        this.log = log;
    }

    /// A generator of its own for one part of the simulation.
    SplittableRandom split() {
        return random.split();
    }

    SplittableRandom random() {
        return random;
    }

    /// Nanoseconds since the simulation began.
    long now() {
        return now;
    }

    long steps() {
        return steps;
    }

    /// Whose event happens, or happened last; null for those of nobody.
    @Nullable
    Machine last() {
        return last;
    }

    Event at(long nanos, @Nullable Machine machine, String what, Runnable task) {
        var event = new Event(sequence++, machine, what, task, Math.max(nanos, now));
        events.add(event);
        return event;
    }

    Event after(long delayNanos, @Nullable Machine machine, String what, Runnable task) {
        return at(now + delayNanos, machine, what, task);
    }

    /// Lets the next event happen.
    ///
    /// @return whether one happened at or before `untilNanos`; if not, it is that late now
    boolean step(long untilNanos) {
        while (true) {
            Event next = events.peek();
            if (next == null || next.nanos > untilNanos) {
                now = Math.max(now, untilNanos);
                return false;
            }
            events.poll();
            if (next.cancelled) {
                continue;
            }
            Machine machine = next.machine;
            if (machine != null) {
                if (machine.life() != next.life) {
                    continue;
                }
                if (machine.pausedUntil() > next.nanos) {
                    // The sequence keeps those that wait in order.
                    next.nanos = machine.pausedUntil();
                    events.add(next);
                    continue;
                }
            }
            now = next.nanos;
            steps++;
            next.cancelled = true;
            log.event(now, machine, next.what);
            last = machine;
            next.task.run();
            return true;
        }
    }
}
