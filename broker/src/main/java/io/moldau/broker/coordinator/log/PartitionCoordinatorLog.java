package io.moldau.broker.coordinator.log;

import io.moldau.broker.coordinator.runtime.CoordinatorLog;
import io.moldau.broker.replica.AppendTerms;
import io.moldau.broker.replica.HostedPartition;
import io.moldau.broker.replica.Partition;
import io.moldau.broker.replica.PartitionRegistry;
import io.moldau.common.ApiException;
import io.moldau.common.Errors;
import io.moldau.common.TopicPartition;
import io.moldau.log.AppendOutcome;
import io.moldau.log.LogSlice;
import io.moldau.log.ReadOutcome;
import io.moldau.log.append.AppendOrigin;
import io.moldau.log.producer.TransactionTerms;
import io.moldau.wire.protocol.HeapRecords;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/// [CoordinatorLog] over the replicas of this node. Thread-safe.
public final class PartitionCoordinatorLog implements CoordinatorLog {

    private final PartitionRegistry partitions;

    public PartitionCoordinatorLog(PartitionRegistry partitions) {
        this.partitions = partitions;
    }

    @Override
    public @Nullable Range range(TopicPartition id, int leaderEpoch) {
        var partition = led(id, leaderEpoch);
        return partition == null ? null : new Range(partition.logStartOffset(), partition.logEndOffset());
    }

    private @Nullable Partition led(TopicPartition id, int leaderEpoch) {
        return partitions.get(id) instanceof HostedPartition.Online(Partition partition)
                        && partition.isLeader()
                        && partition.leaderEpoch() == leaderEpoch
                ? partition
                : null;
    }

    @Override
    public ByteBuffer read(TopicPartition id, int leaderEpoch, long offset, int maxBytes) {
        var partition = led(id, leaderEpoch);
        if (partition == null) {
            throw new ApiException(
                    Errors.NOT_LEADER_OR_FOLLOWER, "this broker does not lead " + id + " in epoch " + leaderEpoch);
        }
        return switch (partition.log().read(offset, maxBytes, Long.MAX_VALUE, true)) {
            case ReadOutcome.Slice(LogSlice slice) -> copy(slice);
            case ReadOutcome.OutOfRange(long start, long end) ->
                throw new ApiException(
                        Errors.OFFSET_OUT_OF_RANGE,
                        "offset " + offset + " of " + id + " is outside its log from " + start + " to " + end);
        };
    }

    private static ByteBuffer copy(LogSlice slice) {
        try {
            var bytes = ByteBuffer.allocate(slice.sizeInBytes());
            slice.read(bytes);
            return bytes.flip();
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        } finally {
            slice.release();
        }
    }

    @Override
    public void append(TopicPartition id, int leaderEpoch, ByteBuffer batch, AppendListener listener) {
        append(id, leaderEpoch, batch, TransactionTerms.NONE, listener);
    }

    @Override
    public void append(
            TopicPartition id,
            int leaderEpoch,
            ByteBuffer batch,
            TransactionTerms transaction,
            AppendListener listener) {
        if (!(partitions.get(id) instanceof HostedPartition.Online(Partition partition))) {
            listener.rejected(Errors.NOT_LEADER_OR_FOLLOWER, "this broker has no replica of " + id);
            return;
        }
        // As with acks=all: what too few replicas would have is not worth starting.
        var terms = new AppendTerms(AppendOrigin.COORDINATOR, leaderEpoch, true, transaction);
        partition.appendAsLeader(HeapRecords.of(batch), terms, outcome -> {
            switch (outcome) {
                case AppendOutcome.Appended appended ->
                    listener.appended(appended.lastOffset(), partition.highWatermark());
                case AppendOutcome.Duplicate duplicate ->
                    listener.appended(duplicate.lastOffset(), partition.highWatermark());
                case AppendOutcome.Unverified unverified ->
                    listener.rejected(Errors.INVALID_TXN_STATE, "its transaction was not verified");
                case AppendOutcome.Rejected rejected -> listener.rejected(rejected.error(), rejected.message());
            }
        });
    }

    @Override
    public void whenCommitted(TopicPartition id, int leaderEpoch, long offset, Runnable callback) {
        var partition = led(id, leaderEpoch);
        if (partition != null) {
            partition.whenHighWatermarkReaches(offset, outcome -> {
                if (outcome == Errors.NONE) {
                    callback.run();
                }
            });
        }
    }
}
