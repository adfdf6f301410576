package io.moldau.broker.delayed;

import org.jspecify.annotations.Nullable;

/// Waits for a position that only grows, kept in the order of the offsets they wait for.
///
/// Appends make waits in ascending order, so adding is a look at the end and completing is a walk from the front.
/// Pure; not thread-safe.
public final class OffsetWaits<W extends OffsetWaits.Wait<W>> {

    /// One wait. Lives in at most one list.
    public abstract static class Wait<W extends Wait<W>> {
        private final long offset;
        private @Nullable W previous;
        private @Nullable W next;
        private boolean linked;

        /// @param offset reached when the position is at or above it
        protected Wait(long offset) {
            this.offset = offset;
        }

        public final long offset() {
            return offset;
        }

        // Private members are reachable through this type only, not through W.
        final Wait<W> self() {
            return this;
        }
    }

    private @Nullable W first;
    private @Nullable W last;
    private int size;

    public int size() {
        return size;
    }

    public void add(W wait) {
        W before = last;
        while (before != null && before.offset() > wait.offset()) {
            before = before.self().previous;
        }
        Wait<W> node = wait.self();
        node.previous = before;
        if (before == null) {
            node.next = first;
            first = wait;
        } else {
            Wait<W> beforeNode = before.self();
            node.next = beforeNode.next;
            beforeNode.next = wait;
        }
        if (node.next == null) {
            last = wait;
        } else {
            node.next.self().previous = wait;
        }
        node.linked = true;
        size++;
    }

    /// Takes out a wait that gave up. False if it is not waiting any more.
    public boolean remove(W wait) {
        Wait<W> node = wait.self();
        if (!node.linked) {
            return false;
        }
        W before = node.previous;
        W after = node.next;
        if (before == null) {
            first = after;
        } else {
            before.self().next = after;
        }
        if (after == null) {
            last = before;
        } else {
            after.self().previous = before;
        }
        node.previous = null;
        node.next = null;
        node.linked = false;
        size--;
        return true;
    }

    /// Takes out the first wait if the position has reached it.
    public @Nullable W poll(long position) {
        W head = first;
        if (head == null || head.offset() > position) {
            return null;
        }
        remove(head);
        return head;
    }
}
