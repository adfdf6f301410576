package io.moldau.wire.protocol;

import io.moldau.common.Uuid;
import org.jspecify.annotations.Nullable;

/// Where a message reads itself from. Every method throws [MalformedMessageException] when the input ends early or a
/// length is impossible; no method reserves more memory than the bytes that are left can justify.
public interface Readable {

    byte readByte();

    short readShort();

    int readInt();

    long readLong();

    double readDouble();

    /// The next byte is 0 or 1; other values read as true, as in Kafka.
    default boolean readBoolean() {
        return readByte() != 0;
    }

    default int readUnsignedShort() {
        return readShort() & 0xFFFF;
    }

    default long readUnsignedInt() {
        return readInt() & 0xFFFFFFFFL;
    }

    /// At most five bytes, seven bits each, the lowest first.
    default int readUnsignedVarint() {
        byte first = readByte();
        if (first >= 0) {
            return first;
        }
        int value = first & 0x7F;
        for (int shift = 7; shift <= 28; shift += 7) {
            byte next = readByte();
            value |= (next & 0x7F) << shift;
            if (next >= 0) {
                return value;
            }
        }
        throw new MalformedMessageException("a varint is longer than five bytes");
    }

    /// A zigzag varint.
    default int readVarint() {
        return Varints.unzigzag(readUnsignedVarint());
    }

    /// A zigzag varlong: at most ten bytes, seven bits each, the lowest first.
    default long readVarlong() {
        long value = 0;
        for (int shift = 0; shift <= 63; shift += 7) {
            byte next = readByte();
            value |= (next & 0x7FL) << shift;
            if (next >= 0) {
                return Varints.unzigzag(value);
            }
        }
        throw new MalformedMessageException("a varlong is longer than ten bytes");
    }

    /// Exactly `length` bytes of UTF-8.
    String readString(int length);

    /// Exactly `length` bytes, copied.
    byte[] readBytes(int length);

    /// Exactly `length` bytes of record batches, not copied where the input can lend them.
    RecordBytes readRecords(int length);

    default Uuid readUuid() {
        return new Uuid(readLong(), readLong());
    }

    /// Skips `length` bytes.
    void skip(int length);

    /// Skips a section of tagged fields that nobody here knows.
    default void skipTaggedFields() {
        int fields = readUnsignedVarint();
        for (int i = 0; i < fields; i++) {
            readUnsignedVarint();
            skip(readUnsignedVarint());
        }
    }

    /// How many bytes are left.
    int remaining();

    /// Checks that `count` elements of at least `minimumSize` bytes each can still follow, and returns the count.
    default int checkCount(int count, int minimumSize, String field) {
        if (count < 0 || (long) count * Math.max(1, minimumSize) > remaining()) {
            throw new MalformedMessageException(
                    "field " + field + " claims " + count + " elements but only " + remaining() + " bytes are left");
        }
        return count;
    }

    /// Reads the unknown tagged fields of a flexible version that a reader does not know; they are kept for writing
    /// back (null when there are none).
    default @Nullable RawTaggedFields addRaw(@Nullable RawTaggedFields unknown, int tag, int size) {
        var fields = unknown == null ? new RawTaggedFields() : unknown;
        fields.add(tag, readBytes(size));
        return fields;
    }
}
