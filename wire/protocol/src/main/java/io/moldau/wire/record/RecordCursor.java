package io.moldau.wire.record;

import io.moldau.wire.protocol.MalformedMessageException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// Walks the records of a batch and checks every length on the way.
///
/// For a batch without compression it walks the batch's own bytes and creates nothing. A compressed one is decompressed
/// piece by piece into a window that grows to the size of the largest record and no further. Reusable: [#open] starts
/// with another batch. Not for use by several threads at once.
///
/// Every method that moves throws [MalformedMessageException] for records that are not sound, and
/// [DecompressionLimitException] for more of them than the reader is ready for.
public final class RecordCursor implements AutoCloseable {

    private static final int INITIAL_WINDOW = 8 << 10;
    // A cursor that is used again keeps a window of this size and no larger one.
    private static final int MAX_KEPT_WINDOW = 256 << 10;
    private static final int MAX_VARINT = 5;
    private static final ByteBuffer EMPTY = ByteBuffer.allocate(0);

    // Of the batch.
    private long baseOffset;
    private long baseTimestamp;
    private long logAppendTime;
    private boolean logAppendTimes;
    private int baseSequence;
    private int recordCount;
    private DecompressionLimits limits = DecompressionLimits.DEFAULT;

    // Where the bytes are: records begin at `next`, and bytes are valid before `end`.
    private ByteBuffer bytes = EMPTY;
    private int next;
    private int end;
    private @Nullable Decompressor decompressor;
    private byte[] window = new byte[0];
    private long decompressedBytes;

    // Of the record, with positions in `bytes`; a size of -1 is null.
    private int recordsRead;
    private int recordStart;
    private int bodyStart;
    private long timestampDelta;
    private int offsetDelta;
    private int keyStart;
    private int keySize;
    private int valueStart;
    private int valueSize;
    private int headersStart;
    private int headerCount;

    // Where reading is.
    private int at;

    public RecordCursor() {}

    /// Stands before the first record of the batch. What it was open for before is closed.
    public RecordCursor open(RecordBatch batch, DecompressionLimits decompressionLimits) {
        close();
        baseOffset = batch.baseOffset();
        baseTimestamp = batch.baseTimestamp();
        logAppendTimes = batch.timestampType() == TimestampType.LOG_APPEND_TIME;
        logAppendTime = batch.maxTimestamp();
        baseSequence = batch.baseSequence();
        recordCount = batch.recordCount();
        recordsRead = 0;
        limits = decompressionLimits;
        if (recordCount < 0) {
            throw new MalformedMessageException("A record batch says it has " + recordCount + " records");
        }
        int start = batch.position() + RecordBatch.RECORDS_OFFSET;
        int length = batch.sizeInBytes() - RecordBatch.RECORDS_OFFSET;
        Compression compression = batch.compression();
        if (compression == Compression.NONE) {
            bytes = batch.buffer();
            next = start;
            end = start + length;
        } else {
            if (window.length == 0) {
                window = new byte[INITIAL_WINDOW];
            }
            bytes = ByteBuffer.wrap(window);
            next = 0;
            end = 0;
            decompressedBytes = 0;
            decompressor = compression.decompressor(
                    batch.buffer().slice(start, length), decompressionLimits.maxZstdWindowLog());
        }
        return this;
    }

    /// Moves to the next record; false after the last, when nothing may be left either.
    public boolean next() {
        if (recordsRead == recordCount) {
            if (available(1) > 0) {
                throw new MalformedMessageException("Bytes are left after the " + recordCount + " records of a batch");
            }
            close();
            return false;
        }
        int atHand = available(MAX_VARINT);
        recordStart = next;
        at = next;
        int size = varint(next + atHand);
        int prefix = at - next;
        if (size < 0) {
            throw malformed("says it has " + size + " bytes");
        }
        if (size > end - at) {
            // The window may move while it fills.
            if (decompressor != null && size > limits.maxRecordBytes()) {
                throw new DecompressionLimitException("Record " + recordsRead + " of a batch has " + size
                        + " bytes, more than the allowed " + limits.maxRecordBytes());
            }
            if (decompressor == null || available(prefix + size) < prefix + size) {
                throw malformed("says it has " + size + " bytes, " + (end - next - prefix) + " are left");
            }
            recordStart = next;
            at = next + prefix;
        }
        bodyStart = at;
        readBody(at + size);
        next = at;
        recordsRead++;
        return true;
    }

    private void readBody(int limit) {
        // The attributes of a record, of which none is in use.
        skip(1, limit, "attributes");
        timestampDelta = varlong(limit);
        offsetDelta = varint(limit);
        keySize = size(limit, "key");
        keyStart = at;
        skip(Math.max(keySize, 0), limit, "key");
        valueSize = size(limit, "value");
        valueStart = at;
        skip(Math.max(valueSize, 0), limit, "value");
        headerCount = varint(limit);
        if (headerCount < 0) {
            throw malformed("says it has " + headerCount + " headers");
        }
        headersStart = at;
        for (int i = 0; i < headerCount; i++) {
            int headerKeySize = size(limit, "header key");
            if (headerKeySize < 0) {
                throw malformed("has a header without a key");
            }
            skip(headerKeySize, limit, "header key");
            skip(Math.max(size(limit, "header value"), 0), limit, "header value");
        }
        if (at != limit) {
            throw malformed("has " + (limit - at) + " bytes more than its fields take");
        }
    }

    /// The record's place in its batch, from zero.
    public int index() {
        return recordsRead - 1;
    }

