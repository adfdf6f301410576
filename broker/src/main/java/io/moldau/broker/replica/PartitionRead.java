package io.moldau.broker.replica;

import io.moldau.common.Errors;
import io.moldau.log.AbortedTransaction;
import io.moldau.wire.protocol.RecordBytes;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// What a fetch of one partition found.
public sealed interface PartitionRead {

    /// Batches, or none. Their references belong to whoever gets this.
    ///
    /// @param upToOffset where the reader had to stop, exclusive, had it taken everything
    /// @param aborted the aborted transactions among them; null unless the fetch asked for committed records only
    record Data(
            long highWatermark,
            long lastStableOffset,
            long logStartOffset,
            long upToOffset,
            RecordBytes records,
            @Nullable List<AbortedTransaction> aborted)
            implements PartitionRead {}

    /// The offset is not in the log.
    record OutOfRange(long logStartOffset, long logEndOffset) implements PartitionRead {}

    /// The follower's log parts from ours: the last epoch it has ended here at that offset.
    record Diverging(int epoch, long endOffset, long highWatermark, long logStartOffset) implements PartitionRead {}

    /// Nothing from here: the reader is nearer to another replica (KIP-392).
    record Elsewhere(int replicaId, long highWatermark, long lastStableOffset, long logStartOffset)
            implements PartitionRead {}

    /// @param leaderId where to go instead, -1 if unknown
    record Failed(Errors error, int leaderId, int leaderEpoch) implements PartitionRead {}
}
