package io.moldau.broker.net;

import io.moldau.broker.replica.MemorySource;
import io.moldau.wire.netty.ByteBufRecords;
import io.moldau.wire.protocol.BufferRecords;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import java.nio.ByteBuffer;

/// Blocks of pooled direct memory.
public final class PooledMemory implements MemorySource {

    private final ByteBufAllocator allocator;

    /// Of the loops' allocator.
    public PooledMemory(EventLoops loops) {
        this(loops.allocator());
    }

    public PooledMemory(ByteBufAllocator allocator) {
        this.allocator = allocator;
    }

    @Override
    public Block allocate(int bytes) {
        return new PooledBlock(allocator.directBuffer(bytes, bytes));
    }

    private record PooledBlock(ByteBuf bytes) implements Block {

        @Override
        public int capacity() {
            return bytes.capacity();
        }

        @Override
        public ByteBuffer buffer() {
            return bytes.nioBuffer(0, bytes.capacity());
        }

        @Override
        public BufferRecords slice(int position, int length) {
            return new ByteBufRecords(bytes.retainedSlice(position, length));
        }

        @Override
        public void release() {
            bytes.release();
        }
    }
}
