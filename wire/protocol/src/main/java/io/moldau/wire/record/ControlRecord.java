package io.moldau.wire.record;

import io.moldau.wire.protocol.MalformedMessageException;
import java.nio.ByteBuffer;

/// What a record of a control batch says. Its key is a version and a type, two bytes each; its value depends on the
/// type.
public sealed interface ControlRecord {

    short ABORT_TYPE = 0;
    short COMMIT_TYPE = 1;

    /// A transaction of the batch's producer ended (KIP-98).
    ///
    /// @param coordinatorEpoch of the transaction coordinator that decided it
    record EndTransaction(boolean committed, int coordinatorEpoch) implements ControlRecord {}

    /// Something else, such as a marker of Kafka's own metadata log; readers pass over it.
    record Other(short type) implements ControlRecord {}

    /// Reads the record of a control batch.
    ///
    /// @throws MalformedMessageException if it has no type, or an end of a transaction has no epoch
    static ControlRecord parse(Record record) {
        ByteBuffer key = record.key();
        if (key == null || key.remaining() < 4) {
            throw new MalformedMessageException("The control record at offset " + record.offset() + " has no type");
        }
        int at = key.position();
        if (key.getShort(at) < 0) {
            throw new MalformedMessageException(
                    "The control record at offset " + record.offset() + " has version " + key.getShort(at));
        }
        short type = key.getShort(at + 2);
        if (type != ABORT_TYPE && type != COMMIT_TYPE) {
            return new Other(type);
        }
        ByteBuffer value = record.value();
        if (value == null || value.remaining() < 6 || value.getShort(value.position()) < 0) {
            throw new MalformedMessageException(
                    "The transaction marker at offset " + record.offset() + " has no coordinator epoch");
        }
        return new EndTransaction(type == COMMIT_TYPE, value.getInt(value.position() + 2));
    }

    /// A batch that holds one marker, at offset zero until the log places it.
    static ByteBuffer endTransactionBatch(long producerId, short producerEpoch, long timestamp, EndTransaction marker) {
        return endTransaction(producerId, producerEpoch, timestamp, marker).build();
    }

    /// [#endTransactionBatch] before it is bytes.
    static BatchBuilder endTransaction(long producerId, short producerEpoch, long timestamp, EndTransaction marker) {
        byte[] key = ByteBuffer.allocate(4)
                .putShort((short) 0)
                .putShort(marker.committed() ? COMMIT_TYPE : ABORT_TYPE)
                .array();
        byte[] value = ByteBuffer.allocate(6)
                .putShort((short) 0)
                .putInt(marker.coordinatorEpoch())
                .array();
        return new BatchBuilder()
                .producer(producerId, producerEpoch, RecordBatch.NO_SEQUENCE)
                .transactional(true)
                .control(true)
                .append(timestamp, key, value);
    }
}
