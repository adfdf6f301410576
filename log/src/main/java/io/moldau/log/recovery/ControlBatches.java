package io.moldau.log.recovery;

import io.moldau.log.producer.EndTransactionMarker;
import io.moldau.wire.record.ControlRecord;
import io.moldau.wire.record.DecompressionLimits;
import io.moldau.wire.record.RecordBatch;
import io.moldau.wire.record.RecordCursor;
import org.jspecify.annotations.Nullable;

/// Reads the marker in a control batch.
public final class ControlBatches {

    private ControlBatches() {}

    /// The end of a transaction the batch speaks of; null if it holds data, or a control record of another kind.
    public static @Nullable EndTransactionMarker marker(RecordBatch batch) {
        if (!batch.isControl() || !batch.hasProducerId()) {
            return null;
        }
        try (var cursor = new RecordCursor().open(batch, DecompressionLimits.DEFAULT)) {
            if (cursor.next() && ControlRecord.parse(cursor.record()) instanceof ControlRecord.EndTransaction end) {
                return new EndTransactionMarker(end.committed(), end.coordinatorEpoch());
            }
        }
        return null;
    }
}
