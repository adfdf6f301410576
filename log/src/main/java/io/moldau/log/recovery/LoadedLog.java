package io.moldau.log.recovery;

import io.moldau.log.epoch.LeaderEpochHistory;
import io.moldau.log.producer.ProducerStates;
import io.moldau.log.segment.LogSegment;
import java.util.List;

/// A partition's log as its files are, all of it sound.
///
/// @param segments in order; the last one is the one to append to; none if nothing was ever written
/// @param epochsChanged whether the epoch file no longer says what `epochs` does
/// @param newestSnapshotOffset of the producer snapshot nearest to the end, -1 if there is none
/// @param bytesScanned how much was read to check it
/// @param bytesCut how much was torn or damaged
public record LoadedLog(
        List<LogSegment> segments,
        long logStartOffset,
        long logEndOffset,
        LeaderEpochHistory epochs,
        boolean epochsChanged,
        ProducerStates producers,
        long newestSnapshotOffset,
        long bytesScanned,
        long bytesCut) {}
