package io.moldau.wire.protocol;

import io.moldau.common.Uuid;

/// Where a message writes itself to.
public interface Writable {

    void writeByte(int value);

    void writeShort(int value);

    void writeInt(int value);

    void writeLong(long value);

    void writeDouble(double value);

    default void writeBoolean(boolean value) {
        writeByte(value ? 1 : 0);
    }

    void writeUnsignedVarint(int value);

    /// A zigzag varint.
    void writeVarint(int value);

    /// A zigzag varlong.
    void writeVarlong(long value);

    void writeBytes(byte[] value);

    /// The string's UTF-8 bytes without a length. `utf8Length` is what [Utf8#length] said.
    void writeUtf8(String value, int utf8Length);

    /// Record batches without a length. The writer may keep a reference instead of copying.
    void writeRecords(RecordBytes records);

    default void writeUuid(Uuid value) {
        writeLong(value.mostSignificantBits());
        writeLong(value.leastSignificantBits());
    }
}
