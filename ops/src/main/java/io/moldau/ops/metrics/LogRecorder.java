package io.moldau.ops.metrics;

import io.moldau.common.TopicPartition;
import io.moldau.log.LogMetrics;
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
    public void indexRebuilt(TopicPartition partition) {
        indexes.increment();
    }

    @Override
    public void collect(Samples into) {
        into.add(Metrics.LOG_APPENDED, appended);
        into.add(Metrics.LOCK_CONTENDED, contended);
        into.add(Metrics.FLUSH_SECONDS, flushes);
        into.add(Metrics.SEGMENTS_ROLLED, rolled);
        into.add(Metrics.SEGMENTS_DELETED, deleted);
        into.add(Metrics.LOG_DELETED, deletedBytes);
        into.add(Metrics.RECOVERIES, recoveries);
        into.add(Metrics.RECOVERED_BYTES, recoveredBytes);
        into.add(Metrics.CUT_BYTES, cutBytes);
        into.add(Metrics.INDEX_REBUILDS, indexes);
    }
}
