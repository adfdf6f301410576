package io.moldau.log.recovery;

import io.moldau.log.epoch.LeaderEpochCheckpoint;
import io.moldau.log.epoch.LeaderEpochHistory;
import io.moldau.log.producer.ProducerStates;
import io.moldau.log.segment.BatchHeader;
import io.moldau.log.segment.LogSegment;
import io.moldau.log.segment.SegmentFiles;
import io.moldau.log.storage.CorruptLogException;
import io.moldau.log.storage.LogStorage;
import io.moldau.wire.record.RecordBatch;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.TreeSet;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Opens a partition's directory. After a crash the log is cut at the last sound batch, indexes, epoch history
/// and producer states are built again from where they can no longer be trusted, and leftovers are removed.
///
/// Used once, by one thread.
public final class LogLoader {

    private static final Logger LOG = LoggerFactory.getLogger(LogLoader.class);

    private final LogStorage storage;
    private final Path directory;
    private final OpeningState known;
    private final int indexIntervalBytes;
    private final long producerIdExpirationMs;
    private final long nowMs;

    private final BatchScan scan = new BatchScan();
    private final ByteBuffer scratch = ByteBuffer.allocateDirect(64 << 10);
    private final List<LogSegment> segments = new ArrayList<>();
    private final TreeSet<Long> snapshots = new TreeSet<>();
    private long bytesScanned;
    private long bytesCut;
    private boolean namesChanged;

    public LogLoader(
            LogStorage storage,
            Path directory,
            OpeningState known,
            int indexIntervalBytes,
            long producerIdExpirationMs,
            long nowMs) {
        this.storage = storage;
        this.directory = directory;
        this.known = known;
        this.indexIntervalBytes = indexIntervalBytes;
        this.producerIdExpirationMs = producerIdExpirationMs;
        this.nowMs = nowMs;
    }

    /// About how much [#load] is going to read of a log that is not clean, by the sizes of its
    /// files.
    ///
    /// @param soundBytes how much of the segment with the last sound offset holds sound batches, 0
    ///     if not known
    public static long bytesToCheck(LogStorage storage, Path directory, OpeningState known, int soundBytes)
            throws IOException {
        long bytes = 0;
        long inFirst = 0;
        for (var name : storage.list(directory)) {
            long base = SegmentFiles.offsetOf(name, SegmentFiles.LOG);
            if (base >= 0) {
                long size = storage.size(directory.resolve(name));
                if (base <= checkFrom(known)) {
                    inFirst = Math.max(0, size - soundBytes);
                } else {
                    bytes += size;
                }
            }
        }
        return bytes + inFirst;
    }

    /// @throws CorruptLogException if bytes are missing that were known to be durable
    /// @throws IOException if the disk fails
    public LoadedLog load() throws IOException {
        try {
            return loadFiles();
        } catch (IOException | RuntimeException e) {
            for (var segment : segments) {
                segment.release();
            }
            throw e;
        }
    }

    private LoadedLog loadFiles() throws IOException {
        var loaded = settle();
        if (namesChanged) {
            // Else a later power cut could bring back segments that are not a part of the log any more.
            storage.syncDirectory(directory);
        }
        return loaded;
    }

