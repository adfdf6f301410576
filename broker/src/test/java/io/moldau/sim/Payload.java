package io.moldau.sim;

import java.nio.ByteBuffer;

/// The value of a record that a simulated producer made: its producer and its number among that producer's records for
/// the partition.
///
/// @param sequence in a transaction its number, times [#MOST_IN_TRANSACTION], and the record's place in it
record Payload(int producer, int sequence) {

    static final int MOST_IN_TRANSACTION = 256;

    static byte[] of(int producer, int sequence, int padding) {
        return ByteBuffer.allocate(2 * Integer.BYTES + padding)
                .putInt(producer)
                .putInt(sequence)
                .array();
    }

    static Payload read(ByteBuffer value) {
        return new Payload(value.getInt(value.position()), value.getInt(value.position() + Integer.BYTES));
    }

    long packed() {
        return (long) producer << 32 | sequence & 0xffffffffL;
    }
}
