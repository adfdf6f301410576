package io.moldau.wire.protocol;

import java.nio.channels.FileChannel;

/// Record batches in a region of a file that is sent without passing through this process.
///
/// Counted by reference like [BufferRecords]: the file stays open while one is held. The channel's own position is
/// not used.
public interface FileRecords extends RecordBytes {

    FileChannel channel();

    /// Where the region begins, in bytes from the start of the file.
    long position();

    /// Takes one more reference.
    FileRecords retain();

    /// Gives one reference back.
    void release();
}
