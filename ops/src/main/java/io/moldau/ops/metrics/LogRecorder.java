package io.moldau.ops.metrics;

import io.moldau.common.TopicPartition;
import io.moldau.log.LogMetrics;
import io.moldau.log.clean.CleaningStats;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;

/// Counts what happens to logs.
final class LogRecorder implements LogMetrics, MetricSource {

    private final LongAdder appended = new LongAdder();
    private final LongAdder contended = new LongAdder();
    private final Histogram flushes = new Histogram();
    private final LongAdder rolled = new LongAdder();
    private final LongAdder deleted = new LongAdder();
    private final LongAdder deletedBytes = new LongAdder();
    private final LongAdder recoveries = new LongAdder();
    private final LongAdder recoveredBytes = new LongAdder();
    private final LongAdder cutBytes = new LongAdder();
    private final LongAdder indexes = new LongAdder();
    private final LongAdder cleanings = new LongAdder();
    private final LongAdder cleaningFailures = new LongAdder();
    private final LongAdder cleanerRead = new LongAdder();
    private final LongAdder cleanerWritten = new LongAdder();
    private final Map<Path, Uncleanable> uncleanable = new ConcurrentHashMap<>();
    private volatile Recovery recovery = new Recovery(0, 0);
    private volatile Retention retention = new Retention(0, 0);
    private volatile double dirtiest;
    private volatile double lookedSeconds;
    private volatile Last last = new Last(0, 0, 0);

    private record Uncleanable(int logs, long bytes) {}

    private record Recovery(int logsLeft, long bytesLeft) {}

    private record Retention(int heldByFuture, long doomedBytes) {}

    /// The last compaction.
    private record Last(double recopied, double seconds, double keys) {}

    @Override
    public void appended(int bytes) {
        appended.add(bytes);
    }

    @Override
    public void appendLockContended(TopicPartition partition) {
        contended.increment();
    }

    @Override
    public void flushed(long nanos) {
        flushes.record(nanos);
    }

    @Override
    public void segmentRolled(TopicPartition partition) {
        rolled.increment();
    }

    @Override
    public void segmentDeleted(TopicPartition partition, long bytes) {
        deleted.increment();
        deletedBytes.add(bytes);
    }

    @Override
    public void recovered(TopicPartition partition, long bytesScanned, long bytesCut) {
        recoveries.increment();
        recoveredBytes.add(bytesScanned);
        cutBytes.add(bytesCut);
    }

    @Override
    public void recovering(int logsLeft, long bytesLeft) {
        recovery = new Recovery(logsLeft, bytesLeft);
    }

    @Override
    public void retentionLooked(int heldByFuture, long doomedBytes) {
        retention = new Retention(heldByFuture, doomedBytes);
    }

    @Override
    public void indexRebuilt(TopicPartition partition) {
        indexes.increment();
    }

    @Override
    public void cleanerLooked(double share, long nowMs) {
        dirtiest = share;
        lookedSeconds = nowMs / 1e3;
    }

    @Override
    public void cleaned(TopicPartition partition, CleaningStats stats, long nanos) {
        cleanings.increment();
        cleanerRead.add(stats.bytesRead());
        cleanerWritten.add(stats.bytesWritten());
        last = new Last(
                stats.bytesBefore() == 0 ? 1 : (double) stats.bytesAfter() / stats.bytesBefore(),
                nanos / 1e9,
                stats.mapUtilization());
    }

    @Override
    public void cleaningFailed(TopicPartition partition) {
        cleaningFailures.increment();
    }

    @Override
    public void uncleanable(Path directory, int logs, long bytes) {
        uncleanable.put(directory, new Uncleanable(logs, bytes));
    }

    @Override
    public void collect(Samples into) {
        collectCleaner(into);
        into.add(Metrics.LOG_APPENDED, appended);
        into.add(Metrics.LOCK_CONTENDED, contended);
        into.add(Metrics.FLUSH_SECONDS, flushes);
        into.add(Metrics.SEGMENTS_ROLLED, rolled);
        into.add(Metrics.SEGMENTS_DELETED, deleted);
        into.add(Metrics.LOG_DELETED, deletedBytes);
        into.add(Metrics.HELD_BY_FUTURE, retention.heldByFuture());
        into.add(Metrics.DOOMED_BYTES, retention.doomedBytes());
        into.add(Metrics.RECOVERY_LOGS_LEFT, recovery.logsLeft());
        into.add(Metrics.RECOVERY_BYTES_LEFT, recovery.bytesLeft());
        into.add(Metrics.RECOVERIES, recoveries);
        into.add(Metrics.RECOVERED_BYTES, recoveredBytes);
        into.add(Metrics.CUT_BYTES, cutBytes);
        into.add(Metrics.INDEX_REBUILDS, indexes);
    }

    private void collectCleaner(Samples into) {
        into.add(Metrics.MAX_DIRTY_PERCENT, 100 * dirtiest);
        uncleanable.forEach((directory, logs) -> {
            into.add(Metrics.UNCLEANABLE, logs.logs(), directory.toString());
            into.add(Metrics.UNCLEANABLE_BYTES, logs.bytes(), directory.toString());
        });
        into.add(Metrics.RECOPY_PERCENT, 100 * last.recopied());
        into.add(Metrics.MAX_CLEAN_TIME, last.seconds());
        into.add(Metrics.KEYS_UTILIZATION, 100 * last.keys());
        into.add(Metrics.CLEANER_LOOKED, lookedSeconds);
        into.add(Metrics.CLEANINGS, cleanings);
        into.add(Metrics.CLEANING_FAILURES, cleaningFailures);
        into.add(Metrics.CLEANER_READ, cleanerRead);
        into.add(Metrics.CLEANER_WRITTEN, cleanerWritten);
    }
}