    private LoadedLog settle() throws IOException {
        openSegments();
        if (segments.isEmpty()) {
            refuseIfShort(known.logStartOffset());
            return new LoadedLog(
                    List.of(),
                    known.logStartOffset(),
                    known.logStartOffset(),
                    LeaderEpochHistory.EMPTY,
                    false,
                    new ProducerStates(),
                    -1,
                    0,
                    0);
        }
        var epochsInFile = readEpochs();
        var epochs = epochsInFile.orElse(LeaderEpochHistory.EMPTY);
        long rebuiltFrom = Long.MAX_VALUE;
        long endOffset = known.clean() ? endIfWhole() : -1;
        if (endOffset < 0) {
            var recovered = recover(epochs);
            endOffset = recovered.endOffset();
            epochs = recovered.epochs();
            rebuiltFrom = recovered.from();
        }
        if (epochsInFile.isEmpty()) {
            epochs = epochsFromBatches();
        }
        refuseIfShort(endOffset);
        long logStartOffset =
                Math.max(known.logStartOffset(), segments.getFirst().baseOffset());
        if (logStartOffset > endOffset) {
            // DeleteRecords reached further than what survived; the records that are left are gone by its word.
            endOffset = logStartOffset;
            startAgainAt(logStartOffset);
        }
        epochs = epochs.truncateFromEnd(endOffset).truncateFromStart(logStartOffset);
        var producers = new ProducerRecovery(storage, directory, segments, snapshots)
                .restore(logStartOffset, endOffset, rebuiltFrom, nowMs, producerIdExpirationMs);
        long newestSnapshot = snapshots.isEmpty() ? -1 : snapshots.last();
        return new LoadedLog(
                List.copyOf(segments),
                logStartOffset,
                endOffset,
                epochs,
                epochsInFile.isEmpty() || !epochs.equals(epochsInFile.get()),
                producers,
                newestSnapshot,
                bytesScanned,
                bytesCut);
    }

    private void refuseIfShort(long endOffset) throws CorruptLogException {
        if (endOffset < known.durableUpTo()) {
            throw new CorruptLogException("The log in '" + directory + "' ends at offset " + endOffset
                    + ", but records up to offset " + known.durableUpTo()
                    + " were forced to the disk: a segment file is missing or damaged. Restore it, or delete the"
                    + " directory to accept the loss");
        }
    }

    // ---- files

    private void openSegments() throws IOException {
        completeSwaps();
        var names = storage.list(directory);
        for (var name : names) {
            if (name.endsWith(SegmentFiles.DELETED) || name.endsWith(SegmentFiles.CLEANED) || name.endsWith(".tmp")) {
                storage.delete(directory.resolve(name));
                continue;
            }
            long snapshot = SegmentFiles.offsetOf(name, SegmentFiles.PRODUCER_SNAPSHOT);
            if (snapshot >= 0) {
                snapshots.add(snapshot);
            }
            long base = SegmentFiles.offsetOf(name, SegmentFiles.LOG);
            if (base >= 0) {
                segments.add(LogSegment.open(storage, directory, base, nowMs));
            }
        }
        for (var name : names) {
            for (var kind : SegmentFiles.INDEXES) {
                long base = SegmentFiles.offsetOf(name, kind);
                if (base >= 0 && !names.contains(SegmentFiles.name(base, SegmentFiles.LOG))) {
                    LOG.warn("Removing index without a segment file={}", directory.resolve(name));
                    storage.delete(directory.resolve(name));
                }
            }
        }
    }

    /// A compaction that a crash caught in the middle of replacing segments. Its result counts once all of it has been
    /// renamed; then the segments it stands for go and it takes their place. Any step may be the last one before
    /// another crash.
    private void completeSwaps() throws IOException {
        var names = storage.list(directory);
        long firstCleaned = Long.MAX_VALUE;
        for (var name : names) {
            firstCleaned = Math.min(firstCleaned, offsetOf(name, SegmentFiles.CLEANED));
        }
        for (var name : names) {
            long base = SegmentFiles.offsetOf(name, SegmentFiles.LOG + SegmentFiles.SWAP);
            if (base >= 0 && base < firstCleaned) {
                completeSwap(base, names);
                namesChanged = true;
            }
        }
        for (var name : storage.list(directory)) {
            if (name.endsWith(SegmentFiles.SWAP)) {
                storage.delete(directory.resolve(name));
                namesChanged = true;
            }
        }
    }

    /// The offset of a segment's file with this suffix, [Long#MAX_VALUE] for every other file.
    private static long offsetOf(String name, String suffix) {
        long base = SegmentFiles.offsetOf(name, SegmentFiles.LOG + suffix);
        for (var kind : SegmentFiles.INDEXES) {
            base = base >= 0 ? base : SegmentFiles.offsetOf(name, kind + suffix);
        }
        return base >= 0 ? base : Long.MAX_VALUE;
    }

