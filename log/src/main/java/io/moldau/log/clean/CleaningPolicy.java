package io.moldau.log.clean;

import java.io.IOException;
import java.util.List;

/// Which part of a log may be compacted, and whether it is time. Pure.
///
/// @param minDirtyRatio `min.cleanable.dirty.ratio`: more than this share of what would be read must be new
/// @param minLagMs `min.compaction.lag.ms`: younger records stay as they are
/// @param maxLagMs `max.compaction.lag.ms`: older ones are due whatever the ratio
public record CleaningPolicy(double minDirtyRatio, long minLagMs, long maxLagMs) {

    /// A segment as this policy sees it.
    public interface Segment {

        long baseOffset();

        long sizeInBytes();

        /// The greatest timestamp.
        long newestMs() throws IOException;

        /// The timestamp of the first batch, -1 if it has none.
        long firstMs() throws IOException;
    }

    /// What a look at a log says.
    ///
    /// @param firstDirty where the part begins that no compaction has seen
    /// @param upTo where compaction has to end: at the beginning of a segment
    /// @param cleanBytes before `firstDirty`
    /// @param dirtyBytes between the two
    /// @param due whether it is time
    public record Verdict(long firstDirty, long upTo, long cleanBytes, long dirtyBytes, boolean due) {

        public double dirtyRatio() {
            return dirtyBytes == 0 ? 0 : (double) dirtyBytes / (cleanBytes + dirtyBytes);
        }
    }

    /// @param segments all of the log, the active one last
    /// @param cleanedUpTo where the last compaction ended, -1 if there was none
    /// @param lastStableOffset what lies behind it may still be aborted or cut
    public Verdict look(
            List<? extends Segment> segments,
            long cleanedUpTo,
            long logStartOffset,
            long logEndOffset,
            long lastStableOffset,
            long nowMs)
            throws IOException {
        // An offset outside of the log is one of another log.
        long firstDirty = cleanedUpTo < logStartOffset || cleanedUpTo > logEndOffset ? logStartOffset : cleanedUpTo;
        int first = segmentOf(segments, firstDirty);
        int active = segments.size() - 1;
        long clean = 0;
        for (int i = 0; i < Math.min(first, active); i++) {
            clean += segments.get(i).sizeInBytes();
        }
        long dirty = 0;
        int end = Math.min(first, active);
        while (end < active
                && segments.get(end + 1).baseOffset() <= lastStableOffset
                && !isTooYoung(segments.get(end), nowMs)) {
            dirty += segments.get(end).sizeInBytes();
            end++;
        }
        long upTo = Math.max(firstDirty, segments.get(end).baseOffset());
        if (upTo == firstDirty) {
            return new Verdict(firstDirty, upTo, clean, 0, false);
        }
        var verdict = new Verdict(firstDirty, upTo, clean, dirty, false);
        boolean due = dirty > 0
                && (verdict.dirtyRatio() > minDirtyRatio || isOverdue(segments.subList(first, active), nowMs));
        return new Verdict(firstDirty, upTo, clean, dirty, due);
    }

    /// The index of the last segment that begins at or before the offset.
    private static int segmentOf(List<? extends Segment> segments, long offset) {
        int at = 0;
        while (at + 1 < segments.size() && segments.get(at + 1).baseOffset() <= offset) {
            at++;
        }
        return at;
    }

    private boolean isTooYoung(Segment segment, long nowMs) throws IOException {
        return minLagMs > 0 && segment.newestMs() > nowMs - minLagMs;
    }

    private boolean isOverdue(List<? extends Segment> dirty, long nowMs) throws IOException {
        if (maxLagMs == Long.MAX_VALUE) {
            return false;
        }
        for (var segment : dirty) {
            long firstMs = segment.firstMs();
            if (firstMs > 0 && firstMs < nowMs - maxLagMs) {
                return true;
            }
        }
        return false;
    }
}
