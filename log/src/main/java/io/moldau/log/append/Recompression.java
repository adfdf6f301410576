package io.moldau.log.append;

import io.moldau.wire.record.BatchBuilder;
import io.moldau.wire.record.Compression;
import io.moldau.wire.record.DecompressionLimits;
import io.moldau.wire.record.RecordBatch;
import io.moldau.wire.record.RecordCursor;
import io.moldau.wire.record.TimestampType;
import java.nio.ByteBuffer;

/// Builds a batch again with the codec its topic asks for (`compression.type`). Pure.
public final class Recompression {

    private Recompression() {}

    /// The batch with another codec; everything else in it stays as it is.
    public static ByteBuffer apply(RecordBatch batch, Compression codec, int level, DecompressionLimits limits) {
        var builder = new BatchBuilder()
                .compression(codec, level)
                .baseOffset(batch.baseOffset())
                .partitionLeaderEpoch(batch.partitionLeaderEpoch())
                .producer(batch.producerId(), batch.producerEpoch(), batch.baseSequence())
                .transactional(batch.isTransactional())
                .control(batch.isControl());
        if (batch.timestampType() == TimestampType.LOG_APPEND_TIME) {
            builder.logAppendTime(batch.maxTimestamp());
        }
        try (var cursor = new RecordCursor().open(batch, limits)) {
            while (cursor.next()) {
                builder.append(cursor.record());
            }
        }
        return builder.lastOffset(batch.lastOffset()).build();
    }
}
