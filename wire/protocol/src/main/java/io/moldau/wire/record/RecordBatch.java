package io.moldau.wire.record;

import io.moldau.wire.protocol.MalformedMessageException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/// A view of one record batch of format v2 inside a buffer, heap or direct; reading a header field creates nothing.
///
/// ```
///  0 baseOffset i64            21 attributes i16         43 producerId i64
///  8 length i32, of the rest   23 lastOffsetDelta i32    51 producerEpoch i16
/// 12 partitionLeaderEpoch i32  27 baseTimestamp i64      53 baseSequence i32
/// 16 magic i8                  35 maxTimestamp i64       57 recordCount i32
/// 17 crc u32, of 21 to end                               61 records
/// ```
///
/// A view is reusable: [#wrap] moves it to another batch. Fields are read by absolute position, so the buffer's own
/// position and limit neither matter nor change, except that `wrap` takes the limit as the end of the region. Setters
/// write into the buffer. Not for use by several threads at once.
public final class RecordBatch {

    public static final int BASE_OFFSET_OFFSET = 0;
    public static final int LENGTH_OFFSET = 8;
    public static final int PARTITION_LEADER_EPOCH_OFFSET = 12;
    public static final int MAGIC_OFFSET = 16;
    public static final int CRC_OFFSET = 17;
    public static final int ATTRIBUTES_OFFSET = 21;
    public static final int LAST_OFFSET_DELTA_OFFSET = 23;
    public static final int BASE_TIMESTAMP_OFFSET = 27;
    public static final int MAX_TIMESTAMP_OFFSET = 35;
    public static final int PRODUCER_ID_OFFSET = 43;
    public static final int PRODUCER_EPOCH_OFFSET = 51;
    public static final int BASE_SEQUENCE_OFFSET = 53;
    public static final int RECORD_COUNT_OFFSET = 57;
    public static final int RECORDS_OFFSET = 61;

    /// Base offset and length, which the length does not count.
    public static final int LOG_OVERHEAD = 12;

    /// The size of a batch without records.
    public static final int HEADER_SIZE = RECORDS_OFFSET;

    public static final byte MAGIC_V2 = 2;

    public static final long NO_TIMESTAMP = -1L;
    public static final long NO_PRODUCER_ID = -1L;
    public static final short NO_PRODUCER_EPOCH = -1;
    public static final int NO_SEQUENCE = -1;
    public static final int NO_PARTITION_LEADER_EPOCH = -1;

    static final int COMPRESSION_MASK = 0x07;
    static final int TIMESTAMP_TYPE_MASK = 0x08;
    static final int TRANSACTIONAL_MASK = 0x10;
    static final int CONTROL_MASK = 0x20;
    static final int DELETE_HORIZON_MASK = 0x40;

    // A record or a header with its buffers, roughly.
    private static final int RECORD_OBJECTS = 200;

    private static final ByteBuffer EMPTY = ByteBuffer.allocate(HEADER_SIZE);

    private final CRC32C crc32c = new CRC32C();
    private ByteBuffer buffer = EMPTY;
    private int position;
    // A second view of the buffer, whose position and limit the checksum may move; made once for each buffer.
    private @Nullable ByteBuffer checksumView;

    /// A view of nothing yet: [#wrap] first.
    public RecordBatch() {}

    /// The batch at the buffer's position.
    ///
    /// @throws MalformedMessageException as [#wrap]
    public static RecordBatch at(ByteBuffer buffer) {
        return new RecordBatch().wrap(buffer, buffer.position());
    }

    /// Moves the view to the batch that begins at `position` and ends at or before the buffer's limit.
    ///
    /// Afterwards every header field can be read; nothing is known yet about checksum, attributes and records.
    ///
    /// @throws MalformedMessageException if there is no whole batch there, or a length smaller than a header
    /// @throws UnsupportedMagicException if it has another format
    public RecordBatch wrap(ByteBuffer buffer, int position) {
        return switch (RecordBatches.probe(buffer, position)) {
            case BATCH -> wrapProbed(buffer, position);
            case END -> throw new MalformedMessageException("No record batch where one should be, at byte " + position);
            case TORN -> throw RecordBatches.torn(buffer, position);
            case BAD_LENGTH -> throw RecordBatches.badLength(buffer, position);
            case OTHER_MAGIC -> throw new UnsupportedMagicException(buffer.get(position + MAGIC_OFFSET));
        };
    }

