package io.moldau.broker.replica;

import io.moldau.wire.protocol.BufferRecords;
import java.nio.ByteBuffer;
import java.util.concurrent.atomic.AtomicInteger;

/// Memory that knows how many blocks and references are alive and wipes what is given back.
public final class HeapMemory implements MemorySource {

    public final AtomicInteger liveBlocks = new AtomicInteger();

    @Override
    public Block allocate(int bytes) {
        liveBlocks.incrementAndGet();
        return new HeapBlock(ByteBuffer.allocate(bytes));
    }

    private final class HeapBlock implements Block {
        private final ByteBuffer bytes;
        private final AtomicInteger references = new AtomicInteger(1);

        HeapBlock(ByteBuffer bytes) {
            this.bytes = bytes;
        }

        @Override
        public int capacity() {
            return bytes.capacity();
        }

        @Override
        public ByteBuffer buffer() {
            return bytes.duplicate().clear();
        }

        @Override
        public BufferRecords slice(int position, int length) {
            take();
            return new Slice(this, position, length);
        }

        private void take() {
            if (references.getAndIncrement() <= 0) {
                throw new IllegalStateException("a block that was given back is used");
            }
        }

        @Override
        public void release() {
            int left = references.decrementAndGet();
            if (left < 0) {
                throw new IllegalStateException("a block is given back twice");
            }
            if (left == 0) {
                liveBlocks.decrementAndGet();
                bytes.clear();
                while (bytes.hasRemaining()) {
                    bytes.put((byte) 0xEE);
                }
            }
        }
    }

    private record Slice(HeapBlock block, int position, int length) implements BufferRecords {

        @Override
        public int sizeInBytes() {
            return length;
        }

        @Override
        public ByteBuffer buffer() {
            return block.bytes.slice(position, length);
        }

        @Override
        public BufferRecords retain() {
            block.take();
            return this;
        }

        @Override
        public void release() {
            block.release();
        }
    }
}
