package io.moldau.broker.api.data;

import io.moldau.broker.replica.MemorySource;
import io.moldau.broker.replica.RecordParts;
import io.moldau.wire.protocol.BufferRecords;
import io.moldau.wire.protocol.FileRecords;
import io.moldau.wire.protocol.RecordBytes;
import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;

/// Makes records in files ready to be sent without waiting for the disk. Called where waiting is allowed, or where
/// none is expected.
final class FileReads {

    /// Larger regions leave by sendfile.
    private static final int LOAD_BYTES = 128 * 1024;

    /// So much of one response is read into memory.
    private static final int LOADED_BYTES = 256 * 1024;

    /// The operating system reads ahead at least this much around a byte that is touched.
    private static final int TOUCH_BYTES = 64 * 1024;

    private final MemorySource memory;

    FileReads(MemorySource memory) {
        this.memory = memory;
    }

    /// The same records: in memory if they are few, else still in the file, but in the page cache now. Takes over
    /// the reference.
    ///
    /// @param loaded bytes of the same response that are in memory already
    RecordBytes ready(RecordBytes records, long loaded) throws IOException {
        if (!(records instanceof FileRecords file) || file.sizeInBytes() == 0) {
            return records;
        }
        if (file.sizeInBytes() > LOAD_BYTES || loaded + file.sizeInBytes() > LOADED_BYTES) {
            touch(file);
            return file;
        }
        try {
            return load(file);
        } finally {
            file.release();
        }
    }

    private BufferRecords load(FileRecords file) throws IOException {
        MemorySource.Block block = memory.allocate(file.sizeInBytes());
        try {
            ByteBuffer target = block.buffer().limit(file.sizeInBytes());
            long position = file.position();
            while (target.hasRemaining()) {
                int read = file.channel().read(target, position);
                if (read < 0) {
                    throw new EOFException("a segment ends " + target.remaining() + " bytes before its records do");
                }
                position += read;
            }
            return block.slice(0, file.sizeInBytes());
        } finally {
            block.release();
        }
    }

    private static void touch(FileRecords file) throws IOException {
        ByteBuffer one = ByteBuffer.allocateDirect(1);
        for (long at = file.position(); at < file.position() + file.sizeInBytes(); at += TOUCH_BYTES) {
            file.channel().read(one.clear(), at);
        }
    }

    /// Gives records back that are not sent after all.
    static void release(RecordBytes records) {
        switch (records) {
            case RecordParts several -> several.parts().forEach(FileReads::release);
            case BufferRecords inMemory -> inMemory.release();
            case FileRecords inFile -> inFile.release();
            default -> {}
        }
    }
}
