package io.moldau.wire.netty;

import io.moldau.wire.protocol.BufferRecords;
import io.moldau.wire.protocol.FileRecords;
import io.moldau.wire.protocol.RecordBytes;
import io.moldau.wire.protocol.Writable;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// Writes a frame as a list of parts: direct memory that it fills, and records that it only refers to.
///
/// Not thread-safe. Ends with either [#finish], which hands the parts over, or [#release].
public final class ByteBufWritable implements Writable {

    /// Records below this size are copied: cheaper than one more entry in a gathering write.
    private static final int COPY_BELOW_BYTES = 4096;

    private static final int INITIAL_CHUNK_BYTES = 512;

    private final ByteBufAllocator allocator;
    private final List<FramePart> parts = new ArrayList<>(1);
    private @Nullable ByteBuf chunk;
    private long finishedBytes;

    public ByteBufWritable(ByteBufAllocator allocator) {
        this.allocator = allocator;
    }

    /// How many bytes were written so far.
    public long size() {
        return finishedBytes + (chunk == null ? 0 : chunk.readableBytes());
    }

    /// The parts in order; the caller owns them from now on.
    public List<FramePart> finish() {
        endChunk();
        var finished = List.copyOf(parts);
        parts.clear();
        finishedBytes = 0;
        return finished;
    }

    /// Gives up what was written.
    public void release() {
        finish().forEach(FramePart::release);
    }

    @Override
    public void writeByte(int value) {
        chunk().writeByte(value);
    }

    @Override
    public void writeShort(int value) {
        chunk().writeShort(value);
    }

    @Override
    public void writeInt(int value) {
        chunk().writeInt(value);
    }

    @Override
    public void writeLong(long value) {
        chunk().writeLong(value);
    }

    @Override
    public void writeDouble(double value) {
        chunk().writeDouble(value);
    }

    @Override
    public void writeBytes(byte[] value) {
        chunk().writeBytes(value);
    }

    @Override
    public void writeUtf8(String value, int utf8Length) {
        ByteBufUtil.reserveAndWriteUtf8(chunk(), value, utf8Length);
    }

    @Override
    public void writeRecords(RecordBytes records) {
        if (records.sizeInBytes() == 0) {
            return;
        }
        switch (records) {
            case FileRecords file -> add(new FramePart.File(file.retain()));
            case BufferRecords memory
            when memory.sizeInBytes() < COPY_BELOW_BYTES -> chunk().writeBytes(memory.buffer());
            // A duplicate, so that sending does not move the indices of others who hold the same bytes.
            case ByteBufRecords memory ->
                add(new FramePart.Memory(memory.byteBuf().retainedDuplicate()));
            case BufferRecords memory when memory.buffer().isDirect() -> chunk().writeBytes(memory.buffer());
            case BufferRecords memory -> add(new FramePart.Memory(Unpooled.wrappedBuffer(memory.buffer())));
            default -> throw new IllegalArgumentException("records are neither in memory nor in a file but " + records);
        }
    }

    private void add(FramePart part) {
        endChunk();
        parts.add(part);
        finishedBytes += part.sizeInBytes();
    }

    private ByteBuf chunk() {
        var current = chunk;
        if (current == null) {
            current = allocator.directBuffer(INITIAL_CHUNK_BYTES);
            chunk = current;
        }
        return current;
    }

    private void endChunk() {
        var current = chunk;
        if (current != null) {
            parts.add(new FramePart.Memory(current));
            finishedBytes += current.readableBytes();
            chunk = null;
        }
    }
}
