package io.moldau.log.append;

import io.moldau.wire.record.BatchBuilder;
import io.moldau.wire.record.Compression;
import io.moldau.wire.record.DecompressionLimits;
import io.moldau.wire.record.RecordBatch;
import io.moldau.wire.record.RecordCursor;
import java.nio.ByteBuffer;

/// Builds a batch again with the codec its topic asks for (`compression.type`). Pure.
public final class Recompression {

    private Recompression() {}

    /// The batch with another codec; everything else in it stays as it is.
    public static ByteBuffer apply(RecordBatch batch, Compression codec, int level, DecompressionLimits limits) {
        var builder = BatchBuilder.like(batch).compression(codec, level);
        try (var cursor = new RecordCursor().open(batch, limits)) {
            while (cursor.next()) {
                builder.append(cursor.record());
            }
        }
        return builder.lastOffset(batch.lastOffset()).build();
    }
}
