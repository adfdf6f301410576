package io.moldau.ops.chaos.load;

import java.nio.ByteBuffer;
import java.util.Optional;
import java.util.zip.CRC32;

/// What a record carries: who sent it where as which of its records, and a checksum of that. Then padding.
///
/// The driver of other libraries writes the same bytes, big-endian: producer, partition, sequence, checksum.
///
/// @param producer number of the client
/// @param sequence counts the records of one producer in one partition from 0
public record ChaosValue(int producer, int partition, long sequence) {

    private static final int CHECKED = 4 + 4 + 8;
    private static final int HEADER = CHECKED + 4;

    /// @param size at least 20
    public byte[] encode(int size) {
        var bytes = new byte[Math.max(size, HEADER)];
        var buffer = ByteBuffer.wrap(bytes).putInt(producer).putInt(partition).putLong(sequence);
        buffer.putInt(checksum(bytes));
        for (int i = HEADER; i < bytes.length; i++) {
            bytes[i] = (byte) (sequence * 31 + i);
        }
        return bytes;
    }

    /// Empty when these are not bytes that [#encode] made.
    public static Optional<ChaosValue> decode(byte[] bytes) {
        if (bytes.length < HEADER) {
            return Optional.empty();
        }
        var buffer = ByteBuffer.wrap(bytes);
        var value = new ChaosValue(buffer.getInt(), buffer.getInt(), buffer.getLong());
        return buffer.getInt() == checksum(bytes) ? Optional.of(value) : Optional.empty();
    }

    private static int checksum(byte[] bytes) {
        var sum = new CRC32();
        sum.update(bytes, 0, CHECKED);
        return (int) sum.getValue();
    }
}
