package io.moldau.broker.coordinator.runtime;

import io.moldau.common.Errors;
import io.moldau.common.TopicPartition;
import io.moldau.log.producer.TransactionTerms;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/// The partitions of internal topics as their coordinators need them: written as their leader, read from the start.
///
/// Callable from any thread. Callbacks come on any thread, also on the caller's before the call returns; they must not
/// block.
public interface CoordinatorLog {

    /// What there is to load.
    ///
    /// @param logStartOffset the first offset
    /// @param logEndOffset one after the last
    record Range(long logStartOffset, long logEndOffset) {}

    /// How an append ended. Exactly one method is called, once.
    interface AppendListener {

        /// @param lastOffset of the batch
        /// @param highWatermark at that moment: if it is above `lastOffset`, the batch is committed already
        void appended(long lastOffset, long highWatermark);

        /// Nothing of the batch is in the log.
        void rejected(Errors error, String message);
    }

    /// @return null unless this node leads the partition in this epoch
    @Nullable
    Range range(TopicPartition partition, int leaderEpoch);

    /// Reads whole batches from the one that holds `offset`, at most about `maxBytes` but at least one. Blocks for the
    /// disk.
    ///
    /// @return a buffer that belongs to the caller, empty at the end of the log
    /// @throws io.moldau.common.ApiException if the partition is not led here any more
    ByteBuffer read(TopicPartition partition, int leaderEpoch, long offset, int maxBytes);

    /// Appends one batch if this node still leads the partition in this epoch. Appends of one caller keep their order.
    ///
    /// @param batch belongs to the log from here on
    void append(TopicPartition partition, int leaderEpoch, ByteBuffer batch, AppendListener listener);

    /// [#append(TopicPartition, int, ByteBuffer, AppendListener)] for a batch that belongs to a transaction, or ends
    /// one.
    default void append(
            TopicPartition partition,
            int leaderEpoch,
            ByteBuffer batch,
            TransactionTerms transaction,
            AppendListener listener) {
        append(partition, leaderEpoch, batch, listener);
    }

    /// Runs the callback once the high watermark is at or above the offset; never, if this node stops leading the
    /// partition in this epoch before.
    void whenCommitted(TopicPartition partition, int leaderEpoch, long offset, Runnable callback);
}
