package io.moldau.broker.net;

import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicLong;

/// The node's budget for bytes of requests that have been read, or are being read, and are not answered yet.
///
/// A connection reserves before it takes a buffer and gives back when the buffer is done with. When nothing is left
/// it stops reading and is resumed in the order of asking. One frame is always let in when the budget is untouched,
/// so a frame larger than the budget cannot wait for ever. Thread-safe.
final class RequestMemory {

    private final long budget;
    private final AtomicLong used = new AtomicLong();
    private final Queue<Runnable> waiting = new ConcurrentLinkedQueue<>();

    RequestMemory(long budget) {
        this.budget = budget;
    }

    boolean tryReserve(long bytes) {
        while (true) {
            long before = used.get();
            if (before > 0 && before + bytes > budget) {
                return false;
            }
            if (used.compareAndSet(before, before + bytes)) {
                return true;
            }
        }
    }

    /// Takes bytes that are in memory already, whatever is left.
    void reserve(long bytes) {
        used.addAndGet(bytes);
    }

    void release(long bytes) {
        long left = used.addAndGet(-bytes);
        if (left <= budget / 2) {
            resumeWaiting();
        }
    }

    /// Asks to be called once there may be room again; from any thread, perhaps at once. Whoever finds none then
    /// asks again.
    void whenReleased(Runnable resume) {
        waiting.add(resume);
        if (used.get() <= budget / 2) {
            resumeWaiting();
        }
    }

    /// Whether connections wait for memory.
    boolean isContended() {
        return !waiting.isEmpty();
    }

    long used() {
        return used.get();
    }

    private void resumeWaiting() {
        Runnable next;
        while ((next = waiting.poll()) != null) {
            next.run();
        }
    }
}
