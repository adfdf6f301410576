package io.moldau.broker.net;

import java.util.concurrent.atomic.AtomicLong;

/// Counts the bytes of answers that peers have not taken yet, over all connections. Thread-safe.
///
/// While there are more than the budget, connections that owe some are not served further: each of them holds what
/// it holds, but the sum grows no more.
final class UnsentMemory {

    private final long budget;
    private final AtomicLong unsent = new AtomicLong();

    UnsentMemory(long budget) {
        this.budget = budget;
    }

    void add(long bytes) {
        unsent.addAndGet(bytes);
    }

    boolean isOver() {
        return unsent.get() > budget;
    }

    long bytes() {
        return unsent.get();
    }
}
