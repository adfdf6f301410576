package io.moldau.log;

import io.moldau.common.Uuid;
import io.moldau.log.epoch.LeaderEpochCheckpoint;
import io.moldau.log.epoch.LeaderEpochHistory;
import io.moldau.log.producer.CompletedTransaction;
import io.moldau.log.recovery.PartitionMetadataFile;
import io.moldau.log.segment.LogSegment;
import io.moldau.log.segment.SegmentFiles;
import io.moldau.log.storage.CorruptLogException;
import io.moldau.log.storage.LogStorage;
import io.moldau.log.storage.StorageException;
import io.moldau.wire.record.RecordBatch;
import io.moldau.wire.record.RecordBatches;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// A copy of a partition's log that grows in another log directory until it takes the log's place:
/// Kafka's future replica, in `<topic>-<n>.<hex>-future`.
///
/// The copy is made of the log's own files, segment by segment, while the log is written to,
/// compacted and shortened. Each batch's checksum is looked at on the way. [#step] copies a
/// little, [#prepare] makes what there is durable, [#swap] copies the rest under the log's lock
/// and renames the directory.
///
/// A crash at any point leaves the log where it was or where it was to go, never in between: the
/// copy counts from the moment its directory has the log's name, because [LogMoves] says that the
/// log moved there later than to where it was. A copy that a crash left unfinished is gone on
/// with, after its bytes were compared with the log's.
///
/// One thread at a time works on it; sizes and offsets may be asked for by any thread. A failure
/// of the disk under the copy takes that directory offline, one of the disk under the log the
/// log's.
public final class FutureLog {

    private static final Logger LOG = LoggerFactory.getLogger(FutureLog.class);

    /// So much may be left to copy while appends wait.
    private static final int MOST_UNDER_LOCK = 256 << 10;

    /// A segment of the log and its copy.
    private static final class Part {
        final LogSegment source;
        final LogSegment copy;
        /// Up to here the file has bytes of an earlier run.
        int reusable;
        int copied;
        int aborted;
        /// Nothing comes any more, and all is durable.
        boolean complete;

        Part(LogSegment source, LogSegment copy, int reusable) {
            this.source = source;
            this.copy = copy;
            this.reusable = reusable;
        }
    }

    /// What [#complete] has made.
    ///
    /// @param newestSnapshot the offset of the newest producer snapshot in the new directory, -1
    ///     if there is none
    record Arrived(List<LogSegment> segments, long newestSnapshot) {}

    /// What the log is when the copy is to take its place.
    ///
    /// @param flushedUpTo records below are durable, and must stay so
    /// @param newestSnapshot the offset of its newest producer snapshot, -1 if there is none
    /// @param truncations how often it has been cut
    record Demands(long flushedUpTo, long newestSnapshot, int truncations) {}

    private final PartitionLog log;
    private final LogStorage storage;
    private final Path logDir;
    private final LogJournal journal;
    private final Path directory;
    private final RecordBatches batches = new RecordBatches();
    private final Map<LogSegment, Part> parts = new IdentityHashMap<>();
    /// Sizes of the segment files that an earlier run left.
    private final Map<Long, Integer> left = new TreeMap<>();
    private final Set<Long> snapshots = new HashSet<>();
    private boolean begun;
    private int seenTruncations = -1;
    private LeaderEpochHistory durableEpochs = LeaderEpochHistory.EMPTY;
    private boolean prepared;
    private long durableUpTo = -1;
    private boolean closed;

    private volatile long sizeInBytes;
    private volatile long endOffset;

    /// @param logDir where the log is to go
    /// @param journal of that log directory
    /// @param directory in it, which may have been begun by an earlier run
    public FutureLog(PartitionLog log, LogStorage storage, Path logDir, LogJournal journal, Path directory) {
        this.log = log;
        this.storage = storage;
        this.logDir = logDir;
        this.journal = journal;
        this.directory = directory;
    }

    public PartitionLog log() {
        return log;
    }

    /// The log directory the log is to go to.
    public Path logDir() {
        return logDir;
    }

    /// The copy's own directory.
    public Path directory() {
        return directory;
    }

    public long sizeInBytes() {
        return sizeInBytes;
    }

    /// What offsets the copy has, exclusive.
    public long endOffset() {
        return endOffset;
    }

    /// How many offsets the copy is behind the log.
    public long offsetLag() {
        return Math.max(0, log.view().logEndOffset() - endOffset);
    }

    LogJournal journal() {
        return journal;
    }

    // ---- copying

