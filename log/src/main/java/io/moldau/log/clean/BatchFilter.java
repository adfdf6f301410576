package io.moldau.log.clean;

import io.moldau.log.producer.LastBatch;
import io.moldau.wire.record.BatchBuilder;
import io.moldau.wire.record.Compression;
import io.moldau.wire.record.DecompressionLimits;
import io.moldau.wire.record.RecordBatch;
import io.moldau.wire.record.RecordCursor;
import java.nio.ByteBuffer;
import java.util.BitSet;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// What compaction leaves of one batch. Pure, but for the buffers it uses again; not for use by several threads.
///
/// A record stays if no later one has its key. A tombstone, and the marker of a transaction without records, stays for
/// `delete.retention.ms` after the first compaction that could have dropped it; that time is written into the batch, in
/// the place of its base timestamp (KIP-534). Offsets, sequence numbers and leader epochs stay as they are.
final class BatchFilter {

    /// What becomes of a batch.
    sealed interface Outcome {
        /// It goes.
        record Drop() implements Outcome {}

        /// It stays as it is.
        record Keep() implements Outcome {}

        /// This takes its place.
        record Rewrite(ByteBuffer batch) implements Outcome {}
    }

    private static final Outcome DROP = new Outcome.Drop();
    private static final Outcome KEEP = new Outcome.Keep();

    private final OffsetMap newest;
    private final long knownUpTo;
    private final Map<Long, LastBatch> lastBatches;
    private final long deleteRetentionMs;
    private final long nowMs;
    private final RecordCursor cursor = new RecordCursor();
    private final BitSet retained = new BitSet();

    /// @param knownUpTo records at or behind this offset are not in `newest`, and all stay
    BatchFilter(
            OffsetMap newest, long knownUpTo, Map<Long, LastBatch> lastBatches, long deleteRetentionMs, long nowMs) {
        this.newest = newest;
        this.knownUpTo = knownUpTo;
        this.lastBatches = lastBatches;
        this.deleteRetentionMs = deleteRetentionMs;
        this.nowMs = nowMs;
    }

    /// @param aborted whether it holds records of an aborted transaction
    Outcome records(RecordBatch batch, boolean aborted, boolean lastOfSegment) {
        if (aborted) {
            return withoutRecords(batch, lastOfSegment);
        }
        int count = 0;
        int read = 0;
        boolean tombstones = false;
        retained.clear();
        cursor.open(batch, DecompressionLimits.DEFAULT);
        while (cursor.next()) {
            read++;
            if (stays(batch)) {
                retained.set(cursor.index());
                count++;
                tombstones |= !cursor.hasValue();
            }
        }
        boolean newHorizon = tombstones && !batch.hasDeleteHorizon();
        if (count == 0) {
            return withoutRecords(batch, lastOfSegment);
        }
        return count == read && !newHorizon ? KEEP : new Outcome.Rewrite(rebuilt(batch, newHorizon));
    }

    private boolean stays(RecordBatch batch) {
        if (cursor.offset() >= knownUpTo) {
            return true;
        }
        var key = cursor.key();
        if (key == null || cursor.offset() < newest.get(key)) {
            // Without a key nothing could ever replace it; such records are refused, but the topic may have become
            // compacted after they came.
            return false;
        }
        return cursor.hasValue() || !horizonIsOver(batch);
    }

    /// @param ofEmptyTransaction whether it ends a transaction of which no record is left
    Outcome marker(RecordBatch batch, boolean ofEmptyTransaction, boolean lastOfSegment) {
        if (!ofEmptyTransaction) {
            return KEEP;
        }
        if (horizonIsOver(batch) || batch.recordCount() == 0) {
            return withoutRecords(batch, lastOfSegment);
        }
        if (batch.hasDeleteHorizon()) {
            return KEEP;
        }
        retained.set(0, batch.recordCount());
        return new Outcome.Rewrite(rebuilt(batch, true));
    }

    private boolean horizonIsOver(RecordBatch batch) {
        return batch.hasDeleteHorizon() && batch.baseTimestamp() <= nowMs;
    }

    private boolean isLastOfProducer(RecordBatch batch) {
        LastBatch last = batch.hasProducerId() ? lastBatches.get(batch.producerId()) : null;
        if (last == null) {
            return false;
        }
        return last.lastDataOffset() >= 0
                ? last.lastDataOffset() == batch.lastOffset()
                : batch.isControl() && last.producerEpoch() == batch.producerEpoch();
    }

    private Outcome withoutRecords(RecordBatch batch, boolean lastOfSegment) {
        boolean lastOfProducer = isLastOfProducer(batch);
        if (!lastOfSegment && !lastOfProducer) {
            return DROP;
        }
        if (batch.recordCount() == 0) {
            return KEEP;
        }
        // Without a time, unless it tells when a producer was active: no look-up by time shall end at it.
        long timestamp = lastOfProducer ? batch.maxTimestamp() : RecordBatch.NO_TIMESTAMP;
        return new Outcome.Rewrite(emptied(batch, timestamp));
    }

    /// The header alone: what follows from it about offsets and producers stays true.
    private static ByteBuffer emptied(RecordBatch batch, long maxTimestamp) {
        var header = BatchBuilder.like(batch)
                .compression(Compression.NONE)
                .lastOffset(batch.lastOffset())
                .build();
        RecordBatch.at(header).setMaxTimestampAndType(maxTimestamp, batch.timestampType());
        return header;
    }

    private ByteBuffer rebuilt(RecordBatch batch, boolean newHorizon) {
        var builder = BatchBuilder.like(batch).compression(batch.compression());
        Long horizon = horizon(batch, newHorizon);
        if (horizon != null) {
            builder.deleteHorizon(horizon);
        }
        cursor.open(batch, DecompressionLimits.DEFAULT);
        while (cursor.next()) {
            if (retained.get(cursor.index())) {
                builder.append(cursor.record());
            }
        }
        return builder.lastOffset(batch.lastOffset()).build();
    }

    private @Nullable Long horizon(RecordBatch batch, boolean newHorizon) {
        if (newHorizon) {
            return nowMs + deleteRetentionMs;
        }
        return batch.hasDeleteHorizon() ? (Long) batch.baseTimestamp() : null;
    }
}
