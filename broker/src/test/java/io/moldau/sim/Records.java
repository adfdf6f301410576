package io.moldau.sim;

import io.moldau.wire.record.ControlRecord;
import io.moldau.wire.record.DecompressionLimits;
import io.moldau.wire.record.Record;
import io.moldau.wire.record.RecordBatch;
import io.moldau.wire.record.RecordBatches;
import java.nio.ByteBuffer;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// Looks at records for their identity.
final class Records {

    /// What a record is to transactions.
    enum Kind {
        NONE,
        /// Data of a transaction.
        DATA,
        COMMIT,
        ABORT
    }

    /// One record.
    ///
    /// @param content the same for records with the same key and value
    /// @param transaction the number of the simulated transaction it was made in, -1 if there is none
    /// @param index counts the records of the transaction in the partition; -1 for one that is not counted
    record Found(long offset, int leaderEpoch, long content, Kind kind, long producerId, int transaction, int index) {}

    private Records() {}

    /// Visits the records of all whole batches.
    ///
    /// @return the offset behind the last batch, which may have no records any more; -1 if there is no whole one
    static long each(ByteBuffer bytes, Consumer<Found> visitor) {
        long next = -1;
        var batches = new RecordBatches(bytes);
        while (batches.tryNext() == RecordBatches.Step.BATCH) {
            RecordBatch batch = batches.batch();
            for (Record record : batch.records(DecompressionLimits.DEFAULT)) {
                visitor.accept(found(batch, record));
            }
            next = batch.nextOffset();
        }
        return next;
    }

    private static Found found(RecordBatch batch, Record record) {
        Kind kind = kind(batch, record);
        ByteBuffer value = record.value();
        // Only simulated producers make records without keys.
        Payload payload = batch.producerId() >= 0 && record.key() == null && value != null ? Payload.read(value) : null;
        int transaction = -1;
        int index = -1;
        if (kind == Kind.DATA && payload != null) {
            transaction = payload.sequence() / Payload.MOST_IN_TRANSACTION;
            index = payload.sequence() % Payload.MOST_IN_TRANSACTION;
        } else if (kind == Kind.DATA && value != null) {
            // A committed offset, which is the number of the transaction, behind the version of its layout.
            transaction = (int) value.getLong(value.position() + Short.BYTES);
        }
        long content = payload == null ? hash(record) : payload.packed();
        return new Found(
                record.offset(), batch.partitionLeaderEpoch(), content, kind, batch.producerId(), transaction, index);
    }

    private static Kind kind(RecordBatch batch, Record record) {
        if (!batch.isTransactional()) {
            return Kind.NONE;
        }
        if (!batch.isControl()) {
            return Kind.DATA;
        }
        return ControlRecord.parse(record) instanceof ControlRecord.EndTransaction end && end.committed()
                ? Kind.COMMIT
                : Kind.ABORT;
    }

    private static long hash(Record record) {
        return (mix(record.key()) * 31 + mix(record.value())) | Long.MIN_VALUE;
    }

    private static long mix(@Nullable ByteBuffer bytes) {
        long hash = 7;
        if (bytes != null) {
            for (int i = bytes.position(); i < bytes.limit(); i++) {
                hash = hash * 1_000_003 + bytes.get(i);
            }
        }
        return hash;
    }
}
