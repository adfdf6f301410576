package io.moldau.log.recovery;

import io.moldau.log.LogView;
import io.moldau.log.epoch.LeaderEpochHistory;
import io.moldau.log.segment.LogSegment;
import io.moldau.log.segment.TransactionIndex;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;

/// What the files of a log must add up to that carry no checksum of their own, or not one that says
/// whose they are. Remembered apart from them.
///
/// @param epochs of the history from the log's start to its end
/// @param logStartOffset the log's start then; segments before the one that holds it do not count,
///     since they may be deleted at any time
/// @param aborted the sum over all aborted transactions, see [TransactionIndex#digest]
/// @param sealed the sum over the segments that are not written to any more, by base offset and
///     size; [#SEALED_UNKNOWN] if one of them may have changed
/// @param activeBaseOffset where the segment that is written to begins
/// @param lastBatchPosition where the last batch begins in it, -1 if it is empty
/// @param lastBatchCrc the checksum in that batch's header
public record LogDigest(
        long epochs,
        long logStartOffset,
        long aborted,
        long sealed,
        long activeBaseOffset,
        int lastBatchPosition,
        int lastBatchCrc) {

    static final long SEALED_UNKNOWN = Long.MIN_VALUE;

    /// @param segments the last one is written to
    public static LogDigest of(List<LogSegment> segments, LeaderEpochHistory history, LogView view, ByteBuffer scratch)
            throws IOException {
        var epochs = of(history.truncateFromEnd(view.logEndOffset()).truncateFromStart(view.logStartOffset()));
        if (segments.isEmpty()) {
            return new LogDigest(epochs, view.logStartOffset(), 0, 0, -1, -1, 0);
        }
        var counted = from(segments, view.logStartOffset());
        var active = segments.getLast();
        int position = active.lastBatchPosition();
        return new LogDigest(
                epochs,
                view.logStartOffset(),
                aborted(counted, Long.MAX_VALUE),
                sealed(counted, active.baseOffset()),
                active.baseOffset(),
                position,
                position < 0 ? 0 : active.crcAt(position, scratch));
    }

    /// The segments from the one that holds the offset.
    static List<LogSegment> from(List<LogSegment> segments, long offset) {
        int first = 0;
        while (first + 1 < segments.size() && segments.get(first + 1).baseOffset() <= offset) {
            first++;
        }
        return segments.subList(first, segments.size());
    }

    /// Over the markers below an offset.
    static long aborted(List<LogSegment> segments, long below) throws IOException {
        long sum = 0;
        for (var segment : segments) {
            sum += segment.transactionIndex().digest(below);
        }
        return sum;
    }

    static long of(LeaderEpochHistory history) {
        long digest = 0;
        for (var entry : history.entries()) {
            digest = TransactionIndex.mix(TransactionIndex.mix(digest ^ entry.epoch()) ^ entry.startOffset());
        }
        return digest;
    }

    /// Of the segments that begin before `activeBaseOffset`.
    static long sealed(List<LogSegment> segments, long activeBaseOffset) {
        long sum = 0;
        for (var segment : segments) {
            if (segment.baseOffset() < activeBaseOffset) {
                sum += TransactionIndex.mix(TransactionIndex.mix(segment.baseOffset()) ^ segment.sizeInBytes());
            }
        }
        return sum;
    }

    public LogDigest withoutSealed() {
        return new LogDigest(
                epochs, logStartOffset, aborted, SEALED_UNKNOWN, activeBaseOffset, lastBatchPosition, lastBatchCrc);
    }
}
