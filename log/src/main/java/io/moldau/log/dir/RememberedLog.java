package io.moldau.log.dir;

import io.moldau.common.Uuid;
import io.moldau.log.LogSummary;
import io.moldau.log.LogView;
import io.moldau.log.recovery.OpeningState;

/// A partition as a directory's journal knows it. Guarded by the journal.
final class RememberedLog {

    Uuid topicId;
    LogView view = LogView.EMPTY;
    long highWatermark;
    int activeSizeInBytes;

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
        durableUpTo = known.recoveryPoint();
        logStartOffset = known.logStartOffset();
        dirty = false;
        foreign &= known.recoveryPoint() < known.logEndOffset();
    }

    void truncated(long offset) {
        dirty = true;
        durableUpTo = Math.min(durableUpTo, offset);
        limitEnd(offset);
    }

    /// Nothing at or behind `offset` may be believed without a look.
    void limitEnd(long offset) {
        if (offset < view.logEndOffset()) {
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

    LogSummary summary() {
        var opening = new OpeningState(!dirty, view.logEndOffset(), durableUpTo, logStartOffset, !foreign);
        return new LogSummary(
                topicId, dirty ? null : view, view.recoveryPoint(), highWatermark, activeSizeInBytes, opening);
    }
}
