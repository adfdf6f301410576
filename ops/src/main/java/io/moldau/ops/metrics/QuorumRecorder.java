package io.moldau.ops.metrics;

import io.moldau.metadata.controller.ControllerMetrics;
import io.moldau.metadata.quorum.QuorumMetrics;
import java.util.Map;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.atomic.LongAdder;

/// Counts what happens in this node's member of the quorum and in its controller.
final class QuorumRecorder implements QuorumMetrics, ControllerMetrics, MetricSource {

    private final LongAdder leaderChanges = new LongAdder();
    private final Histogram commits = new Histogram();
    private final LongAdder committedBytes = new LongAdder();
    private final LongAdder fenced = new LongAdder();
    private final LongAdder mismatches = new LongAdder();
    private final LongAdder resets = new LongAdder();
    private final LongAdder snapshots = new LongAdder();

    private final LongAdder activations = new LongAdder();
    private final Map<String, LongAdder> operations = new ConcurrentSkipListMap<>();
    private final Histogram operationTimes = new Histogram();
    private final LongAdder batches = new LongAdder();
    private final LongAdder records = new LongAdder();
    private final LongAdder overloaded = new LongAdder();
    private final LongAdder brokersFenced = new LongAdder();

    @Override
    public void committed(int bytes, long nanos) {
        commits.record(nanos);
        committedBytes.add(bytes);
    }

    @Override
    public void fenced() {
        fenced.increment();
    }

    @Override
    public void epochMismatch() {
        mismatches.increment();
    }

    @Override
    public void leaderChanged(int leaderId, int epoch) {
        leaderChanges.increment();
    }

    @Override
    public void snapshotWritten(long bytes, long nanos) {
        snapshots.increment();
    }

    @Override
    public void channelsReset() {
        resets.increment();
    }

    @Override
    public void activated(int epoch) {
        activations.increment();
    }

    @Override
    public void batchCommitted(int operationCount, int recordCount, long nanos) {
        batches.increment();
        records.add(recordCount);
    }

    /// As many names as there are kinds of operations.
    @Override
    public void operationDone(String name, long nanos) {
        operations.computeIfAbsent(name, key -> new LongAdder()).increment();
        operationTimes.record(nanos);
    }

    @Override
    public void overloaded() {
        overloaded.increment();
    }

    @Override
    public void brokerFenced(int brokerId) {
        brokersFenced.increment();
    }

    @Override
    public void collect(Samples into) {
        into.add(Metrics.QUORUM_LEADER_CHANGES, leaderChanges);
        into.add(Metrics.COMMIT_SECONDS, commits);
        into.add(Metrics.COMMITTED_BYTES, committedBytes);
        into.add(Metrics.FENCED_BATCHES, fenced);
        into.add(Metrics.EPOCH_MISMATCHES, mismatches);
        into.add(Metrics.CHANNEL_RESETS, resets);
        into.add(Metrics.SNAPSHOTS, snapshots);
        into.add(Metrics.CONTROLLER_ACTIVATIONS, activations);
        operations.forEach((name, count) -> into.add(Metrics.CONTROLLER_OPERATIONS, count, name));
        into.add(Metrics.CONTROLLER_SECONDS, operationTimes);
        into.add(Metrics.CONTROLLER_BATCHES, batches);
        into.add(Metrics.CONTROLLER_RECORDS, records);
        into.add(Metrics.CONTROLLER_OVERLOADED, overloaded);
        into.add(Metrics.CONTROLLER_FENCED, brokersFenced);
    }
}
