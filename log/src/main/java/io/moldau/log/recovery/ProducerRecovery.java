package io.moldau.log.recovery;

import io.moldau.common.Uuid;
import io.moldau.log.producer.ProducerSnapshot;
import io.moldau.log.producer.ProducerStates;
import io.moldau.log.segment.LogSegment;
import io.moldau.log.segment.SegmentFiles;
import io.moldau.log.storage.CorruptLogException;
import io.moldau.log.storage.LogStorage;
import io.moldau.wire.protocol.MalformedMessageException;
import io.moldau.wire.record.RecordBatch;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.List;
import java.util.NavigableSet;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Builds a log's producer states again: the newest usable snapshot, and the batches behind it. Used by one
/// thread.
public final class ProducerRecovery {

    private static final Logger LOG = LoggerFactory.getLogger(ProducerRecovery.class);

    private final LogStorage storage;
    private final Path directory;
    private final Uuid topicId;
    private final int partition;
    private final List<LogSegment> segments;
    private final NavigableSet<Long> snapshots;
    private final ByteBuffer scratch = ByteBuffer.allocateDirect(4096);
    private final BatchScan scan = new BatchScan();

    /// @param snapshots the offsets of the snapshot files there are; those that get deleted are removed from it
    public ProducerRecovery(
            LogStorage storage,
            Path directory,
            Uuid topicId,
            int partition,
            List<LogSegment> segments,
            NavigableSet<Long> snapshots) {
        this.topicId = topicId;
        this.partition = partition;
        this.storage = storage;
        this.directory = directory;
        this.segments = segments;
        this.snapshots = snapshots;
    }

    /// @param rebuiltFrom aborted transactions that end at or behind this offset go into the transaction indexes
    ///     again
    public ProducerStates restore(long logStartOffset, long endOffset, long rebuiltFrom, long nowMs, long expirationMs)
            throws IOException {
        for (long behindEnd : List.copyOf(snapshots.tailSet(endOffset, false))) {
            delete(behindEnd);
        }
        long replayFrom = logStartOffset;
        var states = new ProducerStates();
        refuseOthersSnapshots();
        var candidate = snapshots.floor(Math.min(endOffset, rebuiltFrom));
        while (candidate != null) {
            var path = SegmentFiles.path(directory, candidate, SegmentFiles.PRODUCER_SNAPSHOT);
            var content = storage.readAll(path);
            var parsed = ProducerSnapshot.parse(content, nowMs, expirationMs);
            if (parsed.isPresent() && isOwn(content, candidate)) {
                states = parsed.get();
                replayFrom = candidate;
                break;
            }
            LOG.warn("Removing a producer snapshot that is damaged or not that of this log file={}", path);
            delete(candidate);
            candidate = snapshots.lower(candidate);
        }
        for (int i = 0; i < segments.size(); i++) {
            boolean over = i + 1 < segments.size() && segments.get(i + 1).baseOffset() <= replayFrom;
            if (!over) {
                replay(segments.get(i), replayFrom, rebuiltFrom, states);
            }
        }
        removeStray();
        return states;
    }

    private boolean isOwn(byte[] content, long offset) {
        var own = new ProducerSnapshot.Owner(topicId, partition, offset);
        return ProducerSnapshot.owner(content)
                .map(owner -> owner.isSameLog(own) && owner.offset() == offset)
                .orElse(true);
    }

    /// One snapshot of another partition is a mistaken file; nothing but such are a mistaken
    /// directory.
    private void refuseOthersSnapshots() throws IOException {
        var own = new ProducerSnapshot.Owner(topicId, partition, 0);
        Path other = null;
        for (long offset : snapshots) {
            var path = SegmentFiles.path(directory, offset, SegmentFiles.PRODUCER_SNAPSHOT);
            var content = storage.readAll(path);
            if (ProducerSnapshot.entries(content).isEmpty()) {
                continue;
            }
            var owner = ProducerSnapshot.owner(content);
            if (owner.isEmpty() || owner.get().isSameLog(own)) {
                return;
            }
            other = path;
        }
        if (other != null && snapshots.size() > 1) {
            throw new CorruptLogException(
                    "'" + other + "' is that of another partition, like each other snapshot beside"
                            + " it: the directory is that of another partition. Put back what belongs here");
        }
    }

    private void replay(LogSegment segment, long fromOffset, long rebuiltFrom, ProducerStates states)
            throws IOException {
        int size = segment.sizeInBytes();
        int position = fromOffset <= segment.baseOffset() ? 0 : segment.positionOf(fromOffset, size, scratch);
        if (position < 0 || position >= size) {
            return;
        }
        scan.scan(segment, position, size, false, (batch, at) -> {
            // The log start may lie within a batch, and its producer has a transaction open.
            if (batch.hasProducerId() && batch.lastOffset() >= fromOffset) {
                note(segment, batch, rebuiltFrom, states);
            }
            return true;
        });
    }

    private static void note(LogSegment segment, RecordBatch batch, long rebuiltFrom, ProducerStates states)
            throws IOException {
        try {
            var marker = ControlBatches.marker(batch);
            if (batch.isControl() && marker == null) {
                return;
            }
            var completed = states.append(batch, marker);
            if (completed != null && completed.aborted() && completed.lastOffset() >= rebuiltFrom) {
                segment.addAborted(completed, states.lastStableOffsetAfter(completed));
            }
        } catch (MalformedMessageException e) {
            throw new CorruptLogException("The control batch at offset " + batch.baseOffset() + " of '" + segment.path()
                    + "' cannot be read: " + e.getMessage());
        }
    }

    /// Only a snapshot at the beginning of a segment, or the newest one, is of any further use.
    private void removeStray() throws IOException {
        if (snapshots.isEmpty()) {
            return;
        }
        long newest = snapshots.last();
        for (long offset : List.copyOf(snapshots)) {
            boolean ofSegment = segments.stream().anyMatch(s -> s.baseOffset() == offset);
            if (!ofSegment && offset != newest) {
                delete(offset);
            }
        }
    }

    private void delete(long offset) throws IOException {
        storage.delete(SegmentFiles.path(directory, offset, SegmentFiles.PRODUCER_SNAPSHOT));
        snapshots.remove(offset);
    }
}
