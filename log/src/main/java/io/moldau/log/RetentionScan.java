package io.moldau.log;

import io.moldau.common.TopicPartition;
import io.moldau.log.retention.RetentionPolicy;
import io.moldau.log.segment.LogSegment;
import io.moldau.log.segment.SegmentFiles;
import io.moldau.log.storage.LogStorage;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Looks at a log's segments for retention, and says once of each segment that records from the
/// future keep. Reads the disk and takes no lock. One for each log; used by one thread at a time.
final class RetentionScan {

    private static final Logger LOG = LoggerFactory.getLogger(RetentionScan.class);

    private final LogStorage storage;
    private final TopicPartition partition;
    private long warnedOf = -1;
    private volatile boolean heldByFuture;

    RetentionScan(LogStorage storage, TopicPartition partition) {
        this.storage = storage;
        this.partition = partition;
    }

    /// Whether the last look found that records from the future keep segments that are old
    /// otherwise.
    boolean isHeldByFuture() {
        return heldByFuture;
    }

    /// How many of the oldest segments may go.
    int deletable(LogSegment[] segments, LogView view, LogConfig config, long highWatermark, long nowMs)
            throws IOException {
        var policy = new RetentionPolicy(
                config.retentionMs(), config.retentionBytes(), config.delete(), config.timestampAfterMaxMs());
        var seen = new ArrayList<SeenSegment>(segments.length);
        for (int i = 0; i < segments.length; i++) {
            long end = i + 1 < segments.length ? segments[i + 1].baseOffset() : view.logEndOffset();
            seen.add(new SeenSegment(segments[i], end));
        }
        var verdict = policy.judge(seen, view.logStartOffset(), highWatermark, nowMs);
        heldByFuture = verdict.ahead() >= 0;
        if (verdict.ahead() >= 0) {
            warn(segments[verdict.ahead()], nowMs);
        }
        return verdict.deletable();
    }

    private void warn(LogSegment segment, long nowMs) throws IOException {
        if (segment.baseOffset() != warnedOf) {
            warnedOf = segment.baseOffset();
            LOG.warn(
                    "Records from the future keep a segment, and all behind it, longer than retention.ms:"
                            + " delete them with DeleteRecords, or lower message.timestamp.after.max.ms"
                            + " partition={} file={} newestMs={} nowMs={}",
                    partition,
                    segment.path(),
                    segment.peekMaxTimestamp(),
                    nowMs);
        }
    }

    /// Looks at a log that nobody has used yet without opening it: its oldest file cannot hold
    /// records that are newer than its last change, unless their producers' clocks are ahead.
    boolean mayHaveOld(Path directory, LogView view, LogConfig config, long nowMs) throws IOException {
        if (config.delete() && config.retentionBytes() >= 0 && view.sizeInBytes() > config.retentionBytes()) {
            return true;
        }
        boolean byAge = config.delete() && config.retentionMs() >= 0;
        if (view.sizeInBytes() == 0 || (!byAge && view.logStartOffset() == 0)) {
            return false;
        }
        var bases = baseOffsets(directory);
        if (bases.size() > 1 && bases.get(1) <= view.logStartOffset()) {
            return true;
        }
        if (!byAge || bases.isEmpty()) {
            return false;
        }
        var oldest = SegmentFiles.path(directory, bases.getFirst(), SegmentFiles.LOG);
        return nowMs - storage.lastModifiedMs(oldest) > config.retentionMs();
    }

    private List<Long> baseOffsets(Path directory) throws IOException {
        var bases = new ArrayList<Long>();
        for (var name : storage.list(directory)) {
            long base = SegmentFiles.offsetOf(name, SegmentFiles.LOG);
            if (base >= 0) {
                bases.add(base);
            }
        }
        return bases;
    }

    private record SeenSegment(LogSegment segment, long endOffset) implements RetentionPolicy.Segment {
        @Override
        public int sizeInBytes() {
            return segment.sizeInBytes();
        }

        @Override
        public long newestMs() throws IOException {
            return segment.peekMaxTimestamp();
        }

        @Override
        public long modifiedMs() throws IOException {
            return segment.lastModifiedMs();
        }
    }
}
