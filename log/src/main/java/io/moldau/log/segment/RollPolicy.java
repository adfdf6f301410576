package io.moldau.log.segment;

/// When the active segment is full. Pure.
///
/// @param maxBytes a segment may not grow beyond this
/// @param maxAgeMs nor may its first batch be older than this, the jitter already taken off
/// @param maxIndexBytes nor may an index grow beyond this
public record RollPolicy(int maxBytes, long maxAgeMs, int maxIndexBytes) {

    private static final int OFFSET_ENTRY = 8;
    private static final int TIME_ENTRY = 12;

    /// Whether a new segment must begin before these batches are appended.
    ///
    /// @param timestamp the greatest of the batches
    /// @param lastOffset the last offset they will have
    public boolean mustRoll(LogSegment active, int batchesSize, long timestamp, long lastOffset, long nowMs) {
        int size = active.sizeInBytes();
        if (size == 0) {
            return !active.canHold(lastOffset);
        }
        if (size > maxBytes - batchesSize || !active.canHold(lastOffset)) {
            return true;
        }
        // With timestamps a segment spans a time of the data, without them a time of the clock.
        long first = active.firstBatchTimestamp();
        long age = first >= 0 && timestamp >= 0 ? timestamp - first : nowMs - active.createdMs();
        return age > maxAgeMs || indexIsFull(active);
    }

    private boolean indexIsFull(LogSegment active) {
        return active.offsetIndexSizeInBytes() > maxIndexBytes - OFFSET_ENTRY
                || active.timeIndexSizeInBytes() > maxIndexBytes - TIME_ENTRY;
    }
}