    private void completeSwap(long base, List<String> names) throws IOException {
        var swapped = SegmentFiles.path(directory, base, SegmentFiles.LOG + SegmentFiles.SWAP);
        long end = base;
        try (var file = storage.open(swapped, LogStorage.Access.READ)) {
            var header = new BatchHeader(file, scratch);
            int position = 0;
            int size = (int) file.size();
            while (header.moveTo(position, size)) {
                end = header.lastOffset() + 1;
                position = header.nextPosition();
            }
        }
        for (var other : names) {
            long replaced = SegmentFiles.offsetOf(other, SegmentFiles.LOG);
            if (replaced >= base && (replaced < end || replaced == base)) {
                // The records last: as long as they are there, so is the reason to delete the indexes.
                for (var kind : SegmentFiles.INDEXES) {
                    storage.delete(SegmentFiles.path(directory, replaced, kind));
                }
                storage.delete(SegmentFiles.path(directory, replaced, SegmentFiles.LOG));
            }
        }
        for (var kind : SegmentFiles.INDEXES) {
            var from = SegmentFiles.path(directory, base, kind + SegmentFiles.SWAP);
            if (storage.exists(from)) {
                storage.rename(from, SegmentFiles.path(directory, base, kind));
            }
        }
        storage.rename(swapped, SegmentFiles.path(directory, base, SegmentFiles.LOG));
    }

    private Optional<LeaderEpochHistory> readEpochs() throws IOException {
        var path = directory.resolve(LeaderEpochCheckpoint.FILE_NAME);
        if (!storage.exists(path)) {
            return Optional.empty();
        }
        var parsed = LeaderEpochCheckpoint.parse(storage.readAll(path));
        if (parsed.isEmpty()) {
            LOG.warn("Damaged epoch checkpoint, building it again file={}", path);
        }
        return parsed;
    }

    // ---- the end of the log

    /// The end offset of a log that was closed properly, -1 if its last segment does not end with a whole batch.
    private long endIfWhole() throws IOException {
        var last = segments.getLast();
        last.loadIndexes(scratch);
        if (!last.transactionIndexIsSound(Long.MAX_VALUE)) {
            return -1;
        }
        var header = new BatchHeader(last.file(), scratch);
        int position = last.lastIndexedPosition();
        long end = last.baseOffset();
        while (header.moveTo(position, last.sizeInBytes())) {
            end = header.lastOffset() + 1;
            position = header.nextPosition();
        }
        return position == last.sizeInBytes() ? end : -1;
    }

    /// Records before the log start may be torn for all that matters, and nobody has seen to it that they were forced.
    private long checkFrom() {
        return checkFrom(known);
    }

    private static long checkFrom(OpeningState known) {
        return Math.max(known.soundUpTo(), known.logStartOffset());
    }

    private record Recovered(long endOffset, LeaderEpochHistory epochs, long from) {}

    private Recovered recover(LeaderEpochHistory before) throws IOException {
        int first = 0;
        while (first + 1 < segments.size() && segments.get(first + 1).baseOffset() <= checkFrom()) {
            first++;
        }
        long from = -1;
        long end = -1;
        var epochs = before;
        for (int i = first; i < segments.size(); i++) {
            var segment = segments.get(i);
            if (i > first && known.gapsAreLosses() && segment.baseOffset() != end) {
                LOG.warn("Records are missing before a segment file={} end={}", segment.path(), end);
                dropSegmentsBehind(i - 1);
                break;
            }
            int position = 0;
            long offset = segment.baseOffset();
            boolean partly = i == first && checkFrom() > segment.baseOffset() && segment.sizeInBytes() > 0;
            if (partly && segment.transactionIndexIsSound(Long.MAX_VALUE)) {
                segment.loadIndexes(scratch);
                position = soundPosition(segment);
                offset = Math.max(offset, offsetAt(segment, position));
            }
            if (position == 0) {
                segment.beginRebuild();
                segment.resetTransactionIndex();
            } else {
                segment.rewindIndexes(position, offset, scratch);
            }
            if (from < 0) {
                from = offset;
                // What the file says of the part that is checked may be older than a truncation.
                epochs = epochs.truncateFromEnd(from);
            }
            var walk = new Walk(segment, offset, epochs);
            int size = segment.sizeInBytes();
            int soundEnd = scan.scan(segment, position, size, true, walk);
            bytesScanned += soundEnd - position;
            end = walk.nextOffset;
            epochs = walk.epochs;
            if (soundEnd < size) {
                bytesCut += size - soundEnd;
                LOG.warn(
                        "Cutting the log behind its last sound batch file={} position={} bytes={} offset={}",
                        segment.path(),
                        soundEnd,
                        size - soundEnd,
                        end);
                segment.cutAt(soundEnd);
                dropSegmentsBehind(i);
            }
            if (i < segments.size() - 1) {
                segment.becomeInactive();
            } else {
                segment.writeIndexes();
            }
        }
        return new Recovered(end, epochs, from);
    }

