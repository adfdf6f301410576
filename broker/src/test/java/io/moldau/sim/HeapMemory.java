package io.moldau.sim;

import io.moldau.broker.replica.MemorySource;
import io.moldau.wire.protocol.BufferRecords;
import io.moldau.wire.protocol.HeapRecords;
import java.nio.ByteBuffer;

/// Memory that the garbage collector looks after.
final class HeapMemory implements MemorySource {

    @Override
    public Block allocate(int bytes) {
        var memory = ByteBuffer.allocate(bytes);
        return new Block() {
            @Override
            public int capacity() {
                return memory.capacity();
            }

            @Override
            public ByteBuffer buffer() {
                return memory.duplicate().clear();
            }

            @Override
            public BufferRecords slice(int position, int length) {
                return HeapRecords.of(memory.slice(position, length));
            }

            @Override
            public void release() {}
        };
    }
}