    /// Copies about `budget` bytes.
    ///
    /// @param buffer scratch space
    /// @return how many bytes were gone over; 0 if there was nothing to copy, -1 if log or copy
    ///     are gone
    /// @throws StorageException if one of the two directories failed
    /// @throws io.moldau.common.ApiException if the log holds a damaged batch
    public synchronized int step(int budget, ByteBuffer buffer) {
        if (closed) {
            return -1;
        }
        begin();
        CleaningView view = log.viewForMoving();
        if (view == null) {
            return -1;
        }
        try (view) {
            reconcile(view.segments(), view.truncations());
            int done = copy(view.segments(), budget, buffer);
            sizeInBytes = parts.values().stream().mapToLong(part -> part.copied).sum();
            if (done < budget && isAllCopied(view.segments())) {
                endOffset = Math.max(endOffset, view.view().logEndOffset());
            }
            return done;
        } catch (IOException e) {
            throw log.failed(e);
        }
    }

    /// Makes the copy's directory, so that the next start goes on with the move, whatever happens
    /// to this process. Durable on return.
    ///
    /// @throws StorageException if the directory it is to go to fails
    public synchronized void begin() {
        if (begun) {
            return;
        }
        onTarget(() -> {
            boolean resumed = storage.isDirectory(directory);
            if (resumed) {
                takeStock();
            } else {
                storage.createDirectories(directory);
            }
            PartitionMetadataFile.write(storage, directory, log.topicId());
            storage.syncDirectory(directory);
            storage.syncDirectory(logDir);
        });
        begun = true;
    }

    /// Keeps the records an earlier run has copied; all else is made again.
    private void takeStock() throws IOException {
        for (var name : storage.list(directory)) {
            long base = SegmentFiles.offsetOf(name, SegmentFiles.LOG);
            var path = directory.resolve(name);
            if (base >= 0 && storage.size(path) <= Integer.MAX_VALUE) {
                left.put(base, (int) storage.size(path));
            } else {
                storage.delete(path);
            }
        }
        LOG.info(
                "Going on with a move partition={} directory={} segments={}",
                log.topicPartition(),
                directory,
                left.size());
    }

    /// Forgets copies of what the log does not have any more.
    private void reconcile(List<LogSegment> segments, int truncations) {
        Set<LogSegment> there = Collections.newSetFromMap(new IdentityHashMap<>());
        there.addAll(segments);
        var gone = new ArrayList<Part>();
        for (var part : parts.values()) {
            if (!there.contains(part.source)) {
                gone.add(part);
            }
        }
        if (seenTruncations >= 0 && truncations != seenTruncations) {
            // Of what is left only the last one can have been cut; it may have grown again since.
            var cut = parts.values().stream()
                    .filter(part -> !gone.contains(part))
                    .max((a, b) -> Long.compare(a.source.baseOffset(), b.source.baseOffset()));
            cut.ifPresent(gone::add);
            onTarget(this::forgetSnapshots);
            endOffset = 0;
            prepared = false;
        }
        seenTruncations = truncations;
        for (var part : gone) {
            parts.remove(part.source);
            onTarget(part.copy::deleteFiles);
            left.remove(part.source.baseOffset());
        }
    }

    private void forgetSnapshots() throws IOException {
        for (long offset : snapshots) {
            storage.delete(SegmentFiles.path(directory, offset, SegmentFiles.PRODUCER_SNAPSHOT));
        }
        snapshots.clear();
    }

    private int copy(List<LogSegment> segments, int budget, ByteBuffer buffer) throws IOException {
        int done = 0;
        for (int i = 0; i < segments.size(); i++) {
            var part = partOf(segments.get(i));
            while (!part.complete && part.copied < part.source.sizeInBytes()) {
                if (done >= budget) {
                    return done;
                }
                done += copyBatches(part, part.source.sizeInBytes(), buffer);
            }
            if (!part.complete && i < segments.size() - 1) {
                finish(part);
            }
        }
        return done;
    }

    private boolean isAllCopied(List<LogSegment> segments) {
        for (int i = 0; i < segments.size(); i++) {
            var part = parts.get(segments.get(i));
            if (part == null
                    || !(part.complete || (i == segments.size() - 1 && part.copied >= part.source.sizeInBytes()))) {
                return false;
            }
        }
        return true;
    }

    private Part partOf(LogSegment source) {
        var known = parts.get(source);
        if (known != null) {
            return known;
        }
        var part = new Part[1];
        onTarget(() -> {
            var reusable = left.remove(source.baseOffset());
            LogSegment copy;
            if (reusable == null) {
                copy = LogSegment.create(storage, directory, source.baseOffset(), source.createdMs());
            } else {
                copy = LogSegment.open(storage, directory, source.baseOffset(), source.createdMs());
                copy.beginRebuild();
                copy.resetTransactionIndex();
            }
            part[0] = new Part(source, copy, reusable == null ? 0 : reusable);
        });
        parts.put(source, part[0]);
        return part[0];
    }

