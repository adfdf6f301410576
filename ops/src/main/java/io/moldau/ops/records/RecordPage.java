package io.moldau.ops.records;

import java.util.List;
import org.jspecify.annotations.Nullable;

/// What a search found. A value, written as JSON as it is.
///
/// @param leader who has the partition
/// @param highWatermark the first offset that is not committed; nothing from there on is shown
/// @param startOffset where the search began; null if no record is as young as was asked for
/// @param nextOffset where another search would go on
/// @param previousOffset where the page before this one begins; null if there is none
/// @param stopped why it did not go on: `limit` records were found, the `end` was reached, or it had
///     looked at as much as one search may (`bound`)
/// @param scannedRecords how many were looked at
/// @param bounds how much one search may look at
public record RecordPage(
        String topic,
        int partition,
        int leader,
        long logStartOffset,
        long highWatermark,
        @Nullable Long startOffset,
        long nextOffset,
        @Nullable Long previousOffset,
        String stopped,
        int scannedRecords,
        Bounds bounds,
        List<Found> records) {

    /// Of one search.
    public record Bounds(int records, int bytes, int seconds) {}

    /// A record.
    ///
    /// @param kind `data`, `commit` or `abort` for the end of a transaction, `control` for other marks,
    ///     or `unreadable` for a batch that cannot be taken apart
    /// @param timestampMs null if it has none
    /// @param timestampType `CreateTime` or `LogAppendTime`
    /// @param producerId null if the producer has none
    /// @param compression of its batch
    /// @param batchOffset of the first record of its batch
    public record Found(
            long offset,
            String kind,
            @Nullable Long timestampMs,
            String timestampType,
            @Nullable Bytes key,
            @Nullable Bytes value,
            List<HeaderField> headers,
            boolean transactional,
            @Nullable Long producerId,
            int leaderEpoch,
            String compression,
            long batchOffset) {}

    /// A header.
    public record HeaderField(String name, @Nullable Bytes value) {}
}
