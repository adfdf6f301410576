package io.moldau.log.segment;

import io.moldau.log.storage.CorruptLogException;
import io.moldau.log.storage.LogFile;
import io.moldau.wire.record.RecordBatch;
import java.io.IOException;
import java.nio.ByteBuffer;

/// Reads the headers of batches in a segment file one after the other, a chunk of the file at a time, without
/// looking at records or checksums. Owned by one thread.
public final class BatchHeader {

    private final LogFile file;
    private final ByteBuffer chunk;
    private long chunkStart;
    private int position;
    private int at;

    /// @param chunk scratch space, at least a header long
    public BatchHeader(LogFile file, ByteBuffer chunk) {
        this.file = file;
        this.chunk = chunk;
        chunk.clear().limit(0);
    }

    /// Moves to the batch at `position`.
    ///
    /// @param end where the file, or the part of it that counts, ends
    /// @return false if there is no whole, plausible batch between the two
    public boolean moveTo(int position, int end) throws IOException {
        if (end - position < RecordBatch.HEADER_SIZE) {
            return false;
        }
        if (position < chunkStart || position + RecordBatch.HEADER_SIZE > chunkStart + chunk.limit()) {
            chunk.clear();
            int read = file.read(chunk, position);
            chunk.flip();
            chunkStart = position;
            if (read < RecordBatch.HEADER_SIZE) {
                return false;
            }
        }
        at = (int) (position - chunkStart);
        this.position = position;
        int length = chunk.getInt(at + RecordBatch.LENGTH_OFFSET);
        return chunk.get(at + RecordBatch.MAGIC_OFFSET) == RecordBatch.MAGIC_V2
                && length >= RecordBatch.HEADER_SIZE - RecordBatch.LOG_OVERHEAD
                && length <= end - position - RecordBatch.LOG_OVERHEAD
                && chunk.getInt(at + RecordBatch.LAST_OFFSET_DELTA_OFFSET) >= 0;
    }

    /// For who has gone from batch to batch as far as [#moveTo] let it.
    ///
    /// @param position where that was
    /// @param end up to where the file holds whole batches
    /// @throws CorruptLogException if it was not that end
    public void requireEnd(int position, int end) throws CorruptLogException {
        if (position < end) {
            throw new CorruptLogException("'" + file.path() + "' is damaged at byte " + position
                    + ": no batch begins there. Restore the file, or delete the partition's directory to have it"
                    + " copied from another replica");
        }
    }

    public int position() {
        return position;
    }

    public int sizeInBytes() {
        return RecordBatch.LOG_OVERHEAD + chunk.getInt(at + RecordBatch.LENGTH_OFFSET);
    }

    public int nextPosition() {
        return position + sizeInBytes();
    }

    public long baseOffset() {
        return chunk.getLong(at);
    }

    public long lastOffset() {
        return baseOffset() + chunk.getInt(at + RecordBatch.LAST_OFFSET_DELTA_OFFSET);
    }

    public long maxTimestamp() {
        return chunk.getLong(at + RecordBatch.MAX_TIMESTAMP_OFFSET);
    }

    /// The checksum the header has.
    public int crc() {
        return chunk.getInt(at + RecordBatch.CRC_OFFSET);
    }

    public int leaderEpoch() {
        return chunk.getInt(at + RecordBatch.PARTITION_LEADER_EPOCH_OFFSET);
    }
}
