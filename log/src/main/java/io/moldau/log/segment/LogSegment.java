package io.moldau.log.segment;

import io.moldau.log.producer.CompletedTransaction;
import io.moldau.log.storage.CorruptLogException;
import io.moldau.log.storage.DiskException;
import io.moldau.log.storage.LogFile;
import io.moldau.log.storage.LogStorage;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/// One segment: a file of record batches that begins at a base offset, with its offset, time and transaction
/// index.
///
/// Appending, truncating and writing indexes happen under the log's append lock. Looking up and reading happen
/// on any thread, without a lock, below an end the caller knows from the log's published state. The file stays
/// open as long as somebody [#retain]s it, also after retention has deleted the segment.
public final class LogSegment {

    private static final int LOOKUP_CHUNK = 4096;
    // For an index that is built again long after the setting it was made with.
    private static final int DEFAULT_INTERVAL = 4096;
    private static final int REBUILD_ABOVE = 1 << 20;
    private static final long NOT_PEEKED = Long.MIN_VALUE;

    /// What an entry of the offset index says: a batch with that last offset begins at that byte.
    public record IndexEntry(int position, long lastOffset) {}

    private final long baseOffset;
    private final LogStorage storage;
    private final LogFile file;
    private final SparseIndex offsetIndex;
    private final SparseIndex timeIndex;
    private final TransactionIndex transactionIndex;
    private final CheckedRegions checkedRegions;
    private final long createdMs;
    private volatile Path directory;
    private volatile String suffix;

    private volatile int size;
    private volatile long maxTimestamp = -1;
    private volatile long offsetOfMaxTimestamp;
    private volatile boolean indexesLoaded;
    private long firstBatchTimestamp = -1;
    private int bytesSinceIndexEntry;
    private int lastBatchPosition = -1;
    // What the files say of the greatest timestamp before the indexes are loaded, once that was checked.
    private volatile long peekedMaxTimestamp = NOT_PEEKED;

    // One reference is the log's own.
    private final AtomicInteger references = new AtomicInteger(1);

    private LogSegment(
            LogStorage storage,
            Path directory,
            long baseOffset,
            String suffix,
            LogFile file,
            int size,
            boolean fresh,
            long nowMs) {
        this.storage = storage;
        this.directory = directory;
        this.baseOffset = baseOffset;
        this.suffix = suffix;
        this.file = file;
        this.size = size;
        this.createdMs = nowMs;
        this.offsetOfMaxTimestamp = baseOffset;
        this.offsetIndex = SparseIndex.ofOffsets(
                storage, SegmentFiles.path(directory, baseOffset, SegmentFiles.OFFSET_INDEX + suffix));
        this.timeIndex = SparseIndex.ofTimes(
                storage, SegmentFiles.path(directory, baseOffset, SegmentFiles.TIME_INDEX + suffix));
        this.transactionIndex = new TransactionIndex(
                storage, SegmentFiles.path(directory, baseOffset, SegmentFiles.TRANSACTION_INDEX + suffix));
        this.checkedRegions = new CheckedRegions(size);
        this.indexesLoaded = fresh;
    }

    /// Makes a new, empty segment.
    public static LogSegment create(LogStorage storage, Path directory, long baseOffset, long nowMs)
            throws IOException {
        return create(storage, directory, baseOffset, "", nowMs);
    }

    /// Makes a new, empty segment whose files are no part of the log yet.
    public static LogSegment createCleaned(LogStorage storage, Path directory, long baseOffset, long nowMs)
            throws IOException {
        return create(storage, directory, baseOffset, SegmentFiles.CLEANED, nowMs);
    }

    private static LogSegment create(LogStorage storage, Path directory, long baseOffset, String suffix, long nowMs)
            throws IOException {
        var path = SegmentFiles.path(directory, baseOffset, SegmentFiles.LOG + suffix);
        var file = storage.open(path, LogStorage.Access.CREATE);
        if (file.size() > 0) {
            file.truncate(0);
        }
        // Left by an earlier segment of this name that a crash kept from being deleted.
        for (var kind : SegmentFiles.INDEXES) {
            storage.delete(SegmentFiles.path(directory, baseOffset, kind + suffix));
        }
        return new LogSegment(storage, directory, baseOffset, suffix, file, 0, true, nowMs);
    }

