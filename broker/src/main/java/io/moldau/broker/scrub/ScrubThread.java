package io.moldau.broker.scrub;

import io.moldau.common.FaultHandler;
import io.moldau.log.clean.CleaningPace;
import io.moldau.log.dir.LogScrubber;
import io.moldau.log.scrub.SoundRecords;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/// The thread, of low priority, that reads a node's logs at a bounded rate to find damage, and mends what is found.
/// Mending comes first, also in the middle of a large log.
///
/// Nobody interrupts it: that would close the files it reads, which others read too.
public final class ScrubThread implements AutoCloseable {

    private static final long IDLE_NANOS = TimeUnit.SECONDS.toNanos(1);
    private static final long STOP_SECONDS = 10;

    /// @param bytesPerSecond read at most; 0 if only damage that readers find is to be mended
    /// @param intervalMs between the beginnings of two passes over all logs
    public record Settings(long bytesPerSecond, long intervalMs) {}

    private final LogScrubber scrubber;
    private final SoundRecords source;
    private final Settings settings;
    private final FaultHandler faults;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition ending = lock.newCondition();
    private final Thread thread;

    // Under the lock.
    private boolean ended;

    public ScrubThread(LogScrubber scrubber, SoundRecords source, Settings settings, FaultHandler faults) {
        this.scrubber = scrubber;
        this.source = source;
        this.settings = settings;
        this.faults = faults;
        this.thread = Thread.ofPlatform()
                .name("moldau-log-scrub")
                .daemon(true)
                .priority(Thread.MIN_PRIORITY)
                .unstarted(this::run);
    }

    public void start() {
        thread.start();
    }

    private void run() {
        try {
            while (pause(0)) {
                boolean worked = scrubber.mendNext(source, unhurried())
                        || settings.bytesPerSecond() > 0 && scrubber.scrubNext(paced(), settings.intervalMs());
                if (!worked) {
                    pause(IDLE_NANOS);
                }
            }
        } catch (RuntimeException e) {
            faults.handle("the check of the logs", e);
        }
    }

    private CleaningPace unhurried() {
        return bytes -> pause(0);
    }

    private CleaningPace paced() {
        return bytes -> {
            scrubber.mendNext(source, unhurried());
            return pause(bytes * TimeUnit.SECONDS.toNanos(1) / settings.bytesPerSecond());
        };
    }

    /// Waits, unless the thread is to end.
    ///
    /// @return false if it is
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

    @Override
    public void close() throws InterruptedException {
        lock.lock();
        try {
            ended = true;
            ending.signalAll();
        } finally {
            lock.unlock();
        }
        thread.join(TimeUnit.SECONDS.toMillis(STOP_SECONDS));
    }
}
