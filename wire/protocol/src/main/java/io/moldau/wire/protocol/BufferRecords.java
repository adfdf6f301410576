package io.moldau.wire.protocol;

import java.nio.ByteBuffer;

/// Record batches in memory, on the heap or off it.
///
/// Memory off the heap is counted by reference: whoever wants to keep the bytes beyond the call that lent them takes a
/// reference of its own with [#retain] and gives it back with [#release].
public interface BufferRecords extends RecordBytes {

    /// A view of the bytes with a position and limit of its own. Writes go through to the bytes. Valid while a
    /// reference
    /// is held.
    ByteBuffer buffer();

    /// Takes one more reference.
    BufferRecords retain();

    /// Gives one reference back.
    void release();
}
