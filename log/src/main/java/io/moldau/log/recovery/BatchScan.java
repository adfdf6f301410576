package io.moldau.log.recovery;

import io.moldau.log.segment.LogSegment;
import io.moldau.log.storage.LogFile;
import io.moldau.wire.record.RecordBatch;
import java.io.IOException;
import java.nio.ByteBuffer;

/// Reads whole batches from a segment file, one after the other, in large pieces. Owned by one thread.
public final class BatchScan {

    private static final int CHUNK = 1 << 20;

    private final int chunkBytes;
    private final RecordBatch batch = new RecordBatch();
    private ByteBuffer chunk = ByteBuffer.allocate(0);
    private long chunkStart;

    public BatchScan() {
        this(CHUNK);
    }

    /// @param chunkBytes how much to read at a time; more if a batch is larger
    public BatchScan(int chunkBytes) {
        this.chunkBytes = chunkBytes;
    }

    /// What a scan hands out; false ends the scan before this batch.
    public interface Visitor {
        boolean visit(RecordBatch batch, int position) throws IOException;
    }

    /// Visits the batches from `position` on.
    ///
    /// @param checkCrc whether a batch whose checksum is wrong ends the scan
    /// @return where the scan ended: at `end`, or before the first batch that is torn, damaged or was refused
    public int scan(LogSegment segment, int position, int end, boolean checkCrc, Visitor visitor) throws IOException {
        return scan(segment.file(), position, end, checkCrc, visitor);
    }

    /// The same for a file that is no segment yet.
    int scan(LogFile file, int position, int end, boolean checkCrc, Visitor visitor) throws IOException {
        int at = position;
        chunk.clear().limit(0);
        while (end - at >= RecordBatch.HEADER_SIZE) {
            if (!load(file, at, end, RecordBatch.HEADER_SIZE)) {
                return at;
            }
            int inChunk = (int) (at - chunkStart);
            int length = chunk.getInt(inChunk + RecordBatch.LENGTH_OFFSET);
            if (chunk.get(inChunk + RecordBatch.MAGIC_OFFSET) != RecordBatch.MAGIC_V2
                    || length < RecordBatch.HEADER_SIZE - RecordBatch.LOG_OVERHEAD
                    || length > end - at - RecordBatch.LOG_OVERHEAD) {
                return at;
            }
            int size = length + RecordBatch.LOG_OVERHEAD;
            if (!load(file, at, end, size)) {
                return at;
            }
            batch.wrap(chunk, (int) (at - chunkStart));
            if (batch.lastOffsetDelta() < 0 || (checkCrc && !batch.isCrcValid()) || !visitor.visit(batch, at)) {
                return at;
            }
            at += size;
        }
        return at;
    }

    /// Makes `wanted` bytes from `at` on available in the chunk; false if the file has fewer.
    private boolean load(LogFile file, int at, int end, int wanted) throws IOException {
        if (at >= chunkStart && at + (long) wanted <= chunkStart + chunk.limit()) {
            return true;
        }
        int size = Math.min(Math.max(chunkBytes, wanted), end - at);
        if (chunk.capacity() < size) {
            chunk = ByteBuffer.allocateDirect(size);
        }
        chunk.clear().limit(size);
        int read = file.read(chunk, at);
        chunk.flip();
        chunkStart = at;
        return read >= wanted;
    }
}
