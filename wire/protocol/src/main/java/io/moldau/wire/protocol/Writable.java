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

    /// Seven bits a byte, the lowest first.
    default void writeUnsignedVarint(int value) {
        int rest = value;
        while ((rest & ~0x7F) != 0) {
            writeByte(rest | 0x80);
            rest >>>= 7;
        }
        writeByte(rest);
    }

    /// A zigzag varint.
    default void writeVarint(int value) {
        writeUnsignedVarint(Varints.zigzag(value));
    }

    /// A zigzag varlong.
    default void writeVarlong(long value) {
        long rest = Varints.zigzag(value);
        while ((rest & ~0x7FL) != 0) {
            writeByte((int) rest | 0x80);
            rest >>>= 7;
        }
        writeByte((int) rest);
    }

    void writeBytes(byte[] value);

    /// The string's UTF-8 bytes without a length. `utf8Length` is what [Utf8#length] said.
    void writeUtf8(String value, int utf8Length);

    /// Record batches without a length. A writer says whether it copies them, and whose their reference is afterwards.
    void writeRecords(RecordBytes records);

    default void writeUuid(Uuid value) {
        writeLong(value.mostSignificantBits());
        writeLong(value.leastSignificantBits());
    }
}