    /// Opens an existing segment. Its indexes are loaded on first use.
    public static LogSegment open(LogStorage storage, Path directory, long baseOffset, long nowMs) throws IOException {
        var path = SegmentFiles.path(directory, baseOffset, SegmentFiles.LOG);
        var file = storage.open(path, LogStorage.Access.READ_WRITE);
        long size = file.size();
        if (size > Integer.MAX_VALUE) {
            file.close();
            throw new CorruptLogException("'" + path + "' has " + size + " bytes; a segment has at most 2^31 - 1");
        }
        return new LogSegment(storage, directory, baseOffset, "", file, (int) size, false, nowMs);
    }

    public long baseOffset() {
        return baseOffset;
    }

    public LogFile file() {
        return file;
    }

    public int sizeInBytes() {
        return size;
    }

    public Path path() {
        return SegmentFiles.path(directory, baseOffset, SegmentFiles.LOG + suffix);
    }

    public TransactionIndex transactionIndex() {
        return transactionIndex;
    }

    /// Which bytes readers may have without another check.
    public CheckedRegions checkedRegions() {
        return checkedRegions;
    }

    public long createdMs() {
        return createdMs;
    }

    // ---- life of the file

    /// Keeps the file open until [#release].
    ///
    /// @return false if it has been closed already
    public boolean tryRetain() {
        int count = references.get();
        while (count > 0) {
            if (references.compareAndSet(count, count + 1)) {
                return true;
            }
            count = references.get();
        }
        return false;
    }

    public void retain() {
        if (!tryRetain()) {
            throw new IllegalStateException("Segment " + path() + " has been closed");
        }
    }

    /// Gives back one reference; the last one closes the file.
    public void release() {
        if (references.decrementAndGet() == 0) {
            try {
                offsetIndex.close();
                timeIndex.close();
                transactionIndex.close();
                file.close();
            } catch (IOException e) {
                // Nothing was written through these since the last force that counted, so nothing is lost by it.
                throw new java.io.UncheckedIOException("Closing " + path(), e);
            }
        }
    }

    /// Renames the files so that no start takes them for a part of the log any more.
    public void markDeleted() throws IOException {
        // The records first: should a crash come in between, none is left without its indexes.
        renameFile(SegmentFiles.LOG, SegmentFiles.DELETED);
        renameTo(SegmentFiles.DELETED);
    }

    /// Gives the files another suffix, that of the records last. So as long as the records have the old one, whoever
    /// finishes this after a crash knows which indexes belong to them.
    public void renameTo(String newSuffix) throws IOException {
        for (var kind : SegmentFiles.INDEXES) {
            renameFile(kind, newSuffix);
        }
        renameFile(SegmentFiles.LOG, newSuffix);
        suffix = newSuffix;
        movedTo(directory);
    }

    private void renameFile(String kind, String newSuffix) throws IOException {
        var from = SegmentFiles.path(directory, baseOffset, kind + suffix);
        if (storage.exists(from)) {
            storage.rename(from, SegmentFiles.path(directory, baseOffset, kind + newSuffix));
        }
    }

    /// Deletes the files, under whatever name they have now, and gives back the log's reference.
    public void deleteFiles() throws IOException {
        storage.delete(SegmentFiles.path(directory, baseOffset, SegmentFiles.LOG + suffix));
        for (var kind : SegmentFiles.INDEXES) {
            storage.delete(SegmentFiles.path(directory, baseOffset, kind + suffix));
        }
        release();
    }

