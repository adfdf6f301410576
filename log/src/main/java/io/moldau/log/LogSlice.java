package io.moldau.log;

import io.moldau.log.segment.LogSegment;
import io.moldau.log.storage.LogFile;
import io.moldau.wire.protocol.FileRecords;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import org.jspecify.annotations.Nullable;

/// A region of a segment file, for sending without copying. Keeps the file open until it is released, also when
/// retention deletes the segment meanwhile. Counted: [#retain] and [#release] may be called on any thread.
public final class LogSlice implements FileRecords {

    private static final LogSlice EMPTY = new LogSlice(null, 0L, 0);

    private final @Nullable LogSegment segment;
    private final long position;
    private final int sizeInBytes;

    /// @param segment already retained for this slice
    LogSlice(@Nullable LogSegment segment, long position, int sizeInBytes) {
        this.segment = segment;
        this.position = position;
        this.sizeInBytes = sizeInBytes;
    }

    /// No bytes.
    public static LogSlice empty() {
        return EMPTY;
    }

    @Override
    public int sizeInBytes() {
        return sizeInBytes;
    }

    /// @throws IllegalStateException if the slice is empty
    @Override
    public FileChannel channel() {
        return file().channel();
    }

    @Override
    public long position() {
        return position;
    }

    /// Copies the region, or as much of it as fits, into a buffer.
    ///
    /// @return how many bytes were copied
    public int read(ByteBuffer target) throws IOException {
        if (segment == null) {
            return 0;
        }
        int wanted = Math.min(target.remaining(), sizeInBytes);
        int limit = target.limit();
        target.limit(target.position() + wanted);
        try {
            return segment.file().read(target, position);
        } finally {
            target.limit(limit);
        }
    }

    @Override
    public LogSlice retain() {
        if (segment != null) {
            segment.retain();
        }
        return this;
    }

    @Override
    public void release() {
        if (segment != null) {
            segment.release();
        }
    }

    private LogFile file() {
        if (segment == null) {
            throw new IllegalStateException("An empty slice has no file");
        }
        return segment.file();
    }
}
