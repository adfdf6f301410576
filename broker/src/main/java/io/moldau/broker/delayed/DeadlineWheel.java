package io.moldau.broker.delayed;

import org.jspecify.annotations.Nullable;

/// Many deadlines for one thread, coarse and cheap: adding and cancelling cost a few stores.
///
/// A ring of slots, one tick wide each; an entry whose deadline lies further than one turn stays in its slot for
/// another round. A bitmap says which slots hold something, so that the owner can sleep until [#nextNanos] instead
/// of ticking. Owned by one thread; holds no clock.
public final class DeadlineWheel {

    /// One waiting task. Linked into exactly one slot, or into none once fired or cancelled.
    private static final class Entry implements Deadlines.Deadline {
        private final DeadlineWheel wheel;
        private final long tick;
        private final Runnable task;
        private @Nullable Entry previous;
        private @Nullable Entry next;
        private boolean linked = true;

        Entry(DeadlineWheel wheel, long tick, Runnable task) {
            this.wheel = wheel;
            this.tick = tick;
            this.task = task;
        }

        @Override
        public void cancel() {
            if (linked) {
                wheel.unlink(this);
            }
        }
    }

    private final long tickNanos;
    private final long originNanos;
    private final @Nullable Entry[] slots;
    private final long[] occupied;
    private final int mask;
    private long currentTick;
    private int size;

    /// @param tickNanos width of a slot: how late an entry may fire
    /// @param slotCount a power of two, at least 64
    public DeadlineWheel(long originNanos, long tickNanos, int slotCount) {
        if (slotCount < 64 || Integer.bitCount(slotCount) != 1) {
            throw new IllegalArgumentException("slotCount " + slotCount + " is not a power of two of at least 64");
        }
        this.originNanos = originNanos;
        this.tickNanos = tickNanos;
        this.slots = new Entry[slotCount];
        this.occupied = new long[slotCount / 64];
        this.mask = slotCount - 1;
    }

    public int size() {
        return size;
    }

    /// Adds a task that fires in the first [#advanceTo] at or after its deadline, rounded up to a tick.
    public Deadlines.Deadline add(long deadlineNanos, Runnable task) {
        long tick = Math.max(Math.ceilDiv(deadlineNanos - originNanos, tickNanos), currentTick + 1);
        var entry = new Entry(this, tick, task);
        int slot = (int) (tick & mask);
        Entry head = slots[slot];
        entry.next = head;
        if (head != null) {
            head.previous = entry;
        }
        slots[slot] = entry;
        occupied[slot >>> 6] |= 1L << slot;
        size++;
        return entry;
    }

    /// When to call [#advanceTo] next, or `Long.MAX_VALUE` if nothing waits. Never later than the earliest deadline
    /// rounded up to its tick; for entries more than a turn away it may be earlier.
    public long nextNanos() {
        if (size == 0) {
            return Long.MAX_VALUE;
        }
        for (int step = 1; step <= slots.length; ) {
            int slot = (int) ((currentTick + step) & mask);
            long word = occupied[slot >>> 6] >>> (slot & 63);
            if (word != 0) {
                int skip = Long.numberOfTrailingZeros(word);
                if (step + skip <= slots.length) {
                    return originNanos + (currentTick + step + skip) * tickNanos;
                }
            }
            step += 64 - (slot & 63);
        }
        return originNanos + (currentTick + slots.length) * tickNanos;
    }

    /// Fires everything due at `nowNanos`, on the calling thread. Tasks may add and cancel.
    public void advanceTo(long nowNanos) {
        long target = Math.floorDiv(nowNanos - originNanos, tickNanos);
        if (target <= currentTick) {
            return;
        }
        long from = Math.max(currentTick + 1, target - slots.length + 1);
        currentTick = target;
        for (long tick = from; tick <= target && size > 0; tick++) {
            int slot = (int) (tick & mask);
            if ((occupied[slot >>> 6] & (1L << slot)) != 0) {
                fireDue(slot, target);
            }
        }
    }

    private void fireDue(int slot, long target) {
        // Detach what is due first: a task may add to this very slot.
        Entry due = null;
        Entry entry = slots[slot];
        while (entry != null) {
            Entry following = entry.next;
            if (entry.tick <= target) {
                unlink(entry);
                entry.next = due;
                due = entry;
            }
            entry = following;
        }
        while (due != null) {
            Entry firing = due;
            due = due.next;
            firing.next = null;
            firing.task.run();
        }
    }

    private void unlink(Entry entry) {
        int slot = (int) (entry.tick & mask);
        Entry before = entry.previous;
        Entry after = entry.next;
        if (before == null) {
            slots[slot] = after;
        } else {
            before.next = after;
        }
        if (after != null) {
            after.previous = before;
        }
        if (slots[slot] == null) {
            occupied[slot >>> 6] &= ~(1L << slot);
        }
        entry.previous = null;
        entry.next = null;
        entry.linked = false;
        size--;
    }
}