    /// The directory was renamed.
    public void movedTo(Path newDirectory) {
        directory = newDirectory;
        offsetIndex.movedTo(SegmentFiles.path(newDirectory, baseOffset, SegmentFiles.OFFSET_INDEX + suffix));
        timeIndex.movedTo(SegmentFiles.path(newDirectory, baseOffset, SegmentFiles.TIME_INDEX + suffix));
        transactionIndex.movedTo(SegmentFiles.path(newDirectory, baseOffset, SegmentFiles.TRANSACTION_INDEX + suffix));
    }

    // ---- writing

    /// Writes batches at the end. They become visible to readers with [#publish].
    public void write(ByteBuffer batches) throws IOException {
        try {
            file.write(batches, size);
        } catch (IOException e) {
            if (DiskException.isFull(e)) {
                // What fitted is of no use, and others can use the room.
                file.truncate(size);
            }
            throw e;
        }
    }

    /// Forgets batches that were written and entered but never published.
    ///
    /// @param endOffset where the log ends without them
    public void rewind(long endOffset, ByteBuffer scratch) throws IOException {
        truncateToPosition(size, endOffset, scratch);
    }

    /// Enters one batch, in order, into the indexes.
    ///
    /// @param position where in the file it begins
    public void index(long lastOffset, long timestamp, int position, int sizeInBytes, int indexIntervalBytes) {
        if (position == 0) {
            firstBatchTimestamp = timestamp;
        }
        lastBatchPosition = position;
        if (timestamp > maxTimestamp) {
            offsetOfMaxTimestamp = lastOffset;
            maxTimestamp = timestamp;
        }
        if (bytesSinceIndexEntry > indexIntervalBytes) {
            offsetIndex.append(relative(lastOffset), position);
            appendTimeEntry();
            bytesSinceIndexEntry = 0;
        }
        bytesSinceIndexEntry += sizeInBytes;
    }

    private void appendTimeEntry() {
        if (maxTimestamp > timeIndex.lastKey()) {
            timeIndex.append(maxTimestamp, relative(offsetOfMaxTimestamp));
        }
    }

    private int relative(long offset) {
        return (int) (offset - baseOffset);
    }

    /// Makes what was written visible.
    public void publish(int newSize) {
        size = newSize;
    }

    public void addAborted(CompletedTransaction aborted, long lastStableOffset) throws IOException {
        transactionIndex.append(aborted, lastStableOffset);
    }

    /// Whether an offset can still be written relative to the base offset.
    public boolean canHold(long offset) {
        return offset - baseOffset <= Integer.MAX_VALUE && offset >= baseOffset;
    }

    public int offsetIndexSizeInBytes() {
        return offsetIndex.sizeInBytes();
    }

    public int timeIndexSizeInBytes() {
        return timeIndex.sizeInBytes();
    }

    /// The maximum timestamp of the first batch, -1 if there is none.
    public long firstBatchTimestamp() {
        return firstBatchTimestamp;
    }

    /// Opens the index files, so that who still reads this segment does not open those of another one under their
    /// names.
    public void holdIndexes() throws IOException {
        ensureIndexes();
        transactionIndex.entries();
        offsetIndex.hold();
        timeIndex.hold();
    }

    /// Makes the indexes in the files complete. The last time entry says what the maximum is.
    public void writeIndexes() throws IOException {
        ensureIndexes();
        offsetIndex.write();
        timeIndex.write();
    }

    /// The segment will not be written to any more.
    public void becomeInactive() throws IOException {
        appendTimeEntry();
        writeIndexes();
        offsetIndex.releaseMemory();
        timeIndex.releaseMemory();
    }

    /// Completes the index files, for a segment that another start will open to write to it again.
    public void finish() throws IOException {
        ensureIndexes();
        appendTimeEntry();
        writeIndexes();
        force();
    }

    /// Makes everything written so far durable. Called without the append lock; appends may go on meanwhile.
    public void force() throws IOException {
        file.force();
        offsetIndex.force();
        timeIndex.force();
        transactionIndex.force();
    }

