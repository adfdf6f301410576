package io.moldau.log.scrub;

import io.moldau.log.epoch.LeaderEpochHistory;
import io.moldau.log.segment.LogSegment;
import io.moldau.wire.record.RecordBatch;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/// Walks over the batches of a segment and believes nothing it reads: neither the checksummed part of a batch nor its
/// offset, length and leader epoch, which no checksum covers.
///
/// An offset is held against the batch before, the batch behind and the offsets the segment may have; an epoch against
/// the log's history of epochs. Where batches are missing between two (compaction), an offset that was changed into the
/// gap is not noticed by this.
///
/// Reads a piece of the file at a time into one buffer, however large a batch is. Used by one thread.
public final class SegmentCheck {

    /// What the log says of the segment's records.
    ///
    /// @param size up to where the file counts
    /// @param endOffset no record in it may be at or behind this
    public record Bounds(int size, long endOffset, LeaderEpochHistory epochs) {}

    private static final class Header {
        int position;
        int size;
        long baseOffset;
        int epoch;
        int lastOffsetDelta;
        long crc;
        boolean plausible;

        long nextOffset() {
            return baseOffset + lastOffsetDelta + 1;
        }

        int nextPosition() {
            return position + size;
        }
    }

    private final LogSegment segment;
    private final Bounds bounds;
    private final ByteBuffer buffer;
    private final CRC32C crc = new CRC32C();
    private Header current = new Header();
    private Header behind = new Header();
    private long bufferStart;
    private int nextPosition;
    private long expectedOffset;
    private boolean epochWasOther;
    private @Nullable Damage damage;

    /// @param buffer scratch space, the larger the faster; at least a header long
    public SegmentCheck(LogSegment segment, Bounds bounds, ByteBuffer buffer) {
        this.segment = segment;
        this.bounds = bounds;
        this.buffer = buffer.clear().limit(0);
        this.expectedOffset = segment.baseOffset();
    }

    /// Goes on at a batch that is known to begin there, with offsets at or behind `offset`.
    public void startAt(int position, long offset) {
        nextPosition = position;
        expectedOffset = offset;
        damage = null;
        epochWasOther = false;
    }

    /// Goes on where an entry of the offset index leads.
    ///
    /// @return false if no batch with that last offset is there; the walk then begins with the segment
    public boolean startAt(LogSegment.IndexEntry entry) throws IOException {
        read(current, entry.position());
        boolean found = current.plausible && current.nextOffset() == entry.lastOffset() + 1;
        startAt(found ? entry.position() : 0, found ? current.baseOffset : segment.baseOffset());
        return found;
    }

    /// Moves to the next batch that is sound.
    ///
    /// @return false at the end, and before damage
    public boolean next() throws IOException {
        damage = null;
        if (nextPosition >= bounds.size()) {
            return false;
        }
        read(current, nextPosition);
        int suspects = 1;
        String wrong = reason();
        if (wrong == null) {
            read(behind, current.nextPosition());
            boolean overlap = behind.plausible && behind.baseOffset < current.nextOffset();
            if (overlap && current.baseOffset > expectedOffset) {
                // One of the two has another offset than it was written with. If all fits without the gap before this
                // one it is this; else it cannot be told.
                suspects = behind.baseOffset == expectedOffset + current.lastOffsetDelta + 1 ? 1 : 2;
                wrong = "offset " + current.baseOffset + " does not fit between those before and behind it";
            } else if (epochIsDamaged()) {
                wrong = "leader epoch " + current.epoch + ", the log's history says "
                        + bounds.epochs().epochForOffset(current.baseOffset);
            }
        }
        if (wrong != null) {
            damage = describe(suspects, wrong);
            return false;
        }
        nextPosition = current.nextPosition();
        expectedOffset = current.nextOffset();
        return true;
    }

    /// What [#next] stopped at; null if it was the end.
    public @Nullable Damage damage() {
        return damage;
    }

    /// Goes on behind the damage.
    public void skip() {
        var skipped = damage;
        if (skipped != null) {
            startAt(skipped.toPosition(), skipped.toOffset());
        }
    }

    public int position() {
        return current.position;
    }

    /// Behind the batch.
    public int nextPosition() {
        return nextPosition;
    }

    public long lastOffset() {
        return expectedOffset - 1;
    }

    /// Behind the batch.
    public long nextOffset() {
        return expectedOffset;
    }

    // ---- what is wrong with a batch

    private @Nullable String reason() throws IOException {
        if (!current.plausible) {
            return "no whole batch begins there";
        }
        if (checksum(current) != current.crc) {
            return "wrong checksum";
        }
        if (current.baseOffset < expectedOffset) {
            return "offset " + current.baseOffset + ", though the records before end at " + expectedOffset;
        }
        if (current.nextOffset() > bounds.endOffset() || !segment.canHold(current.nextOffset() - 1)) {
            return "offset " + current.baseOffset + ", though all of the segment's records are below "
                    + bounds.endOffset();
        }
        return null;
    }

