package io.moldau.broker.replica;

import io.moldau.wire.protocol.BufferRecords;
import java.nio.ByteBuffer;

/// Where memory for cached records comes from. Thread-safe.
public interface MemorySource {

    Block allocate(int bytes);

    /// A piece of memory, counted by reference. Starts with one.
    interface Block {

        int capacity();

        /// All of it, with a position and limit of its own.
        ByteBuffer buffer();

        /// Part of it as records, which hold a reference of their own.
        BufferRecords slice(int position, int length);

        void release();
    }
}
