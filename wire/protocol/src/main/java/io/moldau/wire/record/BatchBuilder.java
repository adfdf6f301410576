package io.moldau.wire.record;

import static io.moldau.wire.record.ByteArrayOutput.sizeOfVarint;

import io.moldau.wire.protocol.Utf8;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// Builds one record batch. Set what the batch shall be, append records, [#build] it.
///
/// For records that Moldau itself writes: coordinators' state, markers, rewritten batches. Not for use by several
/// threads at once.
public final class BatchBuilder {

    private Compression compression = Compression.NONE;
    private int level = Compression.NONE.defaultLevel();
    private long baseOffset;
    private int partitionLeaderEpoch = RecordBatch.NO_PARTITION_LEADER_EPOCH;
    private TimestampType timestampType = TimestampType.CREATE_TIME;
    private long logAppendTime = RecordBatch.NO_TIMESTAMP;
    private long producerId = RecordBatch.NO_PRODUCER_ID;
    private short producerEpoch = RecordBatch.NO_PRODUCER_EPOCH;
    private int baseSequence = RecordBatch.NO_SEQUENCE;
    private boolean transactional;
    private boolean control;
    private @Nullable Long deleteHorizon;

    private final ByteArrayOutput records = new ByteArrayOutput(512);
    private int recordCount;
    private long baseTimestamp = RecordBatch.NO_TIMESTAMP;
    private long maxTimestamp = RecordBatch.NO_TIMESTAMP;
    private long lastOffset = -1;

    /// By the codec's default level.
    /// For a batch that has all of this one's but its records and its codec: offsets, leader epoch, producer, kind.
    public static BatchBuilder like(RecordBatch batch) {
        var builder = new BatchBuilder()
                .baseOffset(batch.baseOffset())
                .partitionLeaderEpoch(batch.partitionLeaderEpoch())
                .producer(batch.producerId(), batch.producerEpoch(), batch.baseSequence())
                .transactional(batch.isTransactional())
                .control(batch.isControl());
        if (batch.timestampType() == TimestampType.LOG_APPEND_TIME) {
            builder.logAppendTime(batch.maxTimestamp());
        }
        return builder;
    }

    public BatchBuilder compression(Compression compression) {
        return compression(compression, compression.defaultLevel());
    }

    public BatchBuilder compression(Compression compression, int level) {
        if (!compression.isValidLevel(level)) {
            throw new IllegalArgumentException(compression.configName() + " has no compression level " + level);
        }
        this.compression = compression;
        this.level = level;
        return this;
    }

    public BatchBuilder baseOffset(long baseOffset) {
        checkEmpty();
        this.baseOffset = baseOffset;
        return this;
    }

    public BatchBuilder partitionLeaderEpoch(int epoch) {
        this.partitionLeaderEpoch = epoch;
        return this;
    }

    /// The broker's time for every record, in place of their own.
    public BatchBuilder logAppendTime(long milliseconds) {
        this.timestampType = TimestampType.LOG_APPEND_TIME;
        this.logAppendTime = milliseconds;
        return this;
    }

    public BatchBuilder producer(long id, short epoch, int baseSequence) {
        this.producerId = id;
        this.producerEpoch = epoch;
        this.baseSequence = baseSequence;
        return this;
    }

    public BatchBuilder transactional(boolean transactional) {
        this.transactional = transactional;
        return this;
    }

    public BatchBuilder control(boolean control) {
        this.control = control;
        return this;
    }

    /// When compaction may drop the tombstones of this batch; takes the place of the base timestamp.
    public BatchBuilder deleteHorizon(long milliseconds) {
        checkEmpty();
        this.deleteHorizon = milliseconds;
        return this;
    }

    /// Appends at the next offset.
    public BatchBuilder append(long timestamp, byte @Nullable [] key, byte @Nullable [] value) {
        return append(timestamp, key, value, List.of());
    }

    /// Appends at the next offset.
    public BatchBuilder append(long timestamp, byte @Nullable [] key, byte @Nullable [] value, List<Header> headers) {
        return appendAt(
                nextOffset(),
                timestamp,
                key == null ? null : ByteBuffer.wrap(key),
                value == null ? null : ByteBuffer.wrap(value),
                headers);
    }

    /// Appends a record as it is, at its offset.
    public BatchBuilder append(Record record) {
        return appendAt(record.offset(), record.timestamp(), record.key(), record.value(), record.headers());
    }

    /// Appends what lies between the positions and limits of the buffers, which do not move.
    ///
    /// @throws IllegalArgumentException if the offset is not larger than the last one and within reach of the base
    public BatchBuilder appendAt(
            long offset, long timestamp, @Nullable ByteBuffer key, @Nullable ByteBuffer value, List<Header> headers) {
        if (offset < baseOffset
                || (recordCount > 0 && offset <= lastOffset)
                || offset - baseOffset > Integer.MAX_VALUE) {
            throw new IllegalArgumentException(
                    "Offset " + offset + " cannot follow " + lastOffset + " in a batch with base offset " + baseOffset);
        }
        if (recordCount == 0) {
            Long horizon = deleteHorizon;
            baseTimestamp = horizon == null ? timestamp : horizon;
        }
        int offsetDelta = (int) (offset - baseOffset);
        long timestampDelta = timestamp - baseTimestamp;
        records.writeVarint(bodySize(offsetDelta, timestampDelta, key, value, headers));
        records.write(0);
        records.writeVarlong(timestampDelta);
        records.writeVarint(offsetDelta);
        write(key);
        write(value);
        records.writeVarint(headers.size());
        for (Header header : headers) {
            byte[] name = header.key().getBytes(StandardCharsets.UTF_8);
            records.writeVarint(name.length);
            records.write(name);
            write(header.value());
        }
        recordCount++;
        lastOffset = offset;
        maxTimestamp = Math.max(maxTimestamp, timestamp);
        return this;
    }

