package io.moldau.wire.netty;

import io.moldau.wire.protocol.BufferRecords;
import io.moldau.wire.protocol.RecordBytes;
import io.moldau.wire.protocol.Writable;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;

/// Writes to one `ByteBuf`, behind its writer index. Records in memory are copied in; the caller's reference to them
/// stays the caller's.
///
/// For messages that are small or rare. Whoever sends many records gathers them instead of copying.
public final class ByteBufWritable implements Writable {

    private final ByteBuf buffer;

    public ByteBufWritable(ByteBuf buffer) {
        this.buffer = buffer;
    }

    @Override
    public void writeByte(int value) {
        buffer.writeByte(value);
    }

    @Override
    public void writeShort(int value) {
        buffer.writeShort(value);
    }

    @Override
    public void writeInt(int value) {
        buffer.writeInt(value);
    }

    @Override
    public void writeLong(long value) {
        buffer.writeLong(value);
    }

    @Override
    public void writeDouble(double value) {
        buffer.writeDouble(value);
    }

    @Override
    public void writeBytes(byte[] value) {
        buffer.writeBytes(value);
    }

    @Override
    public void writeUtf8(String value, int utf8Length) {
        ByteBufUtil.reserveAndWriteUtf8(buffer, value, utf8Length);
    }

    @Override
    public void writeRecords(RecordBytes records) {
        if (!(records instanceof BufferRecords inMemory)) {
            throw new IllegalArgumentException("only records in memory can be copied, not " + records);
        }
        buffer.writeBytes(inMemory.buffer());
    }
}