    /// Copies the whole batches that the buffer can hold, but at least one.
    private int copyBatches(Part part, int end, ByteBuffer scratch) throws IOException {
        int from = part.copied;
        var buffer = read(part.source, from, end, scratch);
        int whole = wholeBatches(part, buffer, end);
        if (whole == 0) {
            buffer = read(part.source, from, end, ByteBuffer.allocate(sizeOfFirst(part, buffer, end)));
            whole = wholeBatches(part, buffer, end);
            if (whole == 0) {
                throw damaged(part, from);
            }
        }
        write(part, buffer.limit(whole).position(0));
        part.copied = from + whole;
        part.copy.publish(part.copied);
        batches.reset(buffer.position(0));
        while (batches.tryNext() == RecordBatches.Step.BATCH) {
            var batch = batches.batch();
            part.copy.index(
                    batch.lastOffset(),
                    batch.maxTimestamp(),
                    from + batches.nextPosition() - batch.sizeInBytes(),
                    batch.sizeInBytes(),
                    log.config().indexIntervalBytes());
            endOffset = Math.max(endOffset, batch.nextOffset());
        }
        return whole;
    }

    private static ByteBuffer read(LogSegment source, int from, int end, ByteBuffer buffer) throws IOException {
        buffer.clear().limit(Math.min(buffer.capacity(), end - from));
        source.file().read(buffer, from);
        return buffer.flip();
    }

    private int wholeBatches(Part part, ByteBuffer buffer, int end) throws CorruptLogException {
        int whole = 0;
        batches.reset(buffer);
        while (batches.tryNext() == RecordBatches.Step.BATCH) {
            if (!batches.batch().isCrcValid()) {
                throw damaged(part, part.copied + whole);
            }
            whole = batches.nextPosition();
        }
        if (buffer.limit() == end - part.copied && whole < buffer.limit()) {
            throw damaged(part, part.copied + whole);
        }
        return whole;
    }

    private static int sizeOfFirst(Part part, ByteBuffer buffer, int end) throws CorruptLogException {
        int length = buffer.limit() < RecordBatch.LOG_OVERHEAD ? -1 : buffer.getInt(RecordBatch.LENGTH_OFFSET);
        if (length < 0 || length > end - part.copied - RecordBatch.LOG_OVERHEAD) {
            throw damaged(part, part.copied);
        }
        return length + RecordBatch.LOG_OVERHEAD;
    }

    private static CorruptLogException damaged(Part part, int position) {
        return new CorruptLogException("The batch at byte " + position + " of '" + part.source.path()
                + "' is damaged, so the log is not moved: have the replica repaired, and move it then");
    }

    private void write(Part part, ByteBuffer bytes) {
        onTarget(() -> {
            if (part.copied + bytes.remaining() <= part.reusable) {
                var there = ByteBuffer.allocate(bytes.remaining());
                part.copy.file().read(there, part.copied);
                if (there.flip().equals(bytes)) {
                    return;
                }
            }
            if (part.reusable > part.copied) {
                part.copy.cutAt(part.copied);
                part.reusable = 0;
            }
            part.copy.publish(part.copied);
            part.copy.write(bytes);
        });
    }

    /// Of a segment that is not written to any more.
    private void finish(Part part) throws IOException {
        cutOff(part);
        copyAborted(part);
        onTarget(() -> {
            part.copy.becomeInactive();
            part.copy.force();
        });
        part.complete = true;
    }

    /// Cuts what an earlier run has copied and the log does not have.
    private void cutOff(Part part) {
        if (part.reusable > part.copied) {
            onTarget(() -> part.copy.cutAt(part.copied));
            part.reusable = 0;
        }
    }

    private void copyAborted(Part part) throws IOException {
        var entries = part.source.transactionIndex().entries();
        onTarget(() -> {
            for (var entry : entries.subList(part.aborted, entries.size())) {
                part.copy.addAborted(
                        new CompletedTransaction(entry.producerId(), entry.firstOffset(), entry.lastOffset(), true),
                        entry.lastStableOffset());
            }
        });
        part.aborted = entries.size();
    }

    // ---- changing places

    /// Makes durable what has been copied, so that little is left to do for [#swap]. Does nothing
    /// as long as there is much to copy.
    public synchronized void prepare() {
        if (closed || !begun) {
            return;
        }
        var view = log.viewForMoving();
        if (view == null) {
            return;
        }
        try (view) {
            reconcile(view.segments(), view.truncations());
            if (!fewIsLeft(view.segments())) {
                return;
            }
            long end = endOffset;
            long number = LogMoves.number(storage, log.directory()) + 1;
            for (var segment : view.segments()) {
                copySnapshot(segment.baseOffset());
            }
            var epochs = log.leaderEpochs();
            onTarget(() -> {
                for (long base : List.copyOf(left.keySet())) {
                    storage.delete(SegmentFiles.path(directory, base, SegmentFiles.LOG));
                    left.remove(base);
                }
                writeEpochs(epochs);
                LogMoves.write(storage, directory, number);
                forceUnfinished();
                storage.syncDirectory(directory);
                storage.syncDirectory(logDir);
            });
            durableUpTo = end;
            prepared = true;
        } catch (IOException e) {
            throw log.failed(e);
        }
    }

