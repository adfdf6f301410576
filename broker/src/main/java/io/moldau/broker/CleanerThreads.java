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
/// much they read and write together. They are of low priority and wait for nothing but the disk and their own pauses.
///
/// Nobody interrupts them: that would close the files they are reading, which others read too. Thread-safe.
final class CleanerThreads implements AutoCloseable {

    private static final long STOP_SECONDS = 10;
    // Even if a bound on bytes asks for more: nobody could change it meanwhile.
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
    private final Condition ending = lock.newCondition();

    // All below: under the lock.
    private final List<Thread> threads = new ArrayList<>();
    private boolean ended;
    private long freeAtNanos;

    CleanerThreads(LogCleaner cleaner, Supplier<Settings> settings, Time time, FaultHandler faults) {
        this.cleaner = cleaner;
        this.settings = settings;
        this.time = time;
        this.faults = faults;
        this.freeAtNanos = time.nanoseconds();
    }

    /// Starts the threads that are missing. Those that are too many end by themselves.
    void adjust() {
        int wanted = settings.get().threads();
        lock.lock();
        try {
            while (!ended && threads.size() < wanted) {
                int index = threads.size();
                Thread thread = Thread.ofPlatform()
                        .name("moldau-log-cleaner-" + index)
                        .daemon(true)
                        .priority(Thread.MIN_PRIORITY)
                        .unstarted(() -> run(index));
                threads.add(thread);
                thread.start();
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
                    pause(TimeUnit.MILLISECONDS.toNanos(now.backoffMs()));
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
            long pauseNanos = reserve(bytes, settings.get().maxBytesPerSecond());
            return pause(pauseNanos);
        };
    }

    /// How long to wait after these bytes.
    private long reserve(long bytes, double perSecond) {
        lock.lock();
        try {
            long now = time.nanoseconds();
            long begins = freeAtNanos - now > 0 ? freeAtNanos : now;
            double costs = bytes / Math.max(perSecond, 1) * TimeUnit.SECONDS.toNanos(1);
            freeAtNanos = begins + (long) Math.min(costs, LONGEST_PAUSE_NANOS);
            return freeAtNanos - now;
        } finally {
            lock.unlock();
        }
    }

    /// Waits, unless the threads are to end.
    ///
    /// @return false if they are
    private boolean pause(long nanos) {
        lock.lock();
        try {
            long left = nanos;
            while (!ended && left > 0) {
                left = ending.awaitNanos(left);
            }
            return !ended;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
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
            ending.signalAll();
            left = List.copyOf(threads);
        } finally {
            lock.unlock();
        }
        for (Thread thread : left) {
            thread.join(TimeUnit.SECONDS.toMillis(STOP_SECONDS));
        }
    }
}
