package io.moldau.log.dir;

import io.moldau.common.ApiException;
import io.moldau.common.TopicPartition;
import io.moldau.common.time.Time;
import io.moldau.log.LogMetrics;
import io.moldau.log.PartitionLog;
import io.moldau.log.storage.StorageException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Makes the logs sound that a crash left in doubt: those of all directories at once, a few at a
/// time in each (`num.recovery.threads.per.data.dir`). What coordinators wait for comes first, then
/// the logs of which the least has to be read, so that most of them can be used early.
///
/// A log that is [pending][#isPending] must not be touched by anybody else: who does waits until it
/// has been read. All others are used meanwhile.
///
/// Thread-safe. Runs once.
public final class LogRecovery {

    private static final Logger LOG = LoggerFactory.getLogger(LogRecovery.class);

    private static final long REPORT_NANOS = TimeUnit.SECONDS.toNanos(1);

    /// How far it is.
    ///
    /// @param logs how many logs were in doubt
    /// @param logsLeft how many of them still are
    /// @param bytes about how much has to be read for all of them; 0 until that is known
    /// @param bytesLeft about how much of that is left
    public record Progress(int logs, int logsLeft, long bytes, long bytesLeft) {

        public boolean isDone() {
            return logsLeft == 0;
        }
    }

    private record Doubtful(PartitionLog log, long bytes) {}

    private final Map<LogDirectory, List<PartitionLog>> inDoubt;
    private final int threadsPerDirectory;
    private final Time time;
    private final LogMetrics metrics;
    private final Set<TopicPartition> pending = ConcurrentHashMap.newKeySet();
    private final int logs;
    private final long beganNanos;
    private volatile boolean stopped;

    // Guarded by this.
    private final List<Thread> threads = new ArrayList<>();
    private final List<Runnable> listeners = new ArrayList<>();
    private long bytes;
    private long bytesLeft;
    private long reportedNanos;
    private boolean saidDone;

    LogRecovery(Map<LogDirectory, List<PartitionLog>> inDoubt, int threadsPerDirectory, Time time, LogMetrics metrics) {
        this.inDoubt = inDoubt;
        this.threadsPerDirectory = threadsPerDirectory;
        this.time = time;
        this.metrics = metrics;
        inDoubt.values().forEach(some -> some.forEach(log -> pending.add(log.topicPartition())));
        this.logs = pending.size();
        this.beganNanos = time.nanoseconds();
        this.reportedNanos = beganNanos;
    }

    synchronized void start() {
        metrics.recovering(logs, 0);
        if (logs > 0) {
            LOG.info("Checking the logs that a crash left in doubt logs={}", logs);
        }
        inDoubt.forEach((directory, some) -> {
            if (!some.isEmpty()) {
                begin("log-recovery", () -> recover(directory, some));
            }
        });
    }

    private synchronized void begin(String name, Runnable task) {
        threads.add(Thread.ofPlatform().name(name).daemon(true).start(task));
    }

    private void recover(LogDirectory directory, List<PartitionLog> some) {
        var doubtful = new ArrayList<Doubtful>(some.size());
        try {
            for (var log : some) {
                doubtful.add(new Doubtful(log, log.bytesInDoubt()));
            }
        } catch (StorageException e) {
            giveUp(directory, some);
            return;
        }
        doubtful.sort(Comparator.<Doubtful>comparingInt(it -> isWaitedFor(it.log()) ? 0 : 1)
                .thenComparingLong(Doubtful::bytes));
        planned(doubtful.stream().mapToLong(Doubtful::bytes).sum());
        var queue = new ConcurrentLinkedQueue<>(doubtful);
        for (int i = 1; i < Math.min(threadsPerDirectory, some.size()); i++) {
            begin("log-recovery", () -> recoverAll(directory, queue));
        }
        recoverAll(directory, queue);
    }

    /// Groups and transactions stand still without their coordinators.
    private static boolean isWaitedFor(PartitionLog log) {
        return log.topicPartition().topic().startsWith("__");
    }

    private void recoverAll(LogDirectory directory, Queue<Doubtful> queue) {
        for (var next = queue.poll(); next != null && !stopped; next = queue.poll()) {
            try {
                next.log().open();
            } catch (StorageException e) {
                giveUp(directory, List.of(next.log()));
            } catch (ApiException e) {
                LOG.error(
                        "A log cannot be used partition={} reason={}",
                        next.log().topicPartition(),
                        e.getMessage());
            }
            done(next);
        }
    }

    /// The directory has failed and has said so; its logs are as sound as they will get.
    private void giveUp(LogDirectory directory, List<PartitionLog> some) {
        LOG.warn("Recovery stopped at a failing log directory path={}", directory.path());
        for (var log : some) {
            done(new Doubtful(log, 0));
        }
    }

    private synchronized void planned(long more) {
        bytes += more;
        bytesLeft += more;
        metrics.recovering(pending.size(), bytesLeft);
    }

    private void done(Doubtful it) {
        pending.remove(it.log().topicPartition());
        List<Runnable> told;
        synchronized (this) {
            bytesLeft = Math.max(0, bytesLeft - it.bytes());
            metrics.recovering(pending.size(), bytesLeft);
            told = List.copyOf(listeners);
        }
        report();
        told.forEach(Runnable::run);
    }

    /// Says how far it is, at most once a second and once at the end.
    void report() {
        if (logs == 0) {
            return;
        }
        synchronized (this) {
            if (saidDone) {
                return;
            }
            long now = time.nanoseconds();
            long ms = TimeUnit.NANOSECONDS.toMillis(now - beganNanos);
            if (pending.isEmpty()) {
                saidDone = true;
                LOG.info("Recovery done logs={} bytes={} ms={}", logs, bytes, ms);
            } else if (now - reportedNanos >= REPORT_NANOS) {
                reportedNanos = now;
                LOG.info(
                        "Recovering logs={} logsLeft={} bytes={} bytesLeft={} ms={}",
                        logs,
                        pending.size(),
                        bytes,
                        bytesLeft,
                        ms);
            }
        }
    }

    /// Whether the log of this partition is still in doubt and about to be read.
    public boolean isPending(TopicPartition partition) {
        return !pending.isEmpty() && pending.contains(partition);
    }

    /// A copy.
    public Set<TopicPartition> pending() {
        return Set.copyOf(pending);
    }

    public boolean isDone() {
        return pending.isEmpty();
    }

    public synchronized Progress progress() {
        return new Progress(logs, pending.size(), bytes, bytesLeft);
    }

    /// Called whenever a log can be used that could not before, on the thread that has read it.
    public synchronized void onSound(Runnable listener) {
        listeners.add(listener);
    }

    /// Waits until it is done or stopped.
    void await() {
        try {
            for (var thread = nextAlive(); thread != null; thread = nextAlive()) {
                thread.join();
            }
        } catch (InterruptedException e) {
            // What is left stays in doubt.
            stopped = true;
            Thread.currentThread().interrupt();
        }
    }

    private synchronized @Nullable Thread nextAlive() {
        for (var thread : threads) {
            if (thread.isAlive() && thread != Thread.currentThread()) {
                return thread;
            }
        }
        return null;
    }

    boolean isStopped() {
        return stopped;
    }

    /// Ends after the logs that are being read now. What is left stays in doubt until the next
    /// start.
    public void stop() {
        stopped = true;
        await();
    }
}