    private void forceUnfinished() throws IOException {
        for (var part : parts.values()) {
            if (!part.complete) {
                part.copy.writeIndexes();
                part.copy.force();
            }
        }
    }

    private void writeEpochs(LeaderEpochHistory epochs) throws IOException {
        storage.replace(directory.resolve(LeaderEpochCheckpoint.FILE_NAME), LeaderEpochCheckpoint.format(epochs), true);
        durableEpochs = epochs;
    }

    private void copySnapshot(long offset) throws IOException {
        if (offset < 0) {
            return;
        }
        var path = SegmentFiles.path(log.directory(), offset, SegmentFiles.PRODUCER_SNAPSHOT);
        if (!snapshots.contains(offset) && storage.exists(path)) {
            var content = storage.readAll(path);
            onTarget(() -> storage.replace(
                    SegmentFiles.path(directory, offset, SegmentFiles.PRODUCER_SNAPSHOT), content, true));
            snapshots.add(offset);
        }
    }

    /// Puts the copy in the log's place, which waits meanwhile.
    ///
    /// @return what the log has left behind; null if that cannot be now, because there is too much
    ///     to copy or [#prepare] has not been called since the log was cut, or not any more
    public synchronized PartitionLog.@Nullable Vacated swap() {
        if (closed || !prepared) {
            return null;
        }
        var vacated = log.moveTo(this);
        closed = vacated != null;
        return vacated;
    }

    /// Under the log's lock, by the log.
    @Nullable
    Arrived complete(List<LogSegment> segments, LogSummary summary, LeaderEpochHistory epochs, Demands demands)
            throws IOException {
        reconcile(segments, demands.truncations());
        if (!prepared || !fewIsLeft(segments)) {
            return null;
        }
        if (!segments.isEmpty()) {
            copy(segments, Integer.MAX_VALUE, ByteBuffer.allocate(MOST_UNDER_LOCK));
            var last = partOf(segments.getLast());
            cutOff(last);
            copyAborted(last);
        }
        copySnapshot(demands.newestSnapshot());
        onTarget(() -> {
            if (!epochs.equals(durableEpochs)) {
                writeEpochs(epochs);
            }
            if (demands.flushedUpTo() > durableUpTo) {
                forceUnfinished();
                storage.syncDirectory(directory);
            }
        });
        commit(summary);
        var copies = segments.stream()
                .map(segment -> Objects.requireNonNull(parts.get(segment)).copy)
                .toList();
        parts.clear();
        return new Arrived(
                copies, snapshots.stream().mapToLong(Long::longValue).max().orElse(-1L));
    }

    private boolean fewIsLeft(List<LogSegment> segments) {
        if (segments.isEmpty()) {
            return true;
        }
        for (var segment : segments.subList(0, segments.size() - 1)) {
            var part = parts.get(segment);
            if (part == null || !part.complete) {
                return false;
            }
        }
        var last = parts.get(segments.getLast());
        return last != null && segments.getLast().sizeInBytes() - last.copied <= MOST_UNDER_LOCK;
    }

    private void commit(LogSummary summary) throws IOException {
        long cleaned = log.cleanedUpTo();
        var home = logDir.resolve(log.topicPartition().toString());
        onTarget(() -> {
            if (cleaned >= 0) {
                journal.cleaned(log, cleaned);
                journal.saveCleanedUpTo();
            }
            journal.arriving(log, summary);
        });
        try {
            storage.rename(directory, home);
            storage.syncDirectory(logDir);
        } catch (IOException e) {
            // Nobody knows which name the copy has now. It must not count, or what is written from
            // now on is lost.
            LogMoves.write(storage, log.directory(), LogMoves.number(storage, log.directory()) + 2);
            storage.syncDirectory(log.directory());
            throw journal.failed(log, e);
        }
        for (var part : parts.values()) {
            part.copy.movedTo(home);
        }
    }

    /// Gives the copy up. Its files stay.
    public synchronized void close() {
        if (!closed) {
            closed = true;
            parts.values().forEach(part -> part.copy.release());
            parts.clear();
        }
    }

    // ---- disks

    private interface OnTarget {
        void run() throws IOException;
    }

    private void onTarget(OnTarget action) {
        try {
            journal.checkOnline();
            action.run();
        } catch (IOException e) {
            throw journal.failed(log, e);
        }
    }

    /// The topic the copy in a directory is of, [Uuid#ZERO] if that is not known.
    public static Uuid topicId(LogStorage storage, Path directory) throws IOException {
        return PartitionMetadataFile.read(storage, directory);
    }
}
