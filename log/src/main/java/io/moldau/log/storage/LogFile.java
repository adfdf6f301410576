package io.moldau.log.storage;

import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;

/// An open file. Reads and writes name their position, so any thread may read while one writes.
public interface LogFile extends Closeable {

    /// The path it was opened at; a later rename does not change it.
    Path path();

    long size() throws IOException;

    /// Reads until `target` is full or the file ends.
    ///
    /// @return how many bytes were read, 0 at or behind the end
    int read(ByteBuffer target, long position) throws IOException;

    /// Writes all that remains in `source`; its position moves to its limit.
    void write(ByteBuffer source, long position) throws IOException;

    void truncate(long size) throws IOException;

    /// Returns when everything written so far would survive a power cut. After a failure the state of the written
    /// bytes is unknown, so the caller must not call again and believe the answer.
    void force() throws IOException;

    /// For sending a region of the file to a socket without copying it.
    FileChannel channel();

    @Override
    void close() throws IOException;
}