    // A history that is wrong itself contradicts more than one batch.
    private boolean epochIsDamaged() {
        boolean before = epochWasOther;
        epochWasOther = isOtherEpoch(current);
        return epochWasOther && !before && !(behind.plausible && isOtherEpoch(behind));
    }

    private boolean isOtherEpoch(Header header) {
        int known = bounds.epochs().epochForOffset(header.baseOffset);
        return known >= 0 && header.epoch != known;
    }

    /// Finds where the log goes on.
    private Damage describe(int suspects, String wrong) throws IOException {
        int from = nextPosition;
        int size = current.size;
        if (suspects == 2) {
            size = behind.nextPosition() - from;
        }
        if (from + size == bounds.size()) {
            return damage(from, bounds.size(), bounds.endOffset(), wrong);
        }
        var found = goesOnAt(from + (long) size);
        // It may be the length that is wrong.
        for (int bit = 0; found == null && suspects == 1 && bit < Integer.SIZE - 1; bit++) {
            found = goesOnAt(from + (long) ((size - RecordBatch.LOG_OVERHEAD) ^ 1 << bit) + RecordBatch.LOG_OVERHEAD);
        }
        var entry = segment.firstEntryBehind(from);
        while (found == null && entry != null) {
            found = goesOnAt(entry.position());
            entry = segment.firstEntryBehind(entry.position());
        }
        return found == null
                ? damage(from, bounds.size(), bounds.endOffset(), wrong)
                : damage(from, found.position, found.baseOffset, wrong);
    }

    private @Nullable Header goesOnAt(long position) throws IOException {
        if (position <= nextPosition || position >= bounds.size()) {
            return null;
        }
        var found = new Header();
        read(found, (int) position);
        return found.plausible
                        && found.baseOffset >= expectedOffset
                        && found.nextOffset() <= bounds.endOffset()
                        && checksum(found) == found.crc
                ? found
                : null;
    }

    private Damage damage(int from, int to, long toOffset, String wrong) {
        return new Damage(
                segment.baseOffset(),
                from,
                to,
                expectedOffset,
                toOffset,
                "'" + segment.path() + "' at byte " + from + ": " + wrong,
                false);
    }

    // ---- reading

    private void read(Header header, int position) throws IOException {
        header.position = position;
        header.size = 0;
        header.plausible = false;
        if (bounds.size() - position < RecordBatch.HEADER_SIZE || !load(position, RecordBatch.HEADER_SIZE)) {
            return;
        }
        int at = (int) (position - bufferStart);
        int length = buffer.getInt(at + RecordBatch.LENGTH_OFFSET);
        header.baseOffset = buffer.getLong(at + RecordBatch.BASE_OFFSET_OFFSET);
        header.epoch = buffer.getInt(at + RecordBatch.PARTITION_LEADER_EPOCH_OFFSET);
        header.lastOffsetDelta = buffer.getInt(at + RecordBatch.LAST_OFFSET_DELTA_OFFSET);
        header.crc = buffer.getInt(at + RecordBatch.CRC_OFFSET) & 0xFFFF_FFFFL;
        header.plausible = buffer.get(at + RecordBatch.MAGIC_OFFSET) == RecordBatch.MAGIC_V2
                && length >= RecordBatch.HEADER_SIZE - RecordBatch.LOG_OVERHEAD
                && length <= bounds.size() - position - RecordBatch.LOG_OVERHEAD
                && header.lastOffsetDelta >= 0
                && header.baseOffset >= 0;
        header.size = RecordBatch.LOG_OVERHEAD + length;
    }

    private long checksum(Header header) throws IOException {
        crc.reset();
        int at = header.position + RecordBatch.ATTRIBUTES_OFFSET;
        int end = header.nextPosition();
        while (at < end) {
            if (!load(at, 1)) {
                return -1;
            }
            int first = (int) (at - bufferStart);
            int count = Math.min(end - at, buffer.limit() - first);
            crc.update(buffer.slice(first, count));
            at += count;
        }
        return crc.getValue();
    }

    /// Has so many bytes of the file in the buffer; false if the file has fewer.
    private boolean load(int position, int wanted) throws IOException {
        if (position >= bufferStart && position + (long) wanted <= bufferStart + buffer.limit()) {
            return true;
        }
        buffer.clear().limit(Math.min(buffer.capacity(), Math.max(wanted, bounds.size() - position)));
        int read = segment.file().read(buffer, position);
        buffer.flip();
        bufferStart = position;
        return read >= wanted;
    }
}
