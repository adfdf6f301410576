package io.moldau.log;

import io.moldau.log.producer.LastBatch;
import io.moldau.log.segment.LogSegment;
import java.util.List;
import java.util.Map;

/// A partition's log as a compaction found it. Its segments stay readable until [#close], whatever happens to the log.
///
/// @param segments all of them, the active one last
/// @param activeSize how much of the active segment the view speaks of
/// @param lastStableOffset nothing at or behind it may be compacted
/// @param cleanedUpTo where the last compaction ended, -1 if there was none
/// @param truncations tells [PartitionLog#replace] whether the log has been cut since
/// @param lastBatches of each producer the log remembers, by its id
public record CleaningView(
        List<LogSegment> segments,
        LogView view,
        int activeSize,
        long lastStableOffset,
        long cleanedUpTo,
        int truncations,
        Map<Long, LastBatch> lastBatches)
        implements AutoCloseable {

    @Override
    public void close() {
        segments.forEach(LogSegment::release);
    }
}
