package io.moldau.wire.record;

import java.nio.ByteBuffer;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// One record of a batch. The buffers are not copies where the batch was not compressed: they live as long as its
/// buffer does.
///
/// @param timestamp milliseconds since the epoch, -1 for none; the broker's with [TimestampType#LOG_APPEND_TIME]
/// @param sequence of an idempotent producer, else [RecordBatch#NO_SEQUENCE]
// Kafka's word; nobody needs java.lang.Record by its simple name.
@SuppressWarnings("AvoidCommonTypeNames")
public record Record(
        long offset,
        long timestamp,
        int sequence,
        @Nullable ByteBuffer key,
        @Nullable ByteBuffer value,
        List<Header> headers) {

    public boolean hasKey() {
        return key != null;
    }

    /// Whether it deletes its key from a compacted topic.
    public boolean isTombstone() {
        return value == null;
    }
}