    /// Cuts the segment before the batch that holds `offset`.
    ///
    /// @return how many bytes were cut
    public int truncateTo(long offset, ByteBuffer scratch) throws IOException {
        ensureIndexes();
        int position = positionOf(offset, size, scratch);
        if (position < 0) {
            return 0;
        }
        int cut = size - position;
        truncateToPosition(position, offset, scratch);
        return cut;
    }

    private void truncateToPosition(int position, long endOffset, ByteBuffer scratch) throws IOException {
        offsetIndex.truncateToValuesBelow(position);
        timeIndex.truncateToValuesBelow(relative(endOffset));
        transactionIndex.truncateTo(endOffset);
        cutAt(position);
        restoreAppendState(size, scratch);
    }

    // ---- indexes of a segment that was there before

    private void ensureIndexes() throws IOException {
        if (!indexesLoaded) {
            loadIndexes(ByteBuffer.allocate(LOOKUP_CHUNK));
        }
    }

    /// Loads the index files; missing or damaged ones are built again from the data.
    ///
    /// @return whether they had to be built
    public synchronized boolean loadIndexes(ByteBuffer scratch) throws IOException {
        if (indexesLoaded) {
            return false;
        }
        boolean rebuild = !offsetIndex.load(Math.max(size - 1, 0)) || !timeIndex.load(Integer.MAX_VALUE);
        if (!rebuild && offsetIndex.count() > 0) {
            // The last entry must lead to the batch it speaks of, else the file belongs to another one.
            var header = new BatchHeader(file, scratch);
            rebuild = !header.moveTo(offsetIndex.lastValue(), size)
                    || header.baseOffset() > baseOffset + offsetIndex.lastKey()
                    || header.lastOffset() < baseOffset + offsetIndex.lastKey();
        }
        if (!rebuild && timeIndex.count() > 0) {
            rebuild = !isTimeOf(new SparseIndex.Entry(timeIndex.lastKey(), timeIndex.lastValue()), scratch);
        }
        if (!rebuild && offsetIndex.count() == 0 && size > REBUILD_ABOVE) {
            // Right, and slow for as long as the segment lives.
            rebuild = true;
        }
        if (rebuild) {
            rebuildIndexes(scratch);
        } else {
            restoreAppendState(size, scratch);
        }
        indexesLoaded = true;
        return rebuild;
    }

    /// Whether the batch that a time entry leads to has that timestamp; if not, the file is damaged
    /// or belongs to another segment. Whoever believed it would delete records too early or pass
    /// over some.
    private boolean isTimeOf(SparseIndex.Entry entry, ByteBuffer scratch) throws IOException {
        long offset = baseOffset + entry.value();
        var header = new BatchHeader(file, scratch);
        int position;
        if (indexesLoaded) {
            position = offsetIndex.floor(entry.value(), 0);
        } else {
            var near = offsetIndex.peekFloor(entry.value());
            position = near == null ? 0 : near.value();
        }
        if (!header.moveTo(position, size) || header.baseOffset() < baseOffset || header.baseOffset() > offset) {
            position = 0;
        }
        while (header.moveTo(position, size)) {
            if (header.lastOffset() >= offset) {
                return header.baseOffset() <= offset && header.maxTimestamp() == entry.key();
            }
            position = header.nextPosition();
        }
        return false;
    }

    private void rebuildIndexes(ByteBuffer scratch) throws IOException {
        clearIndexes();
        var header = new BatchHeader(file, scratch);
        int position = 0;
        while (header.moveTo(position, size)) {
            index(header.lastOffset(), header.maxTimestamp(), position, header.sizeInBytes(), DEFAULT_INTERVAL);
            position = header.nextPosition();
        }
        appendTimeEntry();
        offsetIndex.write();
        timeIndex.write();
    }

    /// Empties the indexes before [#index] is called for every batch again.
    public void beginRebuild() {
        clearIndexes();
        indexesLoaded = true;
    }

    private void clearIndexes() {
        offsetIndex.reset();
        timeIndex.reset();
        maxTimestamp = -1;
        offsetOfMaxTimestamp = baseOffset;
        firstBatchTimestamp = -1;
        bytesSinceIndexEntry = 0;
        lastBatchPosition = -1;
    }

