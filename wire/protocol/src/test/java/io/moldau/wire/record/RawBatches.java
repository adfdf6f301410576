package io.moldau.wire.record;

import java.nio.ByteBuffer;
import java.util.zip.CRC32C;

/// Batches put together byte by byte, so that they can be wrong in one thing and right in the rest.
final class RawBatches {

    private RawBatches() {}

    /// The records of an uncompressed batch, without its header.
    static byte[] recordsOf(ByteBuffer batch) {
        byte[] records = new byte[batch.remaining() - RecordBatch.HEADER_SIZE];
        batch.get(batch.position() + RecordBatch.RECORDS_OFFSET, records);
        return records;
    }

    /// The header of a batch before other record bytes that are said to be in this codec; length and checksum fit.
    static ByteBuffer with(ByteBuffer batch, Compression compression, byte[] records) {
        ByteBuffer result = ByteBuffer.allocate(RecordBatch.HEADER_SIZE + records.length);
        result.put(0, batch, batch.position(), RecordBatch.HEADER_SIZE);
        result.put(RecordBatch.RECORDS_OFFSET, records);
        int others = result.getShort(RecordBatch.ATTRIBUTES_OFFSET) & ~RecordBatch.COMPRESSION_MASK;
        result.putShort(RecordBatch.ATTRIBUTES_OFFSET, (short) (others | compression.id()));
        result.putInt(RecordBatch.LENGTH_OFFSET, result.capacity() - RecordBatch.LOG_OVERHEAD);
        return fixCrc(result);
    }

    /// The batch at position zero with the checksum of what it is now.
    static ByteBuffer fixCrc(ByteBuffer batch) {
        var crc = new CRC32C();
        crc.update(batch.slice(RecordBatch.ATTRIBUTES_OFFSET, batch.capacity() - RecordBatch.ATTRIBUTES_OFFSET));
        return batch.putInt(RecordBatch.CRC_OFFSET, (int) crc.getValue());
    }

    static ByteBuffer copy(ByteBuffer buffer) {
        return ByteBuffer.allocate(buffer.remaining()).put(buffer.duplicate()).flip();
    }
}
