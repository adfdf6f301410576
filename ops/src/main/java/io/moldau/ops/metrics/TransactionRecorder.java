package io.moldau.ops.metrics;

import io.moldau.broker.coordinator.transaction.TransactionMetrics;
import java.util.concurrent.atomic.LongAdder;

/// Counts what happens to the transactions this node coordinates.
final class TransactionRecorder implements TransactionMetrics, MetricSource {

    private final LongAdder initialized = new LongAdder();
    private final LongAdder committed = new LongAdder();
    private final LongAdder aborted = new LongAdder();
    private final LongAdder timedOut = new LongAdder();
    private final LongAdder takenOver = new LongAdder();
    private final LongAdder expired = new LongAdder();
    private final LongAdder retried = new LongAdder();
    private final Histogram completions = new Histogram();

    @Override
    public void producerInitialized() {
        initialized.increment();
    }

    @Override
    public void ended(boolean commit) {
        (commit ? committed : aborted).increment();
    }

    @Override
    public void timedOut() {
        timedOut.increment();
    }

    @Override
    public void takenOver() {
        takenOver.increment();
    }

    @Override
    public void completed(long nanos) {
        completions.record(nanos);
    }

    @Override
    public void expired() {
        expired.increment();
    }

    @Override
    public void markersRetried(int partitions) {
        retried.add(partitions);
    }

    @Override
    public void collect(Samples into) {
        into.add(Metrics.PRODUCERS_INITIALIZED, initialized);
        into.add(Metrics.TRANSACTIONS_ENDED, committed, "commit");
        into.add(Metrics.TRANSACTIONS_ENDED, aborted, "abort");
        into.add(Metrics.TRANSACTIONS_TIMED_OUT, timedOut);
        into.add(Metrics.TRANSACTIONS_TAKEN_OVER, takenOver);
        into.add(Metrics.TRANSACTIONAL_IDS_EXPIRED, expired);
        into.add(Metrics.MARKERS_RETRIED, retried);
        into.add(Metrics.TRANSACTION_COMPLETION_SECONDS, completions);
    }
}
