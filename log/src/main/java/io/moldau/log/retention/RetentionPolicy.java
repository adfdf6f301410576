package io.moldau.log.retention;

import java.util.List;

/// How many of a log's oldest segments are no longer wanted. Pure.
///
/// @param retentionMs how old a segment's newest record may be, -1 for any age
/// @param retentionBytes how large the log may be, -1 for any size
/// @param delete whether age and size count at all (`cleanup.policy` has `delete`)
public record RetentionPolicy(long retentionMs, long retentionBytes, boolean delete) {

    /// A segment as retention sees it.
    public interface Segment {

        /// Where the next segment begins, or the log ends.
        long endOffset();

        int sizeInBytes();

        /// The greatest timestamp. Only asked for where it matters, for it may have to be read from the disk.
        long newestMs();
    }

    /// @param segments from the oldest to the active one
    /// @param logStartOffset what DeleteRecords left of the log
    /// @param highWatermark nothing at or behind it may go
    /// @return how many segments from the oldest on may be deleted; the active one among them means that it must
    ///     be rolled first
    public int deletable(List<Segment> segments, long logStartOffset, long highWatermark, long nowMs) {
        long total = 0;
        for (var segment : segments) {
            total += segment.sizeInBytes();
        }
        long excess = retentionBytes < 0 ? 0 : total - retentionBytes;
        int count = 0;
        for (var segment : segments) {
            boolean active = count == segments.size() - 1;
            if (segment.endOffset() > highWatermark || (active && segment.sizeInBytes() == 0)) {
                break;
            }
            boolean old = delete && retentionMs >= 0 && nowMs - segment.newestMs() > retentionMs;
            boolean beyondSize = delete && excess >= segment.sizeInBytes() && excess > 0;
            boolean beforeStart = !active && segment.endOffset() <= logStartOffset;
            if (!old && !beyondSize && !beforeStart) {
                break;
            }
            excess -= segment.sizeInBytes();
            count++;
        }
        return count;
    }
}
