package io.moldau.log.dir;

import io.moldau.common.Uuid;
import io.moldau.log.LogSummary;
import io.moldau.log.LogView;
import io.moldau.log.recovery.LogDigest;
import io.moldau.log.recovery.OpeningState;
import org.jspecify.annotations.Nullable;

/// A partition as a directory's journal knows it. Guarded by the journal.
final class RememberedLog {

    static final long UNKNOWN = -2;

    Uuid topicId;
    LogView view = LogView.EMPTY;
    long highWatermark;
    int activeSizeInBytes;
    // What the files say, null if that is not known.
    @Nullable
    LogDigest digest;
    // Up to where the log was compacted.
    long cleanedUpTo = UNKNOWN;
    // Between batches offsets may be missing, by compaction here or at a leader.
    boolean mayHaveGaps;

    // Written to since `view` was true.
    boolean dirty;
    // What must be there after a crash.
    long durableUpTo;
    long logStartOffset;
    // Another program wrote the files.
    boolean foreign;

    RememberedLog(Uuid topicId) {
        this.topicId = topicId;
    }

    void saved(LogSummary summary) {
        topicId = summary.topicId();
        var known = summary.view();
        if (known == null) {
            return;
        }
        view = known;
        highWatermark = summary.highWatermark();
        activeSizeInBytes = summary.activeSizeInBytes();
        // The files have it all, and keep it unless the machine fails.
        durableUpTo = known.logEndOffset();
        digest = summary.opening().digest();
        logStartOffset = known.logStartOffset();
        dirty = false;
        foreign &= known.recoveryPoint() < known.logEndOffset();
    }

    void truncated(long offset) {
        dirty = true;
        durableUpTo = Math.min(durableUpTo, offset);
        // Also where it was cut behind what was written down: it may be begun again there.
        digest = null;
        limitEnd(offset);
    }

    /// Nothing at or behind `offset` may be believed without a look.
    void limitEnd(long offset) {
        if (offset < view.logEndOffset()) {
            digest = null;
            // Where that offset is in the file is not known.
            activeSizeInBytes = 0;
            view = new LogView(
                    view.logStartOffset(),
                    offset,
                    Math.min(view.recoveryPoint(), offset),
                    view.latestEpoch(),
                    view.firstUnstableOffset(),
                    view.sizeInBytes(),
                    view.activeSegmentBaseOffset());
        }
    }

    void segmentsChange() {
        if (digest != null) {
            digest = digest.withoutSealed();
        }
    }

    /// The machine failed: only forced bytes are sure to be there, and the last notes may be
    /// missing.
    void machineFailed() {
        limitEnd(view.recoveryPoint());
        durableUpTo = Math.min(durableUpTo, view.recoveryPoint());
        dirty = true;
        mayHaveGaps = true;
        segmentsChange();
    }

    /// @param complete whether all notes are there
    LogSummary summary(boolean complete) {
        var opening = new OpeningState(
                !dirty,
                view.logEndOffset(),
                durableUpTo,
                logStartOffset,
                !foreign,
                complete && !foreign,
                mayHaveGaps,
                dirty ? -1 : view.sizeInBytes(),
                digest);
        return new LogSummary(
                topicId, dirty ? null : view, view.recoveryPoint(), highWatermark, activeSizeInBytes, opening);
    }
}
