package io.moldau.broker.coordinator.runtime;

import io.moldau.common.Errors;
import io.moldau.common.TopicPartition;

/// Events of coordinator shards, for whoever counts them. Called inside shards: implementations must be quick and
/// thread-safe.
public interface CoordinatorMetrics {

    /// Counts nothing.
    CoordinatorMetrics NONE = new CoordinatorMetrics() {};

    default void shardLoaded(TopicPartition partition, long records, long nanos) {}

    default void shardFailedToLoad(TopicPartition partition) {}

    default void shardUnloaded(TopicPartition partition) {}

    /// One batch is in the log.
    default void batchAppended(TopicPartition partition, int records, int bytes) {}

    /// One batch, and the `operations` that wait for it, failed.
    default void batchFailed(TopicPartition partition, Errors error, int operations) {}

    /// From when an operation with records was planned until they were committed.
    default void batchCommitted(TopicPartition partition, long nanos) {}
}
