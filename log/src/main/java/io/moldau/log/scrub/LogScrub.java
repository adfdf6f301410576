package io.moldau.log.scrub;

import io.moldau.log.CleaningView;
import io.moldau.log.PartitionLog;
import io.moldau.log.clean.CleaningPace;
import io.moldau.log.segment.CheckedRegions;
import io.moldau.log.segment.LogSegment;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;

/// Reads all of a log's records and checks them, at the pace it is given. What is damaged the log is told of. Used by
/// one thread; the log is appended to and read meanwhile.
public final class LogScrub {

    private static final int CHUNK = 256 << 10;

    private final CleaningPace pace;
    private final ByteBuffer buffer = ByteBuffer.allocateDirect(CHUNK);

    public LogScrub(CleaningPace pace) {
        this.pace = pace;
    }

    /// @return how many bytes were read; -1 if the pace ended it
    /// @throws IOException if the disk fails
    public long scrub(PartitionLog log) throws IOException {
        try (var view = log.viewForCleaning()) {
            if (view == null) {
                return 0;
            }
            long bytes = 0;
            var segments = view.segments();
            for (int i = 0; i < segments.size(); i++) {
                boolean last = i == segments.size() - 1;
                int size = last ? view.activeSize() : segments.get(i).sizeInBytes();
                long endOffset =
                        last ? view.view().logEndOffset() : segments.get(i + 1).baseOffset();
                if (!scrub(log, view, segments.get(i), size, endOffset)) {
                    return -1;
                }
                bytes += size;
            }
            return bytes;
        }
    }

    private boolean scrub(PartitionLog log, CleaningView view, LogSegment segment, int size, long endOffset)
            throws IOException {
        var check = new SegmentCheck(segment, new SegmentCheck.Bounds(size, endOffset, log.leaderEpochs()), buffer);
        var found = new ArrayList<Damage>();
        int regionStart = 0;
        int unpaced = 0;
        while (true) {
            int before = check.nextPosition();
            if (check.next()) {
                unpaced += check.nextPosition() - before;
                if (unpaced >= CHUNK) {
                    if (!pace.spent(unpaced)) {
                        return false;
                    }
                    unpaced = 0;
                }
                continue;
            }
            if (check.nextPosition() > regionStart) {
                segment.checkedRegions()
                        .add(new CheckedRegions.Region(regionStart, check.nextPosition(), check.nextOffset()));
            }
            var damage = check.damage();
            if (damage == null) {
                break;
            }
            found.add(damage);
            check.skip();
            regionStart = check.nextPosition();
        }
        if (!found.isEmpty()) {
            log.damaged(view, segment, found);
        }
        return pace.spent(unpaced);
    }
}
