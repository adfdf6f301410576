package io.moldau.log;

/// What a partition's log looked like at one moment; immutable, published by the log, read without a lock.
///
/// @param logStartOffset the first offset that can be read
/// @param logEndOffset the next offset to be written
/// @param recoveryPoint everything below it is known to survive a power cut
/// @param latestEpoch the leader epoch of the last batch, -1 if there is none
/// @param firstUnstableOffset the first offset of the earliest transaction that is open, or whose end the high
///     watermark has not passed; [Long#MAX_VALUE] if there is none
/// @param sizeInBytes of all segments
/// @param activeSegmentBaseOffset where the segment that is written to begins
public record LogView(
        long logStartOffset,
        long logEndOffset,
        long recoveryPoint,
        int latestEpoch,
        long firstUnstableOffset,
        long sizeInBytes,
        long activeSegmentBaseOffset) {

    /// A log that nothing was ever written to.
    public static final LogView EMPTY = new LogView(0, 0, 0, -1, Long.MAX_VALUE, 0, 0);

    /// What a consumer that wants only committed records may read up to, exclusive.
    public long lastStableOffset(long highWatermark) {
        return Math.min(firstUnstableOffset, highWatermark);
    }
}
