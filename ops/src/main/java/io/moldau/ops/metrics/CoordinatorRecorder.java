package io.moldau.ops.metrics;

import io.moldau.broker.coordinator.group.Group;
import io.moldau.broker.coordinator.group.GroupEvents;
import io.moldau.broker.coordinator.runtime.CoordinatorMetrics;
import io.moldau.common.Errors;
import io.moldau.common.TopicPartition;
import java.util.Map;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.atomic.LongAdder;

/// Counts what happens in the coordinators' shards, those of groups and of transactions.
final class CoordinatorRecorder implements CoordinatorMetrics, GroupEvents, MetricSource {

    private final LongAdder loaded = new LongAdder();
    private final LongAdder loadedRecords = new LongAdder();
    private final Histogram loads = new Histogram();
    private final LongAdder failed = new LongAdder();
    private final LongAdder unloaded = new LongAdder();
    private final LongAdder batches = new LongAdder();
    private final LongAdder records = new LongAdder();
    private final Map<Errors, LongAdder> failures = new ConcurrentSkipListMap<>();
    private final Histogram commits = new Histogram();
    private final LongAdder consumerRebalances = new LongAdder();
    private final LongAdder classicRebalances = new LongAdder();

    @Override
    public void shardLoaded(TopicPartition partition, long recordCount, long nanos) {
        loaded.increment();
        loadedRecords.add(recordCount);
        loads.record(nanos);
    }

    @Override
    public void shardFailedToLoad(TopicPartition partition) {
        failed.increment();
    }

    @Override
    public void shardUnloaded(TopicPartition partition) {
        unloaded.increment();
    }

    @Override
    public void batchAppended(TopicPartition partition, int recordCount, int bytes) {
        batches.increment();
        records.add(recordCount);
    }

    @Override
    public void batchFailed(TopicPartition partition, Errors error, int operations) {
        failures.computeIfAbsent(error, key -> new LongAdder()).add(operations);
    }

    @Override
    public void batchCommitted(TopicPartition partition, long nanos) {
        commits.record(nanos);
    }

    @Override
    public void rebalance(Group.Type type) {
        switch (type) {
            case CONSUMER -> consumerRebalances.increment();
            case CLASSIC -> classicRebalances.increment();
        }
    }

    @Override
    public void collect(Samples into) {
        into.add(Metrics.SHARDS_LOADED, loaded);
        into.add(Metrics.SHARD_RECORDS, loadedRecords);
        into.add(Metrics.SHARD_LOAD_SECONDS, loads);
        into.add(Metrics.SHARDS_FAILED, failed);
        into.add(Metrics.SHARDS_UNLOADED, unloaded);
        into.add(Metrics.COORDINATOR_BATCHES, batches);
        into.add(Metrics.COORDINATOR_RECORDS, records);
        failures.forEach((error, count) -> into.add(Metrics.COORDINATOR_FAILURES, count, error.name()));
        into.add(Metrics.COORDINATOR_COMMIT_SECONDS, commits);
        into.add(Metrics.CONSUMER_GROUP_REBALANCES, consumerRebalances);
        into.add(Metrics.CLASSIC_GROUP_REBALANCES, classicRebalances);
    }
}
