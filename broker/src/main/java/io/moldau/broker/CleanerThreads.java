package io.moldau.broker;

import io.moldau.common.FaultHandler;
import io.moldau.common.time.Time;
import io.moldau.log.clean.CleanerConfig;
import io.moldau.log.clean.CleaningPace;
import io.moldau.log.dir.LogCleaner;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;

/// The threads that compact a node's logs, as many as `log.cleaner.threads` says at the moment, and the bound on how
/// much they read and write together. They wait for nothing but the disk and their own pauses. Thread-safe.
final class CleanerThreads implements AutoCloseable {

    // Even if a bound on bytes asks for more.
    private static final long LONGEST_PAUSE_NANOS = TimeUnit.MINUTES.toNanos(1);

    /// @param threads how many compact at once
    /// @param backoffMs pause after nothing was found to do
    /// @param maxBytesPerSecond of all threads together
    record Settings(int threads, long backoffMs, double maxBytesPerSecond, CleanerConfig config) {}

    private final LogCleaner cleaner;
    private final Supplier<Settings> settings;
    private final Time time;
    private final FaultHandler faults;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();

    // All below: under the lock.
    private final List<Thread> threads = new ArrayList<>();
    private boolean ended;
    private long freeAtNanos;
    private double rate;
    // Counts the changes of the rate: who waits for an old one need not wait on.
    private int rates;

    CleanerThreads(LogCleaner cleaner, Supplier<Settings> settings, Time time, FaultHandler faults) {
        this.cleaner = cleaner;
        this.settings = settings;
        this.time = time;
        this.faults = faults;
        this.freeAtNanos = time.nanoseconds();
        this.rate = settings.get().maxBytesPerSecond();
    }

    /// Takes note of changed settings: starts the threads that are missing, and lets go on who waits for the bound on
    /// bytes as it was before. Threads that are too many end by themselves.
    void adjust() {
        Settings now = settings.get();
        int wanted = now.threads();
        lock.lock();
        try {
            if (now.maxBytesPerSecond() != rate) {
                rate = now.maxBytesPerSecond();
                rates++;
                freeAtNanos = time.nanoseconds();
                changed.signalAll();
            }
            while (!ended && threads.size() < wanted) {
                int index = threads.size();
                threads.add(LowPriorityThreads.start("moldau-log-cleaner-" + index, () -> run(index)));
            }
        } finally {
            lock.unlock();
        }
    }

    private void run(int index) {
        try {
            Settings now = settings.get();
            while (mayGoOn(index, now)) {
                if (!cleaner.cleanNext(now.config(), pace())) {
                    pauseForMore(now.backoffMs());
                }
                now = settings.get();
            }
        } catch (RuntimeException e) {
            faults.handle("compaction of the logs", e);
        }
    }

    /// Whether the thread goes on; the last one goes first when there are too many.
    private boolean mayGoOn(int index, Settings now) {
        lock.lock();
        try {
            if (ended) {
                return false;
            }
            if (index >= now.threads() && index == threads.size() - 1) {
                threads.removeLast();
                return false;
            }
            return true;
        } finally {
            lock.unlock();
        }
    }

    private CleaningPace pace() {
        return bytes -> {
            lock.lock();
            try {
                long left = reserve(bytes);
                int known = rates;
                while (!ended && left > 0 && known == rates) {
                    left = changed.awaitNanos(left);
                }
                return !ended;
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                return false;
            } finally {
                lock.unlock();
            }
        };
    }

    /// How long to wait after these bytes.
    private long reserve(long bytes) {
        long now = time.nanoseconds();
        long begins = freeAtNanos - now > 0 ? freeAtNanos : now;
        double costs = bytes / Math.max(rate, 1) * TimeUnit.SECONDS.toNanos(1);
        freeAtNanos = begins + (long) Math.min(costs, LONGEST_PAUSE_NANOS);
        return freeAtNanos - now;
    }

    /// Waits until it is worth looking for a log again, or the threads are to end.
    private void pauseForMore(long ms) {
        lock.lock();
        try {
            long left = TimeUnit.MILLISECONDS.toNanos(ms);
            while (!ended && left > 0) {
                left = changed.awaitNanos(left);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            lock.unlock();
        }
    }

    /// Ends the threads. A compaction in progress is given up; the log is as it was before, or compacted in part.
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
