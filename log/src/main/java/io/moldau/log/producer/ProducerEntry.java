package io.moldau.log.producer;

import io.moldau.wire.record.RecordBatch;

/// One producer as the log remembers it: epoch, the last five batches of that epoch, the open transaction.
///
/// Mutable; belongs to one [ProducerStates].
final class ProducerEntry {

    /// As many as a client may have in flight.
    static final int BATCHES_KEPT = 5;

    static final long NO_TRANSACTION = -1L;

    final long producerId;
    short producerEpoch = RecordBatch.NO_PRODUCER_EPOCH;
    int coordinatorEpoch = -1;
    long lastTimestamp = RecordBatch.NO_TIMESTAMP;
    long currentTxnFirstOffset = NO_TRANSACTION;

    // A ring: the batch added last is at (head + count - 1) % BATCHES_KEPT.
    private final int[] lastSequences = new int[BATCHES_KEPT];
    private final long[] lastOffsets = new long[BATCHES_KEPT];
    private final int[] offsetDeltas = new int[BATCHES_KEPT];
    private final long[] timestamps = new long[BATCHES_KEPT];
    private int head;
    private int count;

    ProducerEntry(long producerId) {
        this.producerId = producerId;
    }

    ProducerEntry copy() {
        var copy = new ProducerEntry(producerId);
        copy.producerEpoch = producerEpoch;
        copy.coordinatorEpoch = coordinatorEpoch;
        copy.lastTimestamp = lastTimestamp;
        copy.currentTxnFirstOffset = currentTxnFirstOffset;
        for (int i = 0; i < count; i++) {
            copy.addBatch(lastSequence(i), lastOffset(i), offsetDelta(i), timestamp(i));
        }
        return copy;
    }

    int batchCount() {
        return count;
    }

    // Batches are numbered from the oldest, 0, to the newest, batchCount() - 1.

    int lastSequence(int batch) {
        return lastSequences[slot(batch)];
    }

    long lastOffset(int batch) {
        return lastOffsets[slot(batch)];
    }

    int offsetDelta(int batch) {
        return offsetDeltas[slot(batch)];
    }

    long timestamp(int batch) {
        return timestamps[slot(batch)];
    }

    int firstSequence(int batch) {
        int last = lastSequence(batch);
        int delta = offsetDelta(batch);
        // Before sequence 0 comes the largest int.
        return last >= delta ? last - delta : Integer.MAX_VALUE - (delta - last) + 1;
    }

    private int slot(int batch) {
        return (head + batch) % BATCHES_KEPT;
    }

    /// The sequence of the producer's last record, or [RecordBatch#NO_SEQUENCE].
    int lastSequence() {
        return count == 0 ? RecordBatch.NO_SEQUENCE : lastSequence(count - 1);
    }

    void addBatch(int lastSequence, long lastOffset, int offsetDelta, long timestamp) {
        if (count == BATCHES_KEPT) {
            head = (head + 1) % BATCHES_KEPT;
            count--;
        }
        int slot = slot(count);
        lastSequences[slot] = lastSequence;
        lastOffsets[slot] = lastOffset;
        offsetDeltas[slot] = offsetDelta;
        timestamps[slot] = timestamp;
        count++;
    }

    void enterEpoch(short epoch) {
        if (producerEpoch != epoch) {
            producerEpoch = epoch;
            head = 0;
            count = 0;
        }
    }

    boolean hasOpenTransaction(short epoch) {
        return currentTxnFirstOffset != NO_TRANSACTION && producerEpoch == epoch;
    }

    /// The number of the remembered batch with these sequences, -1 if there is none.
    int find(int firstSequence, int lastSequence) {
        for (int i = count - 1; i >= 0; i--) {
            if (lastSequence(i) == lastSequence && firstSequence(i) == firstSequence) {
                return i;
            }
        }
        return -1;
    }

    ActiveProducer describe() {
        return new ActiveProducer(
                producerId, producerEpoch, lastSequence(), lastTimestamp, coordinatorEpoch, currentTxnFirstOffset);
    }
}
