package io.moldau.ops.chaos.net;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/// The way from one node to one listener of another. The test changes it, the proxy's pumps ask it. Any thread.
public final class Link {

    /// Of the two directions of a connection, as its opener sees them.
    public enum Direction {
        REQUESTS,
        ANSWERS
    }

    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    private Flow requests = Flow.OPEN;
    private Flow answers = Flow.OPEN;
    private boolean closed;

    public void set(Flow both) {
        set(both, both);
    }

    public void set(Flow newRequests, Flow newAnswers) {
        lock.lock();
        try {
            requests = newRequests;
            answers = newAnswers;
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    void close() {
        lock.lock();
        try {
            closed = true;
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /// Waits until bytes may pass, and says how many of them may pass together.
    ///
    /// @return at least 1 and at most `wanted`; 0 when the link has been closed
    int admit(Direction direction, int wanted) throws InterruptedException {
        lock.lock();
        try {
            long arrived = System.nanoTime();
            while (!closed) {
                Flow flow = direction == Direction.REQUESTS ? requests : answers;
                long waitMillis;
                int bytes = wanted;
                switch (flow) {
                    case Flow.Open _ -> {
                        return wanted;
                    }
                    case Flow.Cut _ -> {
                        changed.await();
                        continue;
                    }
                    case Flow.Delayed delayed -> waitMillis = delayed.millis();
                    case Flow.Drip drip -> {
                        waitMillis = drip.pauseMillis();
                        bytes = Math.min(wanted, drip.bytes());
                    }
                }
                long left = TimeUnit.MILLISECONDS.toNanos(waitMillis) - (System.nanoTime() - arrived);
                if (left <= 0) {
                    return bytes;
                }
                changed.awaitNanos(left);
            }
            return 0;
        } finally {
            lock.unlock();
        }
    }
}
