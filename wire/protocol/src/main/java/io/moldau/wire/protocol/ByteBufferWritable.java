package io.moldau.wire.protocol;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/// Writes to a heap buffer that grows. Records are copied in; only [BufferRecords] are.
public final class ByteBufferWritable implements Writable {

    private ByteBuffer buffer;

    public ByteBufferWritable() {
        this(128);
    }

    public ByteBufferWritable(int initialCapacity) {
        this.buffer = ByteBuffer.allocate(initialCapacity);
    }

    /// The bytes of a message.
    public static ByteBuffer toByteBuffer(Message message, short version) {
        var out = new ByteBufferWritable();
        message.write(out, version);
        return out.toByteBuffer();
    }

    /// What was written so far. Shares its memory with this writable until that has to grow.
    public ByteBuffer toByteBuffer() {
        return buffer.duplicate().flip();
    }

    /// A copy of what was written so far.
    public byte[] toByteArray() {
        var bytes = new byte[buffer.position()];
        buffer.get(0, bytes);
        return bytes;
    }

    public int size() {
        return buffer.position();
    }

    @Override
    public void writeByte(int value) {
        room(1).put((byte) value);
    }

    @Override
    public void writeShort(int value) {
        room(2).putShort((short) value);
    }

    @Override
    public void writeInt(int value) {
        room(4).putInt(value);
    }

    @Override
    public void writeLong(long value) {
        room(8).putLong(value);
    }

    @Override
    public void writeDouble(double value) {
        room(8).putDouble(value);
    }

    @Override
    public void writeBytes(byte[] value) {
        room(value.length).put(value);
    }

    @Override
    public void writeUtf8(String value, int utf8Length) {
        room(utf8Length).put(value.getBytes(StandardCharsets.UTF_8));
    }

    @Override
    public void writeRecords(RecordBytes records) {
        if (!(records instanceof BufferRecords inMemory)) {
            throw new IllegalArgumentException("only records in memory can be copied, not " + records);
        }
        room(records.sizeInBytes()).put(inMemory.buffer());
    }

    private ByteBuffer room(int bytes) {
        if (buffer.remaining() < bytes) {
            int needed = Math.addExact(buffer.position(), bytes);
            int doubled = (int) Math.min((long) buffer.capacity() * 2, Integer.MAX_VALUE - 8);
            buffer = ByteBuffer.allocate(Math.max(needed, doubled)).put(buffer.flip());
        }
        return buffer;
    }
}