    /// Forgets the aborted transactions, which will be added again.
    public void resetTransactionIndex() throws IOException {
        transactionIndex.reset();
    }

    // Takes the maximum timestamp from the time index, and what the index does not cover from the batches.
    private void restoreAppendState(int end, ByteBuffer scratch) throws IOException {
        maxTimestamp = timeIndex.lastKey();
        offsetOfMaxTimestamp = timeIndex.count() == 0 ? baseOffset : baseOffset + timeIndex.lastValue();
        firstBatchTimestamp = -1;
        var header = new BatchHeader(file, scratch);
        if (header.moveTo(0, end)) {
            firstBatchTimestamp = header.maxTimestamp();
        }
        int indexed = offsetIndex.count() == 0 ? 0 : offsetIndex.lastValue();
        // Without a time entry either no record has a time or the entries were lost: look at all batches.
        int position = timeIndex.count() == 0 ? 0 : indexed;
        bytesSinceIndexEntry = 0;
        lastBatchPosition = -1;
        while (header.moveTo(position, end)) {
            lastBatchPosition = position;
            if (header.maxTimestamp() > maxTimestamp) {
                maxTimestamp = header.maxTimestamp();
                offsetOfMaxTimestamp = header.lastOffset();
            }
            bytesSinceIndexEntry += position >= indexed ? header.sizeInBytes() : 0;
            position = header.nextPosition();
        }
    }

    // ---- recovery

    /// Cuts the file at `position`, whatever stands there. Durable on return: nothing may ever be written to
    /// this file again, so no later force would keep the bytes from coming back.
    public void cutAt(int position) throws IOException {
        file.truncate(position);
        size = position;
        checkedRegions.cut(position);
        file.force();
    }

    /// Where the batches begin that the index on disk does not lead to: recovery need not look at headers before
    /// it.
    public int lastIndexedPosition() throws IOException {
        ensureIndexes();
        return offsetIndex.count() == 0 ? 0 : offsetIndex.lastValue();
    }

    /// Forgets what the indexes say of batches at or behind `position`, which will be entered again with
    /// [#index].
    ///
    /// @param offset where the batch at that position begins
    public void rewindIndexes(int position, long offset, ByteBuffer scratch) throws IOException {
        ensureIndexes();
        offsetIndex.truncateToValuesBelow(position);
        timeIndex.truncateToValuesBelow((int) Math.min(offset - baseOffset, Integer.MAX_VALUE));
        transactionIndex.truncateTo(offset);
        restoreAppendState(position, scratch);
    }

    // ---- looking up

    /// Where the first batch begins whose last offset is at or behind `offset`.
    ///
    /// @param end up to where the file may be read
    /// @return -1 if there is none, or damage is in the way
    public int positionOf(long offset, int end, ByteBuffer scratch) throws IOException {
        ensureIndexes();
        int from = offset < baseOffset ? 0 : offsetIndex.floor(offset - baseOffset, 0);
        var header = new BatchHeader(file, scratch);
        int position = from;
        if (from > 0
                && (!header.moveTo(from, end) || header.baseOffset() > offset || header.baseOffset() < baseOffset)) {
            // The entry is wrong, or lies behind an end that was read before it was written: do without the
            // index.
            position = 0;
        }
        while (header.moveTo(position, end)) {
            if (header.lastOffset() >= offset) {
                return position;
            }
            position = header.nextPosition();
        }
        return -1;
    }

    /// Where the segment's batches end, found from what the index knows of the last ones; -1 if the
    /// file does not end with a whole batch.
    public long endOffsetIfWhole(ByteBuffer scratch) throws IOException {
        var header = new BatchHeader(file, scratch);
        var last = offsetIndex.peekLast();
        int position = 0;
        if (last != null
                && header.moveTo(last.value(), size)
                && header.baseOffset() >= baseOffset
                && header.lastOffset() == baseOffset + last.key()) {
            position = last.value();
        }
        long end = baseOffset;
        while (header.moveTo(position, size)) {
            if (header.baseOffset() < end) {
                return -1;
            }
            end = header.lastOffset() + 1;
            position = header.nextPosition();
        }
        return position == size ? end : -1;
    }