    private final class Walk implements BatchScan.Visitor {
        private final LogSegment segment;
        private long nextOffset;
        private LeaderEpochHistory epochs;

        Walk(LogSegment segment, long nextOffset, LeaderEpochHistory epochs) {
            this.segment = segment;
            this.nextOffset = nextOffset;
            this.epochs = epochs;
        }

        @Override
        public boolean visit(RecordBatch batch, int position) {
            if (batch.baseOffset() < nextOffset || !segment.canHold(batch.lastOffset())) {
                return false;
            }
            segment.index(batch.lastOffset(), batch.maxTimestamp(), position, batch.sizeInBytes(), indexIntervalBytes);
            int epoch = batch.partitionLeaderEpoch();
            if (epoch > epochs.latestEpoch()) {
                epochs = epochs.assign(epoch, batch.baseOffset());
            }
            nextOffset = batch.lastOffset() + 1;
            return true;
        }
    }

    /// Where in the segment checking must begin: at the batch that holds the first offset not known to be sound.
    private int soundPosition(LogSegment segment) throws IOException {
        int position = segment.positionOf(checkFrom(), segment.sizeInBytes(), scratch);
        if (position >= 0) {
            return position;
        }
        // All whole batches end before it: check what follows the last of them, or all if that is not where it
        // ends.
        var header = new BatchHeader(segment.file(), scratch);
        int at = segment.lastIndexedPosition();
        while (header.moveTo(at, segment.sizeInBytes())) {
            at = header.nextPosition();
        }
        return offsetAt(segment, at) == checkFrom() ? at : 0;
    }

    /// The offset a batch at this position would follow on.
    private long offsetAt(LogSegment segment, int position) throws IOException {
        var header = new BatchHeader(segment.file(), scratch);
        int at = segment.lastIndexedPosition() < position ? segment.lastIndexedPosition() : 0;
        long offset = segment.baseOffset();
        while (at < position && header.moveTo(at, segment.sizeInBytes())) {
            offset = header.lastOffset() + 1;
            at = header.nextPosition();
        }
        return offset;
    }

    private void dropSegmentsBehind(int index) throws IOException {
        while (segments.size() > index + 1) {
            var dropped = segments.removeLast();
            LOG.warn("Removing a segment behind a damaged one file={}", dropped.path());
            bytesCut += dropped.sizeInBytes();
            dropped.deleteFiles();
            namesChanged = true;
        }
    }

    private void startAgainAt(long offset) throws IOException {
        while (!segments.isEmpty()) {
            segments.removeLast().deleteFiles();
        }
        segments.add(LogSegment.create(storage, directory, offset, nowMs));
        namesChanged = true;
    }

    // ---- epochs and producers

    private LeaderEpochHistory epochsFromBatches() throws IOException {
        var epochs = LeaderEpochHistory.EMPTY;
        for (var segment : segments) {
            var header = new BatchHeader(segment.file(), scratch);
            int position = 0;
            while (header.moveTo(position, segment.sizeInBytes())) {
                if (header.leaderEpoch() > epochs.latestEpoch()) {
                    epochs = epochs.assign(header.leaderEpoch(), header.baseOffset());
                }
                position = header.nextPosition();
            }
        }
        return epochs;
    }
}
