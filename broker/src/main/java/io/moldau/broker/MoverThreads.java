package io.moldau.broker;

import io.moldau.broker.replica.ReplicaMoves;
import io.moldau.common.FaultHandler;
import io.moldau.common.time.Time;
import io.moldau.log.FutureLog;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/// The threads that copy replicas from one log directory to another
/// (`num.replica.alter.log.dirs.threads`). Each takes the move that has waited longest for a piece
/// of work, so many moves go on side by side. They begin with the first move. Thread-safe.
final class MoverThreads implements AutoCloseable {

    private static final int BUFFER_BYTES = 1 << 20;

    private final ReplicaMoves moves;
    private final int most;
    private final Time time;
    private final FaultHandler faults;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();

    // All below: under the lock.
    private final List<Thread> threads = new ArrayList<>();
    /// When each move may go on; what a thread works on is not in it, nor what is new.
    private final Map<FutureLog, Long> due = new IdentityHashMap<>();
    private final Map<FutureLog, Thread> taken = new IdentityHashMap<>();
    private boolean ended;

    MoverThreads(ReplicaMoves moves, int most, Time time, FaultHandler faults) {
        this.moves = moves;
        this.most = most;
        this.time = time;
        this.faults = faults;
    }

    /// There may be a new move.
    void wake() {
        lock.lock();
        try {
            int wanted = Math.min(most, moves.underWay().size());
            while (!ended && threads.size() < wanted) {
                threads.add(LowPriorityThreads.start("moldau-replica-mover-" + threads.size(), this::run));
            }
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    private void run() {
        ByteBuffer buffer = ByteBuffer.allocateDirect(BUFFER_BYTES);
        try {
            for (FutureLog next = take(); next != null; next = take()) {
                long wait = ReplicaMoves.ENDED;
                try {
                    wait = moves.work(next, buffer);
                } finally {
                    giveBack(next, wait);
                }
            }
        } catch (RuntimeException e) {
            faults.handle("moving replicas between log directories", e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private @Nullable FutureLog take() throws InterruptedException {
        lock.lock();
        try {
            while (!ended) {
                long now = time.nanoseconds();
                long left = Long.MAX_VALUE;
                FutureLog next = null;
                due.keySet().retainAll(moves.underWay());
                for (FutureLog move : moves.underWay()) {
                    long wait = taken.containsKey(move) ? Long.MAX_VALUE : due.getOrDefault(move, now) - now;
                    if (wait < left) {
                        left = wait;
                        next = move;
                    }
                }
                if (next != null && left <= 0) {
                    taken.put(next, Thread.currentThread());
                    return next;
                }
                changed.awaitNanos(left);
            }
            return null;
        } finally {
            lock.unlock();
        }
    }

    private void giveBack(FutureLog move, long wait) {
        lock.lock();
        try {
            taken.remove(move);
            if (wait == ReplicaMoves.ENDED) {
                due.remove(move);
            } else {
                due.put(move, time.nanoseconds() + wait);
            }
            changed.signal();
        } finally {
            lock.unlock();
        }
    }

    /// Ends the threads. The next start goes on with the moves.
    @Override
    public void close() throws InterruptedException {
        List<Thread> left;
        lock.lock();
        try {
            ended = true;
            changed.signalAll();
            left = List.copyOf(threads);
        } finally {
            lock.unlock();
        }
        LowPriorityThreads.join(left);
    }
}