    // Asks for the same buffer, not for one with the same bytes.
    @SuppressWarnings("ReferenceEquality")
    RecordBatch wrapProbed(ByteBuffer region, int at) {
        if (region != buffer) {
            if (region.order() != ByteOrder.BIG_ENDIAN) {
                throw new IllegalArgumentException("A buffer of record batches must be big-endian");
            }
            buffer = region;
            checksumView = null;
        }
        position = at;
        return this;
    }

    /// The buffer this view reads, and whose bytes the batch is only valid as long as.
    public ByteBuffer buffer() {
        return buffer;
    }

    /// Where the batch begins in the buffer.
    public int position() {
        return position;
    }

    public long baseOffset() {
        return buffer.getLong(position + BASE_OFFSET_OFFSET);
    }

    /// The whole size, with the 12 bytes that the length field does not count.
    public int sizeInBytes() {
        return LOG_OVERHEAD + buffer.getInt(position + LENGTH_OFFSET);
    }

    public int partitionLeaderEpoch() {
        return buffer.getInt(position + PARTITION_LEADER_EPOCH_OFFSET);
    }

    public byte magic() {
        return buffer.get(position + MAGIC_OFFSET);
    }

    /// The stored checksum, unsigned.
    public long crc() {
        return buffer.getInt(position + CRC_OFFSET) & 0xFFFF_FFFFL;
    }

    public short attributes() {
        return buffer.getShort(position + ATTRIBUTES_OFFSET);
    }

    /// @throws MalformedMessageException if the attributes name no codec
    public Compression compression() {
        return Compression.forId(compressionId());
    }

    /// Three bits of the attributes, of which 5 to 7 mean nothing.
    public int compressionId() {
        return attributes() & COMPRESSION_MASK;
    }

    public TimestampType timestampType() {
        return (attributes() & TIMESTAMP_TYPE_MASK) == 0 ? TimestampType.CREATE_TIME : TimestampType.LOG_APPEND_TIME;
    }

    public boolean isTransactional() {
        return (attributes() & TRANSACTIONAL_MASK) != 0;
    }

    /// Whether its records are markers for the log's readers rather than a client's data.
    public boolean isControl() {
        return (attributes() & CONTROL_MASK) != 0;
    }

    /// Whether [#baseTimestamp] is the time after which compaction may drop the batch's tombstones (KIP-534).
    public boolean hasDeleteHorizon() {
        return (attributes() & DELETE_HORIZON_MASK) != 0;
    }

    public int lastOffsetDelta() {
        return buffer.getInt(position + LAST_OFFSET_DELTA_OFFSET);
    }

    /// The offset of the last record, even if compaction removed that record.
    public long lastOffset() {
        return baseOffset() + lastOffsetDelta();
    }

    public long nextOffset() {
        return lastOffset() + 1;
    }

    public long baseTimestamp() {
        return buffer.getLong(position + BASE_TIMESTAMP_OFFSET);
    }

    public long maxTimestamp() {
        return buffer.getLong(position + MAX_TIMESTAMP_OFFSET);
    }

    public long producerId() {
        return buffer.getLong(position + PRODUCER_ID_OFFSET);
    }

    public boolean hasProducerId() {
        return producerId() > NO_PRODUCER_ID;
    }

    public short producerEpoch() {
        return buffer.getShort(position + PRODUCER_EPOCH_OFFSET);
    }

    public int baseSequence() {
        return buffer.getInt(position + BASE_SEQUENCE_OFFSET);
    }

    /// The sequence number of the last record, or [#NO_SEQUENCE]. After the largest int comes zero.
    public int lastSequence() {
        int base = baseSequence();
        return base == NO_SEQUENCE ? NO_SEQUENCE : sequenceAfter(base, lastOffsetDelta());
    }

    public int recordCount() {
        return buffer.getInt(position + RECORD_COUNT_OFFSET);
    }