    /// Where the last batch begins, -1 if there is none. Of the segment that is written to.
    public int lastBatchPosition() {
        return lastBatchPosition;
    }

    /// The checksum in the header of the batch at `position`, 0 if none begins there.
    public int crcAt(int position, ByteBuffer scratch) throws IOException {
        var header = new BatchHeader(file, scratch);
        return header.moveTo(position, size) ? header.crc() : 0;
    }

    /// The last entry of the offset index whose batch does not end behind `offset`, null if there is none.
    public @Nullable IndexEntry entryAtOrBefore(long offset) throws IOException {
        ensureIndexes();
        return offset < baseOffset ? null : entry(offsetIndex.floorEntry(offset - baseOffset));
    }

    /// The first entry of the offset index that leads behind `position`, null if there is none.
    public @Nullable IndexEntry firstEntryBehind(int position) throws IOException {
        ensureIndexes();
        return entry(offsetIndex.firstEntryWithValueAbove(position));
    }

    private @Nullable IndexEntry entry(SparseIndex.@Nullable Entry entry) {
        return entry == null ? null : new IndexEntry(entry.value(), baseOffset + entry.key());
    }

    /// The size of the batch that begins at `position`, 0 if none does.
    public int batchSizeAt(int position, int end, ByteBuffer scratch) throws IOException {
        var header = new BatchHeader(file, scratch);
        return header.moveTo(position, end) ? header.sizeInBytes() : 0;
    }

    /// The offset that the batch at `position` says it begins with.
    public long baseOffsetAt(int position, ByteBuffer scratch) throws IOException {
        var header = new BatchHeader(file, scratch);
        return header.moveTo(position, size) ? header.baseOffset() : -1;
    }

    /// The greatest timestamp of any batch, -1 if there is none.
    public long maxTimestamp() throws IOException {
        ensureIndexes();
        return maxTimestamp;
    }

    /// [#maxTimestamp] without loading the indexes, where the files allow that.
    public long peekMaxTimestamp() throws IOException {
        if (indexesLoaded) {
            return maxTimestamp;
        }
        long peeked = peekedMaxTimestamp;
        if (peeked == NOT_PEEKED) {
            var last = timeIndex.peekLast();
            peeked = last != null && isTimeOf(last, ByteBuffer.allocate(LOOKUP_CHUNK)) ? last.key() : maxTimestamp();
            peekedMaxTimestamp = peeked;
        }
        return peeked;
    }

    /// The last offset of the first batch with the greatest timestamp.
    public long offsetOfMaxTimestamp() throws IOException {
        ensureIndexes();
        return offsetOfMaxTimestamp;
    }

    /// An offset such that no batch that ends before it has a record at or after `timestamp`.
    public long offsetBelowTimestamp(long timestamp) throws IOException {
        ensureIndexes();
        var entry = timeIndex.floorEntry(timestamp);
        return entry != null && isTimeOf(entry, ByteBuffer.allocate(LOOKUP_CHUNK))
                ? baseOffset + entry.value()
                : baseOffset;
    }

    /// What retention by time goes by: the greatest timestamp, or the file's own age if no record has one.
    public long retentionTimestamp() throws IOException {
        long timestamp = peekMaxTimestamp();
        return timestamp >= 0 ? timestamp : lastModifiedMs();
    }

    /// When the file of records was written to last.
    public long lastModifiedMs() throws IOException {
        return storage.lastModifiedMs(path());
    }

    /// Whether the transaction index is missing or sound.
    public boolean transactionIndexIsSound(long endOffset) throws IOException {
        return transactionIndex.isSound(baseOffset, endOffset);
    }

    @Override
    public String toString() {
        return "LogSegment(" + path() + ", size=" + size + ")";
    }
}