    public int offsetDelta() {
        return offsetDelta;
    }

    public long offset() {
        return baseOffset + offsetDelta;
    }

    /// As a consumer sees it: the broker's with [TimestampType#LOG_APPEND_TIME].
    public long timestamp() {
        return logAppendTimes ? logAppendTime : baseTimestamp + timestampDelta;
    }

    public int sequence() {
        return baseSequence < 0 ? RecordBatch.NO_SEQUENCE : RecordBatch.sequenceAfter(baseSequence, offsetDelta);
    }

    public boolean hasKey() {
        return keySize >= 0;
    }

    public boolean hasValue() {
        return valueSize >= 0;
    }

    public int headerCount() {
        return headerCount;
    }

    /// The size of the record without compression, with the length in front of it.
    public int sizeInBytes() {
        return next - recordStart;
    }

    /// The key; for a compressed batch valid only until the cursor moves.
    public @Nullable ByteBuffer key() {
        return keySize < 0 ? null : bytes.slice(keyStart, keySize);
    }

    /// The value; for a compressed batch valid only until the cursor moves.
    public @Nullable ByteBuffer value() {
        return valueSize < 0 ? null : bytes.slice(valueStart, valueSize);
    }

    /// The record as a value of its own. Of a batch without compression it shares the bytes, else it has a copy.
    public Record record() {
        if (decompressor == null) {
            return record(bytes, 0);
        }
        byte[] copy = new byte[next - bodyStart];
        bytes.get(bodyStart, copy);
        return record(ByteBuffer.wrap(copy), bodyStart);
    }

    private Record record(ByteBuffer from, int shift) {
        ByteBuffer key = keySize < 0 ? null : from.slice(keyStart - shift, keySize);
        ByteBuffer value = valueSize < 0 ? null : from.slice(valueStart - shift, valueSize);
        return new Record(offset(), timestamp(), sequence(), key, value, headers(from, shift));
    }

    private List<Header> headers(ByteBuffer from, int shift) {
        if (headerCount == 0) {
            return List.of();
        }
        var headers = new ArrayList<Header>(headerCount);
        int resumeAt = at;
        at = headersStart;
        for (int i = 0; i < headerCount; i++) {
            int nameSize = varint(next);
            byte[] name = new byte[nameSize];
            bytes.get(at, name);
            at += nameSize;
            int size = varint(next);
            headers.add(new Header(
                    new String(name, StandardCharsets.UTF_8), size < 0 ? null : from.slice(at - shift, size)));
            at += Math.max(size, 0);
        }
        at = resumeAt;
        return headers;
    }

    /// Frees what decompression holds. [#next] does so by itself after the last record.
    @Override
    public void close() {
        Decompressor open = decompressor;
        if (open != null) {
            decompressor = null;
            open.close();
            if (window.length > MAX_KEPT_WINDOW) {
                window = new byte[0];
            }
        }
    }

    /// Makes up to `wanted` bytes available from `next` on, and says how many there are: fewer only at the end.
    private int available(int wanted) {
        if (decompressor == null || end - next >= wanted) {
            return Math.min(end - next, wanted);
        }
        System.arraycopy(window, next, window, 0, end - next);
        end -= next;
        next = 0;
        while (end < wanted) {
            if (end == window.length) {
                // Grows behind the bytes that have arrived, not ahead to the size a record claims.
                byte[] larger = new byte[(int) Math.min(wanted, 2L * end)];
                System.arraycopy(window, 0, larger, 0, end);
                window = larger;
                bytes = ByteBuffer.wrap(window);
            }
            int count = decompressor.read(window, end, window.length - end);
            if (count < 0) {
                break;
            }
            end += count;
            decompressedBytes += count;
            if (decompressedBytes > limits.maxBatchBytes()) {
                throw new DecompressionLimitException("A compressed batch holds more than the allowed "
                        + limits.maxBatchBytes() + " bytes of records");
            }
        }
        return Math.min(end, wanted);
    }

    private int size(int limit, String what) {
        int size = varint(limit);
        if (size < -1) {
            throw malformed("has a " + what + " of " + size + " bytes");
        }
        return size;
    }

    private void skip(int count, int limit, String what) {
        if (count > limit - at) {
            throw malformed("ends " + (count - (limit - at)) + " bytes before the end of its " + what);
        }
        at += count;
    }

    private int varint(int limit) {
        if (at < limit) {
            byte only = bytes.get(at);
            if (only >= 0) {
                at++;
                return (only >>> 1) ^ -(only & 1);
            }
        }
        int value = 0;
        for (int shift = 0; shift <= 28; shift += 7) {
            int b = nextByte(limit);
            value |= (b & 0x7F) << shift;
            if (b >= 0) {
                return (value >>> 1) ^ -(value & 1);
            }
        }
        throw malformed("has a number of more than 5 bytes");
    }

    private long varlong(int limit) {
        long value = 0;
        for (int shift = 0; shift <= 63; shift += 7) {
            int b = nextByte(limit);
            value |= (b & 0x7FL) << shift;
            if (b >= 0) {
                return (value >>> 1) ^ -(value & 1);
            }
        }
        throw malformed("has a number of more than 10 bytes");
    }

    private byte nextByte(int limit) {
        if (at >= limit) {
            throw malformed("ends inside a number");
        }
        return bytes.get(at++);
    }

    private MalformedMessageException malformed(String what) {
        return new MalformedMessageException("Record " + recordsRead + " of a batch " + what);
    }
}
