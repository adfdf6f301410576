package io.moldau.sim;

import io.moldau.wire.record.DecompressionLimits;
import io.moldau.wire.record.Record;
import io.moldau.wire.record.RecordBatches;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/// Looks at records for their identity.
final class Records {

    /// Gets one record.
    @FunctionalInterface
    interface Visitor {
        /// @param content the same for records with the same key and value
        void record(long offset, int leaderEpoch, long content);
    }

    private Records() {}

    /// Visits the records of all whole batches.
    static void each(ByteBuffer bytes, Visitor visitor) {
        var batches = new RecordBatches(bytes);
        while (batches.tryNext() == RecordBatches.Step.BATCH) {
            int epoch = batches.batch().partitionLeaderEpoch();
            boolean produced = batches.batch().producerId() >= 0;
            for (Record record : batches.batch().records(DecompressionLimits.DEFAULT)) {
                visitor.record(record.offset(), epoch, produced ? produced(record) : hash(record));
            }
        }
    }

    private static long produced(Record record) {
        ByteBuffer value = record.value();
        return value == null ? -1 : Payload.read(value).packed();
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
