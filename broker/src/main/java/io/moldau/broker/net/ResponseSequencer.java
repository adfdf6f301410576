package io.moldau.broker.net;

import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// The open requests of one connection in the order they came, whose answers leave in that order.
///
/// Pure; owned by the connection's event loop.
final class ResponseSequencer<S extends ResponseSequencer.Slot<S>> {

    /// The place of one request. A request is its own slot, so that waiting costs no allocation.
    abstract static class Slot<S extends Slot<S>> {
        private @Nullable S next;
        private boolean ready;

        /// The answer is there and may leave once the ones before it have.
        void markReady() {
            ready = true;
        }
    }

    private @Nullable S first;
    private @Nullable S last;
    private int open;

    void add(S slot) {
        if (last == null) {
            first = slot;
        } else {
            Slot<S> before = last; // private members are reached through the slot's own type
            before.next = slot;
        }
        last = slot;
        open++;
    }

    /// Takes the first open request if its answer is ready.
    @Nullable
    S pollReady() {
        S slot = first;
        if (slot == null) {
            return null;
        }
        Slot<S> head = slot;
        return head.ready ? poll() : null;
    }

    /// Takes the first open request, answered or not: the connection is gone.
    @Nullable
    S poll() {
        S slot = first;
        if (slot == null) {
            return null;
        }
        Slot<S> head = slot;
        first = head.next;
        head.next = null;
        if (first == null) {
            last = null;
        }
        open--;
        return slot;
    }

    /// Visits the open requests in their order; the visitor may answer them, but takes none out.
    void forEach(Consumer<S> visitor) {
        S slot = first;
        while (slot != null) {
            Slot<S> current = slot;
            S following = current.next;
            visitor.accept(slot);
            slot = following;
        }
    }

    int open() {
        return open;
    }
}