    /// The checksum of the bytes that are there, unsigned.
    public long computeCrc() {
        ByteBuffer view = checksumView;
        if (view == null) {
            view = buffer.duplicate();
            checksumView = view;
        }
        view.clear();
        view.limit(position + sizeInBytes()).position(position + ATTRIBUTES_OFFSET);
        crc32c.reset();
        crc32c.update(view);
        return crc32c.getValue();
    }

    public boolean isCrcValid() {
        return crc() == computeCrc();
    }

    /// The checksum does not cover the base offset, so this is all a leader has to do to place the batch in its log.
    public void setBaseOffset(long baseOffset) {
        buffer.putLong(position + BASE_OFFSET_OFFSET, baseOffset);
    }

    /// Sets the base offset by the offset the last record shall have.
    public void setLastOffset(long lastOffset) {
        setBaseOffset(lastOffset - lastOffsetDelta());
    }

    /// Not covered by the checksum either.
    public void setPartitionLeaderEpoch(int epoch) {
        buffer.putInt(position + PARTITION_LEADER_EPOCH_OFFSET, epoch);
    }

    /// Sets the largest timestamp and who set it, and the checksum if that changes anything. With
    /// [TimestampType#LOG_APPEND_TIME] it becomes the timestamp of every record.
    public void setMaxTimestampAndType(long maxTimestamp, TimestampType type) {
        if (maxTimestamp() == maxTimestamp && timestampType() == type) {
            return;
        }
        int others = attributes() & ~TIMESTAMP_TYPE_MASK;
        int flag = type == TimestampType.LOG_APPEND_TIME ? TIMESTAMP_TYPE_MASK : 0;
        buffer.putShort(position + ATTRIBUTES_OFFSET, (short) (others | flag));
        buffer.putLong(position + MAX_TIMESTAMP_OFFSET, maxTimestamp);
        writeCrc();
    }

    void writeCrc() {
        buffer.putInt(position + CRC_OFFSET, (int) computeCrc());
    }

    /// The whole batch as a buffer of its own that shares the bytes.
    public ByteBuffer slice() {
        return buffer.slice(position, sizeInBytes());
    }

    /// A cursor before the first record, to be closed.
    ///
    /// @throws MalformedMessageException if the count or the compression is not sound
    public RecordCursor cursor(DecompressionLimits limits) {
        return new RecordCursor().open(this, limits);
    }

    /// All records, as values. For batches that are known to be moderate: each record costs objects here, so they are
    /// charged against `maxBatchBytes` too. A cursor reads any batch in little memory.
    ///
    /// @throws MalformedMessageException if the records are not sound
    /// @throws DecompressionLimitException if there is more of them than the limits allow
    public List<Record> records(DecompressionLimits limits) {
        var records = new ArrayList<Record>();
        long charged = 0;
        try (RecordCursor cursor = cursor(limits)) {
            while (cursor.next()) {
                charged += RECORD_OBJECTS * (1L + cursor.headerCount()) + cursor.sizeInBytes();
                if (compressionId() != 0 && charged > limits.maxBatchBytes()) {
                    throw new DecompressionLimitException(
                            "The records of a compressed batch take more than the allowed " + limits.maxBatchBytes()
                                    + " bytes of memory");
                }
                records.add(cursor.record());
            }
        }
        return records;
    }

    /// The sequence number `increment` records after `sequence`; after the largest int comes zero.
    public static int sequenceAfter(int sequence, int increment) {
        return sequence > Integer.MAX_VALUE - increment
                ? increment - (Integer.MAX_VALUE - sequence) - 1
                : sequence + increment;
    }

    /// For logs and failure messages; tells the header of any batch, sound or not.
    @Override
    public String toString() {
        return "RecordBatch(offsets=" + baseOffset() + ".." + lastOffset() + ", sizeInBytes=" + sizeInBytes()
                + ", magic=" + magic() + ", partitionLeaderEpoch=" + partitionLeaderEpoch() + ", attributes=0x"
                + Integer.toHexString(attributes() & 0xFFFF) + ", maxTimestamp=" + maxTimestamp() + ", producerId="
                + producerId() + ", producerEpoch=" + producerEpoch() + ", baseSequence=" + baseSequence()
                + ", recordCount=" + recordCount() + ", crc=" + crc() + ")";
    }
}
