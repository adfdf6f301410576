package io.moldau.wire.netty;

import io.moldau.wire.protocol.BufferRecords;
import io.netty.buffer.ByteBuf;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/// Record batches in a `ByteBuf`, usually a slice of a received frame whose reference count they share.
public final class ByteBufRecords implements BufferRecords {

    private final ByteBuf bytes;

    /// @param bytes what lies between its reader and writer index; takes no reference
    public ByteBufRecords(ByteBuf bytes) {
        this.bytes = bytes;
    }

    /// The bytes themselves, without a reference for the caller.
    public ByteBuf byteBuf() {
        return bytes;
    }

    @Override
    public int sizeInBytes() {
        return bytes.readableBytes();
    }

    @Override
    public ByteBuffer buffer() {
        return bytes.nioBuffer();
    }

    @Override
    public ByteBufRecords retain() {
        bytes.retain();
        return this;
    }

    @Override
    public void release() {
        bytes.release();
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof BufferRecords that && buffer().equals(that.buffer());
    }

    @Override
    public int hashCode() {
        return buffer().hashCode();
    }

    @Override
    public String toString() {
        return "records[" + sizeInBytes() + " bytes]";
    }
}
