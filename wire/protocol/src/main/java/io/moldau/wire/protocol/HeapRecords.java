package io.moldau.wire.protocol;

import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/// Record batches in memory that the garbage collector looks after; references are not counted.
public final class HeapRecords implements BufferRecords {

    private static final HeapRecords EMPTY = new HeapRecords(ByteBuffer.allocate(0));

    private final ByteBuffer bytes;

    private HeapRecords(ByteBuffer bytes) {
        this.bytes = bytes;
    }

    public static HeapRecords empty() {
        return EMPTY;
    }

    /// Wraps the array without copying it.
    public static HeapRecords of(byte[] bytes) {
        return new HeapRecords(ByteBuffer.wrap(bytes));
    }

    /// Wraps what lies between the buffer's position and limit without copying it.
    public static HeapRecords of(ByteBuffer bytes) {
        return new HeapRecords(bytes.slice());
    }

    @Override
    public int sizeInBytes() {
        return bytes.remaining();
    }

    @Override
    public ByteBuffer buffer() {
        return bytes.duplicate();
    }

    @Override
    public HeapRecords retain() {
        return this;
    }

    @Override
    public void release() {}

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof BufferRecords that && bytes.equals(that.buffer());
    }

    @Override
    public int hashCode() {
        return bytes.hashCode();
    }

    @Override
    public String toString() {
        return "records[" + sizeInBytes() + " bytes]";
    }
}
