package io.moldau.log.retention;

import java.io.IOException;
import java.util.List;

/// How many of a log's oldest segments are no longer wanted. Pure.
///
/// A segment is as old as its newest record says. One whose newest record is further ahead of the
/// clock than the topic lets records be (`message.timestamp.after.max.ms`) got there by a wrong
/// clock or another setting, and Kafka would keep it, and all behind it, until that time has come.
/// Such a segment is as old as its file. Where the topic allows such times they count, and the
/// [Verdict] says what is held up by them.
///
/// @param retentionMs how old a segment's newest record may be, -1 for any age
/// @param retentionBytes how large the log may be, -1 for any size
/// @param delete whether age and size count at all (`cleanup.policy` has `delete`)
/// @param allowedAheadMs how far ahead of the clock a timestamp is believed
public record RetentionPolicy(long retentionMs, long retentionBytes, boolean delete, long allowedAheadMs) {

    /// A segment as retention sees it. Times are only asked for where they matter, for they may
    /// have to be read from the disk.
    public interface Segment {

        /// Where the next segment begins, or the log ends.
        long endOffset();

        int sizeInBytes();

        /// The greatest timestamp, -1 if no record has one.
        long newestMs() throws IOException;

        /// When the file was written to last.
        long modifiedMs() throws IOException;
    }

    /// @param deletable how many segments from the oldest on may be deleted; the active one among
    ///     them means that it must be rolled first
    /// @param ahead which segment, counted from the oldest one, has records from the future that
    ///     keep it and everything behind it; -1 if none has
    public record Verdict(int deletable, int ahead) {}

    /// @param segments from the oldest to the active one
    /// @param logStartOffset what DeleteRecords left of the log
    /// @param highWatermark nothing at or behind it may go
    public Verdict judge(List<? extends Segment> segments, long logStartOffset, long highWatermark, long nowMs)
            throws IOException {
        long total = 0;
        for (var segment : segments) {
            total += segment.sizeInBytes();
        }
        boolean byAge = delete && retentionMs >= 0;
        long excess = delete && retentionBytes >= 0 ? total - retentionBytes : 0;
        for (int i = 0; i < segments.size(); i++) {
            var segment = segments.get(i);
            boolean active = i == segments.size() - 1;
            if (segment.endOffset() > highWatermark || (active && segment.sizeInBytes() == 0)) {
                return new Verdict(i, -1);
            }
            boolean beyondSize = excess > 0 && excess >= segment.sizeInBytes();
            boolean beforeStart = !active && segment.endOffset() <= logStartOffset;
            if (!beyondSize && !beforeStart && !(byAge && isOld(segment, nowMs))) {
                boolean held = byAge && segment.newestMs() > nowMs && isOlder(segment.modifiedMs(), nowMs);
                return new Verdict(i, held ? i : -1);
            }
            excess -= segment.sizeInBytes();
        }
        return new Verdict(segments.size(), -1);
    }

    private boolean isOld(Segment segment, long nowMs) throws IOException {
        long newest = segment.newestMs();
        boolean believed = newest >= 0 && newest - nowMs <= allowedAheadMs;
        return isOlder(believed ? newest : segment.modifiedMs(), nowMs);
    }

    private boolean isOlder(long timeMs, long nowMs) {
        return nowMs - timeMs > retentionMs;
    }
}
