package io.moldau.wire.protocol;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/// Reads from a `java.nio.ByteBuffer` and moves its position. Records are slices of the buffer.
public final class ByteBufferReadable implements Readable {

    private final ByteBuffer buffer;

    /// @param buffer big-endian, as new buffers are
    public ByteBufferReadable(ByteBuffer buffer) {
        this.buffer = buffer;
    }

    @Override
    public byte readByte() {
        need(1);
        return buffer.get();
    }

    @Override
    public short readShort() {
        need(2);
        return buffer.getShort();
    }

    @Override
    public int readInt() {
        need(4);
        return buffer.getInt();
    }

    @Override
    public long readLong() {
        need(8);
        return buffer.getLong();
    }

    @Override
    public double readDouble() {
        need(8);
        return buffer.getDouble();
    }

    @Override
    public String readString(int length) {
        return new String(readBytes(length), StandardCharsets.UTF_8);
    }

    @Override
    public byte[] readBytes(int length) {
        need(length);
        if (length == 0) {
            return WireFormat.NO_BYTES;
        }
        var bytes = new byte[length];
        buffer.get(bytes);
        return bytes;
    }

    @Override
    public RecordBytes readRecords(int length) {
        need(length);
        var records = HeapRecords.of(buffer.slice(buffer.position(), length));
        buffer.position(buffer.position() + length);
        return records;
    }

    @Override
    public void skip(int length) {
        need(length);
        buffer.position(buffer.position() + length);
    }

    @Override
    public int remaining() {
        return buffer.remaining();
    }

    private void need(int length) {
        if (length < 0 || length > buffer.remaining()) {
            throw new MalformedMessageException(length + " bytes are expected but " + buffer.remaining() + " are left");
        }
    }
}
