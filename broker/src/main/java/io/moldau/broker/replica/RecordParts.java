package io.moldau.broker.replica;

import io.moldau.wire.protocol.RecordBytes;
import java.util.List;

/// Consecutive record batches that lie in several places, to be sent one behind the other.
public record RecordParts(List<RecordBytes> parts, int sizeInBytes) implements RecordBytes {

    /// Nothing at all.
    public static final RecordParts EMPTY = new RecordParts(List.of(), 0);
}
