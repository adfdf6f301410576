package io.moldau.ops.records;

import io.moldau.broker.replica.Partition;
import io.moldau.common.ApiException;
import io.moldau.log.LogSlice;
import io.moldau.log.LogView;
import io.moldau.log.ReadOutcome;
import io.moldau.log.TimestampAndOffset;
import io.moldau.log.storage.StorageException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Optional;
import java.util.function.Supplier;

/// The records of a partition of this node, read from its files beside the path of its clients.
public final class LocalSource implements RecordSource {

    private static final int CHUNK_BYTES = 1 << 20;

    private final Partition partition;

    public LocalSource(Partition partition) {
        this.partition = partition;
    }

    @Override
    public Bounds bounds() {
        // In this order, so that the view is not the older of the two.
        long highWatermark = partition.highWatermark();
        LogView view = partition.log().view();
        return new Bounds(view.logStartOffset(), Math.max(view.logStartOffset(), highWatermark));
    }

    @Override
    public long offsetAt(long timestampMs) {
        Optional<TimestampAndOffset> found = sound(
                () -> Optional.ofNullable(partition.log().offsetForTimestamp(timestampMs, partition.highWatermark())));
        return found.map(TimestampAndOffset::offset).orElse(-1L);
    }

    @Override
    public ByteBuffer read(long offset) {
        return switch (sound(() -> partition.log().read(offset, CHUNK_BYTES, partition.highWatermark(), true))) {
            case ReadOutcome.Slice(LogSlice slice) -> copied(slice);
            case ReadOutcome.OutOfRange ignored ->
                throw new SourceException(
                        "offset " + offset + " of " + partition.topicPartition() + " has just been" + " deleted");
        };
    }

    private ByteBuffer copied(LogSlice slice) {
        try {
            var bytes = ByteBuffer.allocate(slice.sizeInBytes());
            slice.read(bytes);
            return bytes.flip();
        } catch (IOException e) {
            throw unreadable(e);
        } finally {
            slice.release();
        }
    }

    private <T> T sound(Supplier<T> reading) {
        try {
            return reading.get();
        } catch (StorageException | ApiException e) {
            throw unreadable(e);
        }
    }

    /// Whoever serves the partition finds the same and takes it offline.
    private SourceException unreadable(Exception cause) {
        return new SourceException(
                "the log of " + partition.topicPartition() + " cannot be read: " + cause.getMessage());
    }
}
