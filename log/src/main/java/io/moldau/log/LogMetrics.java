package io.moldau.log;

import io.moldau.common.TopicPartition;
import java.nio.file.Path;

/// Events a node may count. Called on the thread where they happen; implementations must be quick and never
/// throw.
public interface LogMetrics {

    /// Counts nothing.
    LogMetrics NONE = new LogMetrics() {};

    /// Batches were written.
    default void appended(int bytes) {}

    /// A thread had to wait for a partition's append lock. In a node that means two threads wrote one partition.
    default void appendLockContended(TopicPartition partition) {}

    /// Files were forced to the disk.
    default void flushed(long nanos) {}

    default void segmentRolled(TopicPartition partition) {}

    /// A segment was removed by retention or by DeleteRecords.
    default void segmentDeleted(TopicPartition partition, long bytes) {}

    /// A log that may have been torn was checked.
    default void recovered(TopicPartition partition, long bytesScanned, long bytesCut) {}

    /// An index was missing or wrong and was built again from its data file.
    default void indexRebuilt(TopicPartition partition) {}

    default void directoryOffline(Path directory) {}
}