    public boolean isEmpty() {
        return recordCount == 0;
    }

    public int recordCount() {
        return recordCount;
    }

    public long nextOffset() {
        return recordCount == 0 ? baseOffset : lastOffset + 1;
    }

    /// The size of the batch so far, before compression.
    public int sizeInBytes() {
        return RecordBatch.HEADER_SIZE + records.size();
    }

    /// At most how much a record without headers adds to [#sizeInBytes].
    public static int recordSizeBound(int keySize, int valueSize) {
        int lengths = 5 + 1 + 10 + 5 + 5 + 5 + 1;
        return Math.addExact(lengths, Math.addExact(Math.max(keySize, 0), Math.max(valueSize, 0)));
    }

    /// Gives the batch a last offset beyond its last record, as compaction does to keep the log without holes.
    public BatchBuilder lastOffset(long offset) {
        if (offset < Math.max(lastOffset, baseOffset)) {
            throw new IllegalArgumentException("The last offset cannot be " + offset + ", below " + lastOffset);
        }
        lastOffset = offset;
        return this;
    }

    /// The finished batch in a buffer of its own, at position zero and with the checksum set.
    public ByteBuffer build() {
        var out = new ByteArrayOutput(
                compression == Compression.NONE ? sizeInBytes() : RecordBatch.HEADER_SIZE + records.size() / 2 + 64);
        out.skip(RecordBatch.HEADER_SIZE);
        compression.compress(records.array(), records.size(), level, out);
        ByteBuffer batch = ByteBuffer.wrap(out.array(), 0, out.size());

        int attributes = compression.id()
                | (timestampType == TimestampType.LOG_APPEND_TIME ? RecordBatch.TIMESTAMP_TYPE_MASK : 0)
                | (transactional ? RecordBatch.TRANSACTIONAL_MASK : 0)
                | (control ? RecordBatch.CONTROL_MASK : 0)
                | (deleteHorizon != null ? RecordBatch.DELETE_HORIZON_MASK : 0);
        batch.putLong(RecordBatch.BASE_OFFSET_OFFSET, baseOffset)
                .putInt(RecordBatch.LENGTH_OFFSET, out.size() - RecordBatch.LOG_OVERHEAD)
                .putInt(RecordBatch.PARTITION_LEADER_EPOCH_OFFSET, partitionLeaderEpoch)
                .put(RecordBatch.MAGIC_OFFSET, RecordBatch.MAGIC_V2)
                .putShort(RecordBatch.ATTRIBUTES_OFFSET, (short) attributes)
                .putInt(RecordBatch.LAST_OFFSET_DELTA_OFFSET, (int) (Math.max(lastOffset, baseOffset) - baseOffset))
                .putLong(RecordBatch.BASE_TIMESTAMP_OFFSET, baseTimestamp)
                .putLong(
                        RecordBatch.MAX_TIMESTAMP_OFFSET,
                        timestampType == TimestampType.LOG_APPEND_TIME ? logAppendTime : maxTimestamp)
                .putLong(RecordBatch.PRODUCER_ID_OFFSET, producerId)
                .putShort(RecordBatch.PRODUCER_EPOCH_OFFSET, producerEpoch)
                .putInt(RecordBatch.BASE_SEQUENCE_OFFSET, baseSequence)
                .putInt(RecordBatch.RECORD_COUNT_OFFSET, recordCount);
        RecordBatch.at(batch).writeCrc();
        return batch;
    }

    private void write(@Nullable ByteBuffer bytes) {
        if (bytes == null) {
            records.writeVarint(-1);
        } else {
            records.writeVarint(bytes.remaining());
            records.write(bytes);
        }
    }

    private static int bodySize(
            int offsetDelta,
            long timestampDelta,
            @Nullable ByteBuffer key,
            @Nullable ByteBuffer value,
            List<Header> headers) {
        int size = 1
                + ByteArrayOutput.sizeOfVarlong(timestampDelta)
                + sizeOfVarint(offsetDelta)
                + sizeOf(key)
                + sizeOf(value)
                + sizeOfVarint(headers.size());
        for (Header header : headers) {
            int name = Utf8.length(header.key());
            size += sizeOfVarint(name) + name + sizeOf(header.value());
        }
        return size;
    }

    private static int sizeOf(@Nullable ByteBuffer bytes) {
        return bytes == null ? sizeOfVarint(-1) : sizeOfVarint(bytes.remaining()) + bytes.remaining();
    }

    private void checkEmpty() {
        if (recordCount > 0) {
            throw new IllegalStateException("The batch has records already");
        }
    }
}
