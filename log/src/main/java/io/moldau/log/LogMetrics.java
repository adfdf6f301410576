package io.moldau.log;

import io.moldau.common.TopicPartition;
import io.moldau.log.clean.CleaningStats;
import io.moldau.log.scrub.Damage;
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

    /// So many logs have to be checked still before they can be used, and about so many bytes of
    /// them read.
    default void recovering(int logsLeft, long bytesLeft) {}

    /// Retention has looked at all logs.
    ///
    /// @param heldByFuture in how many logs records from the future keep segments that are old
    ///     otherwise
    /// @param doomedBytes how much the logs have let go of whose files are still there
    default void retentionLooked(int heldByFuture, long doomedBytes) {}

    /// An index was missing or wrong and was built again from its data file.
    default void indexRebuilt(TopicPartition partition) {}

    /// Bytes of a log's file are not what was written, and readers do not get them until they are mended.
    default void damaged(TopicPartition partition, Damage damage) {}

    default void directoryOffline(Path directory) {}

    /// The cleaner looked for a log to compact.
    ///
    /// @param dirtiest the largest share of a compacted log that could be cleaned and is not, between 0 and 1
    default void cleanerLooked(double dirtiest, long nowMs) {}

    /// A log was compacted.
    default void cleaned(TopicPartition partition, CleaningStats stats, long nanos) {}

    /// A log could not be compacted.
    default void cleaningFailed(TopicPartition partition) {}

    /// How many logs of a directory, of how many bytes, cannot be compacted now.
    default void uncleanable(Path directory, int logs, long bytes) {}
}
