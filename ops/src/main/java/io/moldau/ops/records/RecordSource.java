package io.moldau.ops.records;

import java.nio.ByteBuffer;

/// Where the records of one partition come from. Every method may take about a second, and throws
/// [SourceException] if there is no answer.
public interface RecordSource {

    /// How far it reaches.
    ///
    /// @param highWatermark the first offset that is not committed
    record Bounds(long logStartOffset, long highWatermark) {}

    Bounds bounds();

    /// The offset of the first record at or behind a time, -1 if there is none.
    long offsetAt(long timestampMs);

    /// Whole batches from the one that holds the offset on, perhaps with a torn one behind them; empty at the end.
    ByteBuffer read(long offset);
}
