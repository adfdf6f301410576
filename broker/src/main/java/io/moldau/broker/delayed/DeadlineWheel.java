package io.moldau.broker.delayed;

import org.jspecify.annotations.Nullable;

/// Many deadlines for one thread, coarse and cheap: adding and cancelling cost a few stores.
///
/// Two rings of slots: a near one whose slots are a tick wide, and a far one whose slots are as wide as the whole
/// near ring. A far slot is emptied into the near ring when its time begins. A bitmap says which slots hold
/// something, so that the owner can sleep until [#nextNanos] instead of ticking. Owned by one thread; holds no
/// clock.
public final class DeadlineWheel {

    /// One waiting task. Linked into exactly one slot, or into none once fired or cancelled.
    private static final class Entry implements Deadlines.Deadline {
        private final DeadlineWheel wheel;
        private final long tick;
        private final Runnable task;
        private @Nullable Ring ring;
        private boolean cancelled;
        private @Nullable Entry previous;
        private @Nullable Entry next;

        Entry(DeadlineWheel wheel, long tick, Runnable task) {
            this.wheel = wheel;
            this.tick = tick;
            this.task = task;
        }

        @Override
        public void cancel() {
            if (ring != null) {
                ring.remove(this);
                wheel.size--;
            } else {
                cancelled = true; // its turn has come, but not before that of a task that cancels it
            }
        }
    }

    /// Slots in a circle, each a list of entries.
    private static final class Ring {
        private final @Nullable Entry[] heads;
        private final long[] occupied;
        private final int mask;
        private final int shift;

        /// @param shift a slot is 2^shift ticks wide
        Ring(int slots, int shift) {
            this.heads = new Entry[slots];
            this.occupied = new long[slots / Long.SIZE];
            this.mask = slots - 1;
            this.shift = shift;
        }

        int slots() {
            return heads.length;
        }

        private int slotOf(Entry entry) {
            return (int) (entry.tick >> shift) & mask;
        }

        void add(Entry entry) {
            int slot = slotOf(entry);
            Entry head = heads[slot];
            entry.next = head;
            if (head != null) {
                head.previous = entry;
            }
            heads[slot] = entry;
            occupied[slot >>> 6] |= 1L << slot;
            entry.ring = this;
        }

        void remove(Entry entry) {
            int slot = slotOf(entry);
            Entry before = entry.previous;
            Entry after = entry.next;
            if (before == null) {
                heads[slot] = after;
            } else {
                before.next = after;
            }
            if (after != null) {
                after.previous = before;
            }
            if (heads[slot] == null) {
                occupied[slot >>> 6] &= ~(1L << slot);
            }
            entry.previous = null;
            entry.next = null;
            entry.ring = null;
        }

        /// The first occupied position after `position`, which counts slots without end; -1 if there is none within
        /// one turn.
        long next(long position) {
            for (int step = 1; step <= heads.length; ) {
                int slot = (int) (position + step) & mask;
                long word = occupied[slot >>> 6] >>> (slot & 63);
                if (word != 0) {
                    int skip = Long.numberOfTrailingZeros(word);
                    if (step + skip <= heads.length) {
                        return position + step + skip;
                    }
                }
                step += Long.SIZE - (slot & 63);
            }
            return -1;
        }

        boolean isOccupied(long position) {
            int slot = (int) position & mask;
            return (occupied[slot >>> 6] & (1L << slot)) != 0;
        }

        /// Takes out the entries of a slot that are due by `tick`, linked by `next`.
        @Nullable
        Entry takeDue(long position, long tick) {
            Entry taken = null;
            Entry entry = heads[(int) position & mask];
            while (entry != null) {
                Entry following = entry.next;
                if (entry.tick <= tick) {
                    remove(entry);
                    entry.next = taken;
                    taken = entry;
                }
                entry = following;
            }
            return taken;
        }
    }

    private static final int FAR_SLOTS = 256;

    private final long tickNanos;
    private final long originNanos;
    private final Ring near;
    private final Ring far;
    private final int nearShift;
    private long currentTick;
    private int size;

    /// @param tickNanos width of a near slot: how late an entry may fire
    /// @param slotCount of the near ring: a power of two, at least 64
    public DeadlineWheel(long originNanos, long tickNanos, int slotCount) {
        if (slotCount < Long.SIZE || Integer.bitCount(slotCount) != 1) {
            throw new IllegalArgumentException("slotCount " + slotCount + " is not a power of two of at least 64");
        }
        this.originNanos = originNanos;
        this.tickNanos = tickNanos;
        this.nearShift = Integer.numberOfTrailingZeros(slotCount);
        this.near = new Ring(slotCount, 0);
        this.far = new Ring(FAR_SLOTS, nearShift);
    }

    public int size() {
        return size;
    }

    /// Adds a task that fires in the first [#advanceTo] at or after its deadline, rounded up to a tick.
    public Deadlines.Deadline add(long deadlineNanos, Runnable task) {
        long tick = Math.max(Math.ceilDiv(deadlineNanos - originNanos, tickNanos), currentTick + 1);
        var entry = new Entry(this, tick, task);
        place(entry);
        size++;
        return entry;
    }

    private void place(Entry entry) {
        (entry.tick - currentTick <= near.slots() ? near : far).add(entry);
    }

    /// When to call [#advanceTo] next, or `Long.MAX_VALUE` if nothing waits. Never later than the earliest deadline
    /// rounded up to its tick; earlier where that deadline is still in the far ring.
    public long nextNanos() {
        if (size == 0) {
            return Long.MAX_VALUE;
        }
        long nearTick = near.next(currentTick);
        long farSlot = far.next(currentTick >> nearShift);
        long next;
        if (farSlot < 0) {
            next = nearTick;
        } else {
            long farTick = farSlot << nearShift;
            next = nearTick < 0 ? farTick : Math.min(nearTick, farTick);
        }
        return originNanos + next * tickNanos;
    }

    /// Fires everything due at `nowNanos`, on the calling thread. Tasks may add and cancel.
    public void advanceTo(long nowNanos) {
        long target = Math.floorDiv(nowNanos - originNanos, tickNanos);
        if (target <= currentTick) {
            return;
        }
        long from = currentTick;
        currentTick = target;
        fire(near, from, target, target);
        long farFrom = from >> nearShift;
        long farTo = target >> nearShift;
        if (farTo > farFrom) {
            fire(far, farFrom, farTo, target);
            bringNear(farTo);
        }
    }

    /// Fires what is due by `tick` in the slots after `from` up to `to`.
    private void fire(Ring ring, long from, long to, long tick) {
        for (long position = Math.max(from + 1, to - ring.slots() + 1); position <= to && size > 0; position++) {
            if (ring.isOccupied(position)) {
                // All are taken out before the first runs: a task may add to this very slot.
                Entry due = ring.takeDue(position, tick);
                while (due != null) {
                    Entry firing = due;
                    due = due.next;
                    firing.next = null;
                    size--;
                    if (!firing.cancelled) {
                        firing.task.run();
                    }
                }
            }
        }
    }

    private void bringNear(long farPosition) {
        long end = (farPosition + 1) << nearShift;
        Entry entry = far.takeDue(farPosition, end - 1);
        while (entry != null) {
            Entry following = entry.next;
            entry.next = null;
            place(entry);
            entry = following;
        }
    }
}
