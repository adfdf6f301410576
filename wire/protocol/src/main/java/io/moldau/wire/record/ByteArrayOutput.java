package io.moldau.wire.record;

import io.moldau.wire.protocol.Varints;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.util.Arrays;

/// A growing array that shows itself: what `ByteArrayOutputStream` hides behind a copy.
final class ByteArrayOutput extends OutputStream {

    private byte[] bytes;
    private int size;

    ByteArrayOutput(int capacity) {
        bytes = new byte[capacity];
    }

    byte[] array() {
        return bytes;
    }

    int size() {
        return size;
    }

    void reset() {
        size = 0;
    }

    /// Leaves `count` bytes to be filled in later, through [#array].
    void skip(int count) {
        ensure(count);
        Arrays.fill(bytes, size, size + count, (byte) 0);
        size += count;
    }

    @Override
    public void write(int b) {
        ensure(1);
        bytes[size++] = (byte) b;
    }

    @Override
    public void write(byte[] source, int offset, int length) {
        ensure(length);
        System.arraycopy(source, offset, bytes, size, length);
        size += length;
    }

    @Override
    public void write(byte[] source) {
        write(source, 0, source.length);
    }

    /// The bytes between the buffer's position and limit, which do not move.
    void write(ByteBuffer source) {
        int length = source.remaining();
        ensure(length);
        source.get(source.position(), bytes, size, length);
        size += length;
    }

    void writeVarint(int value) {
        writeVarlong(value);
    }

    /// Zigzag, then seven bits a byte, the lowest first.
    void writeVarlong(long value) {
        long rest = Varints.zigzag(value);
        while ((rest & ~0x7FL) != 0) {
            write((int) ((rest & 0x7F) | 0x80));
            rest >>>= 7;
        }
        write((int) rest);
    }

    static int sizeOfVarint(int value) {
        return sizeOfVarlong(value);
    }

    static int sizeOfVarlong(long value) {
        return Varints.sizeOfUnsigned(Varints.zigzag(value));
    }

    private void ensure(int more) {
        int needed = Math.addExact(size, more);
        if (needed > bytes.length) {
            bytes = Arrays.copyOf(bytes, Math.max(needed, (int) Math.min(2L * bytes.length, Integer.MAX_VALUE - 8L)));
        }
    }
}
