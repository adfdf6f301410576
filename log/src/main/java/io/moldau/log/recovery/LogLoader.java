package io.moldau.log.recovery;

import io.moldau.common.Uuid;
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
    private static final String REMEDY =
            "Restore the file, or delete the partition's directory to have it copied from another replica; if another"
                    + " program wrote it, delete moldau-log-checkpoint and moldau-log-journal-* beside it";

    private final LogStorage storage;
    private final Path directory;
    private final Uuid topicId;
    private final int partition;
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
    private boolean abortedAreKnown;

    public LogLoader(
            LogStorage storage,
            Path directory,
            Uuid topicId,
            int partition,
            OpeningState known,
            int indexIntervalBytes,
            long producerIdExpirationMs,
            long nowMs) {
        this.storage = storage;
        this.directory = directory;
        this.topicId = topicId;
        this.partition = partition;
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

    /// @throws CorruptLogException if files are missing or damaged, or are not those of this log,
    ///     in a way that no crash explains; nothing has been changed then that cannot be built
    ///     again
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
        PartitionMetadataFile.check(storage, directory, topicId, known.gapsAreLosses());
        openSegments();
        refuseIfFilesAreMissing();
        if (segments.isEmpty()) {
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
        abortedAreKnown = abortedAreRight();
        boolean epochsAreKnown = epochsInFile.isPresent() && epochsAreRight(epochs);
        long endOffset = known.clean() ? endIfWhole() : -1;
        if (endOffset < 0) {
            var recovered = recover(epochs);
            endOffset = recovered.endOffset();
            epochs = recovered.epochs();
            rebuiltFrom = recovered.from();
        }
        if (!epochsAreKnown) {
            epochs = epochsFromBatches();
        }
        if (!abortedAreKnown) {
            rebuiltFrom = segments.getFirst().baseOffset();
            for (var segment : segments) {
                segment.resetTransactionIndex();
            }
        }
        refuseIfShort(endOffset, segments.getLast(), segments.getLast().sizeInBytes());
        long logStartOffset =
                Math.max(known.logStartOffset(), segments.getFirst().baseOffset());
        if (logStartOffset > endOffset) {
            if (!known.gapsAreLosses()) {
                throw new CorruptLogException("The log-start-offset-checkpoint of '" + directory.getParent()
                        + "' says that '" + directory + "' begins at offset " + logStartOffset
                        + ", but its records end at offset " + endOffset
                        + ": one of them is damaged. Remove the partition's line from the checkpoint if the records are"
                        + " right, or delete the partition's directory");
            }
            // DeleteRecords reached further than what survived; the records that are left are gone by its word.
            endOffset = logStartOffset;
            startAgainAt(logStartOffset);
        }
        epochs = epochs.truncateFromEnd(endOffset).truncateFromStart(logStartOffset);
        var producers = new ProducerRecovery(storage, directory, topicId, partition, segments, snapshots)
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

    /// @param segment the file whose end or damage makes the log so short
    private void refuseIfShort(long endOffset, LogSegment segment, int position) throws CorruptLogException {
        if (endOffset < known.durableUpTo()) {
            throw new CorruptLogException("The log in '" + directory + "' ends at offset " + endOffset + ", at byte "
                    + position + " of '" + segment.path() + "', but records up to offset " + known.durableUpTo()
                    + " were there: that file or the one behind it is damaged or missing. " + REMEDY);
        }
    }

    /// Compares the files that are there with what is known of them, before any is changed.
    private void refuseIfFilesAreMissing() throws IOException {
        long expectedEnd = Math.max(known.soundUpTo(), known.durableUpTo());
        if (segments.isEmpty()) {
            if (expectedEnd > known.logStartOffset()) {
                throw new CorruptLogException("'" + directory + "' holds no segment file, but records from offset "
                        + known.logStartOffset() + " to " + expectedEnd + " were there. " + REMEDY);
            }
            return;
        }
        var first = segments.getFirst();
        if (known.complete() && first.baseOffset() > known.logStartOffset()) {
            throw new CorruptLogException("The log in '" + directory + "' begins with '" + first.path()
                    + "', but it had records from offset " + known.logStartOffset()
                    + " on: a segment file before it is missing. " + REMEDY);
        }
        if (known.gapsAreLosses()) {
            refuseGaps();
        }
        if (known.clean() && known.sizeInBytes() >= 0) {
            long size = 0;
            for (var segment : segments) {
                size += segment.sizeInBytes();
            }
            if (size < known.sizeInBytes()) {
                throw new CorruptLogException("The segment files in '" + directory + "' have " + size
                        + " bytes together, but they had " + known.sizeInBytes() + ": one of them, probably '"
                        + segments.getLast().path() + "', is damaged or belongs to another partition. " + REMEDY);
            }
        }
        refuseOtherSegments();
    }

    private void refuseGaps() throws IOException {
        for (int i = 0; i + 1 < segments.size(); i++) {
            var segment = segments.get(i);
            var next = segments.get(i + 1);
            if (!known.clean() && next.baseOffset() > checkFrom()) {
                // What was lost there, recovery finds out.
                return;
            }
            if (segment.canHold(next.baseOffset())
                    && next.baseOffset() > known.logStartOffset()
                    && segment.endOffsetIfWhole(scratch) != next.baseOffset()) {
                throw new CorruptLogException("'" + segment.path() + "' does not end with offset "
                        + (next.baseOffset() - 1) + ", where '" + next.path()
                        + "' goes on: it is damaged, or a file between them is missing. " + REMEDY);
            }
        }
    }

    /// The segments are those that were there when the log was last written down, whatever came
    /// behind them.
    private void refuseOtherSegments() throws IOException {
        var digest = known.digest();
        if (digest == null || digest.activeBaseOffset() < 0) {
            return;
        }
        var active = segments.stream()
                .filter(segment -> segment.baseOffset() == digest.activeBaseOffset())
                .findFirst();
        boolean mayHaveChanged = digest.sealed() == LogDigest.SEALED_UNKNOWN;
        boolean activeMayHaveChanged = mayHaveChanged
                && (active.isEmpty()
                        ? known.mayHaveGaps() || known.logStartOffset() > digest.activeBaseOffset()
                        : known.mayHaveGaps() && active.get() != segments.getLast());
        if (activeMayHaveChanged) {
            // It was rolled, and may have been deleted or compacted since.
            return;
        }
        if (active.isEmpty()
                || !mayHaveChanged
                        && digest.sealed()
                                != LogDigest.sealed(
                                        LogDigest.from(segments, digest.logStartOffset()), digest.activeBaseOffset())) {
            throw new CorruptLogException("The segment files in '" + directory + "' are not those that were there when"
                    + " the log ended at offset " + known.soundUpTo()
                    + ": one of them is missing, damaged or belongs to another partition. " + REMEDY);
        }
        if (digest.lastBatchPosition() >= 0
                && active.get().crcAt(digest.lastBatchPosition(), scratch) != digest.lastBatchCrc()) {
            throw new CorruptLogException("'" + active.get().path() + "' does not have the batch at byte "
                    + digest.lastBatchPosition() + " that ended the log at offset " + known.soundUpTo()
                    + ": it is damaged, or belongs to another partition. " + REMEDY);
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
            int size = (int) file.size();
            var last = new long[] {base - 1};
            int sound = scan.scan(file, 0, size, true, (batch, position) -> {
                last[0] = batch.lastOffset();
                return true;
            });
            if (sound < size) {
                throw new CorruptLogException("'" + swapped + "', the result of a compaction that was not finished, is"
                        + " damaged at byte " + sound + ". " + REMEDY);
            }
            end = last[0] + 1;
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
        var header = new BatchHeader(last.file(), scratch);
        int position = last.lastIndexedPosition();
        long end = last.baseOffset();
        while (header.moveTo(position, last.sizeInBytes())) {
            end = header.lastOffset() + 1;
            position = header.nextPosition();
        }
        if (known.gapsAreLosses() && end > known.soundUpTo() && position == last.sizeInBytes()) {
            throw new CorruptLogException("'" + last.path() + "' ends with offset " + (end - 1)
                    + ", but the log ended at "
                    + known.soundUpTo() + " and was not written since: the offset of its last batch is damaged, or the"
                    + " file belongs to another partition. " + REMEDY);
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
            if (i > first
                    && known.gapsAreLosses()
                    && segment.baseOffset() != end
                    && segments.get(i - 1).canHold(segment.baseOffset())) {
                refuseIfShort(end, segments.get(i - 1), segments.get(i - 1).sizeInBytes());
                LOG.warn("Records are missing before a segment file={} end={}", segment.path(), end);
                dropSegmentsBehind(i - 1);
                break;
            }
            int position = 0;
            long offset = segment.baseOffset();
            boolean partly = i == first && checkFrom() > segment.baseOffset() && segment.sizeInBytes() > 0;
            if (partly && abortedAreKnown) {
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
                refuseIfShort(end, segment, soundEnd);
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
            boolean follows = known.mayHaveGaps() ? batch.baseOffset() >= nextOffset : batch.baseOffset() == nextOffset;
            if (!follows || !segment.canHold(batch.lastOffset())) {
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

    /// Whether the epoch file says of the part of the log that need not be checked what it said
    /// when it was written.
    private boolean epochsAreRight(LeaderEpochHistory inFile) throws IOException {
        var digest = known.digest();
        if (digest != null
                && digest.epochs()
                        == LogDigest.of(
                                inFile.truncateFromEnd(known.soundUpTo()).truncateFromStart(digest.logStartOffset()))) {
            return true;
        }
        // Nothing is known, or the file may have been written after the log's start moved.
        boolean cannotTell = digest == null || digest.logStartOffset() != known.logStartOffset();
        boolean right = cannotTell && epochsFitBatches(inFile);
        if (!right) {
            LOG.warn(
                    "The epoch checkpoint contradicts the log, building it again file={}",
                    directory.resolve(LeaderEpochCheckpoint.FILE_NAME));
        }
        return right;
    }

    /// Whether the batches on both sides of where an epoch begins, and the last one, are of the
    /// epochs that the history says.
    private boolean epochsFitBatches(LeaderEpochHistory history) throws IOException {
        long checked = known.clean() ? Long.MAX_VALUE : checkFrom();
        for (var entry : history.entries()) {
            long offset = entry.startOffset();
            if (offset < checked && !(isOfEpoch(history, offset) && isOfEpoch(history, offset - 1))) {
                return false;
            }
        }
        return known.clean() ? isOfEpoch(history, lastOffset()) : isOfEpoch(history, checked - 1);
    }

    private boolean isOfEpoch(LeaderEpochHistory history, long offset) throws IOException {
        int i = segments.size() - 1;
        while (i > 0 && segments.get(i).baseOffset() > offset) {
            i--;
        }
        var segment = segments.get(i);
        int position = segment.positionOf(offset, segment.sizeInBytes(), scratch);
        var header = new BatchHeader(segment.file(), scratch);
        if (offset < segments.getFirst().baseOffset()
                || position < 0
                || !header.moveTo(position, segment.sizeInBytes())) {
            return true;
        }
        long batch = Math.max(header.baseOffset(), known.logStartOffset());
        int epoch = history.epochForOffset(batch);
        boolean spansTwo = epoch != history.epochForOffset(header.lastOffset());
        return epoch == header.leaderEpoch() && !spansTwo;
    }

    private long lastOffset() throws IOException {
        var last = segments.getLast();
        return last.endOffsetIfWhole(scratch) - 1;
    }

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

    /// Whether the transaction indexes say what they said when it was written down; if that is not
    /// known, whether each of them can be right.
    private boolean abortedAreRight() throws IOException {
        for (var segment : segments) {
            if (!segment.transactionIndexIsSound(Long.MAX_VALUE)) {
                LOG.warn(
                        "Damaged transaction index, building it again file={}",
                        segment.transactionIndex().path());
                return false;
            }
        }
        var digest = known.digest();
        if (digest == null) {
            return true;
        }
        long sum = LogDigest.aborted(LogDigest.from(segments, digest.logStartOffset()), known.soundUpTo());
        if (sum != digest.aborted()) {
            LOG.warn("The transaction indexes have changed, building them again directory={}", directory);
        }
        return sum == digest.aborted();
    }
}
