package io.moldau.log.producer;

import io.moldau.common.Errors;
import io.moldau.wire.record.RecordBatch;
import java.util.ArrayDeque;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/// What one log knows about the idempotent and transactional producers that wrote to it: who may write next,
/// which batches it has seen, which transactions are open.
///
/// Pure: opens no file, asks no clock. Mutable; whoever holds the log's append lock owns it.
public final class ProducerStates {

    private final Map<Long, ProducerEntry> producers = new HashMap<>();
    // First offset of each open transaction, to its producer.
    private final TreeMap<Long, Long> ongoing = new TreeMap<>();
    // Transactions whose marker is in the log but not yet below the high watermark, in order of their markers.
    private final ArrayDeque<CompletedTransaction> unreplicated = new ArrayDeque<>();
    private final Verifications verifications = new Verifications();

    /// [#check(RecordBatch, boolean, EndTransactionMarker, TransactionTerms)] without anything known of a transaction.
    public SequenceCheck check(RecordBatch batch, boolean fromClient, @Nullable EndTransactionMarker marker) {
        return check(batch, fromClient, marker, TransactionTerms.NONE);
    }

    /// Whether a batch with a producer id may follow what the log has.
    ///
    /// @param fromClient sequences of other writers than clients are not checked
    /// @param marker the content of a control batch, null for data
    public SequenceCheck check(
            RecordBatch batch, boolean fromClient, @Nullable EndTransactionMarker marker, TransactionTerms terms) {
        var entry = producers.get(batch.producerId());
        short epoch = batch.producerEpoch();
        if (marker != null) {
            return entry == null ? SequenceCheck.IN_ORDER : checkMarker(entry, batch, marker, terms.markerVersion());
        }
        if (entry != null && fromClient && entry.producerEpoch == epoch) {
            int seen = entry.find(batch.baseSequence(), batch.lastSequence());
            if (seen >= 0) {
                long last = entry.lastOffset(seen);
                return new SequenceCheck.Duplicate(last - entry.offsetDelta(seen), last, entry.timestamp(seen));
            }
        }
        if (entry != null && epoch < entry.producerEpoch) {
            return staleEpoch(entry, batch);
        }
        if (batch.isTransactional() && terms.check() != TransactionTerms.Check.NONE) {
            var refused = checkVerified(entry, batch, terms);
            if (refused != null) {
                return refused;
            }
        }
        if (fromClient) {
            var refused = checkSequence(entry, batch);
            if (refused != null) {
                return refused;
            }
        }
        if (entry != null && entry.currentTxnFirstOffset != ProducerEntry.NO_TRANSACTION && !batch.isTransactional()) {
            return new SequenceCheck.Refused(
                    Errors.INVALID_TXN_STATE,
                    "Producer " + batch.producerId() + " has an open transaction since offset "
                            + entry.currentTxnFirstOffset + " and sent a batch outside it");
        }
        return SequenceCheck.IN_ORDER;
    }

    private static SequenceCheck checkMarker(
            ProducerEntry entry, RecordBatch batch, EndTransactionMarker marker, int transactionVersion) {
        short epoch = batch.producerEpoch();
        if (epoch < entry.producerEpoch) {
            return staleEpoch(entry, batch);
        }
        if (transactionVersion >= TransactionTerms.EPOCH_BUMP_VERSION && epoch == entry.producerEpoch) {
            // Either a marker that is written once more, or one of an epoch behind which there is none. A late one
            // would end the producer's next transaction.
            boolean harmless = entry.currentTxnFirstOffset == ProducerEntry.NO_TRANSACTION || epoch == Short.MAX_VALUE;
            if (!harmless) {
                return staleEpoch(entry, batch);
            }
        }
        return marker.coordinatorEpoch() < entry.coordinatorEpoch
                ? new SequenceCheck.Refused(
                        Errors.TRANSACTION_COORDINATOR_FENCED,
                        "A marker for producer " + batch.producerId() + " comes from coordinator epoch "
                                + marker.coordinatorEpoch() + ", the log has one of epoch "
                                + entry.coordinatorEpoch)
                : SequenceCheck.IN_ORDER;
    }

    private static SequenceCheck.Refused staleEpoch(ProducerEntry entry, RecordBatch batch) {
        return new SequenceCheck.Refused(
                Errors.INVALID_PRODUCER_EPOCH,
                "Producer " + batch.producerId() + " sent epoch " + batch.producerEpoch()
                        + ", the log has seen its epoch " + entry.producerEpoch
                        + ": another instance of it has taken over");
    }

    /// Null if the transaction is open in this log, or the coordinator has just been asked.
    private @Nullable SequenceCheck checkVerified(
            @Nullable ProducerEntry entry, RecordBatch batch, TransactionTerms terms) {
        if (entry != null && entry.hasOpenTransaction(batch.producerEpoch())) {
            return null;
        }
        if (terms.guard() == null) {
            return SequenceCheck.UNVERIFIED;
        }
        var asked = verifications.of(batch.producerId());
        return asked != null && asked.guard == terms.guard()
                ? null
                : new SequenceCheck.Refused(
                        Errors.INVALID_TXN_STATE,
                        "Producer " + batch.producerId() + " sent a batch of a transaction that has ended meanwhile");
    }

    /// The transaction coordinator is going to be asked about the first batch of a transaction.
    ///
    /// @param sequence the batch's first, -1 if it has none
    public VerificationGuard beginVerification(
            long producerId, short epoch, int sequence, TransactionTerms terms, long nowMs) {
        return verifications.begin(producerId, epoch, sequence, terms.bumpsEpoch(), nowMs);
    }

    /// Whether a transaction of the producer in this epoch is open here.
    public boolean hasOpenTransaction(long producerId, short epoch) {
        var entry = producers.get(producerId);
        return entry != null && entry.hasOpenTransaction(epoch);
    }

    /// The producer's epoch, -1 if it is not known.
    public short epochOf(long producerId) {
        var entry = producers.get(producerId);
        return entry == null ? RecordBatch.NO_PRODUCER_EPOCH : entry.producerEpoch;
    }

    private SequenceCheck.@Nullable Refused checkSequence(@Nullable ProducerEntry entry, RecordBatch batch) {
        int first = batch.baseSequence();
        var asked = verifications.of(batch.producerId());
        if (asked != null) {
            if (asked.bumpsEpoch && first != 0 && (entry == null || entry.batchCount() == 0)) {
                return outOfOrder(batch, "each of its transactions begins with sequence 0, and the log has none of it");
            }
            if (first > asked.lowestSequence()) {
                return outOfOrder(batch, "sequence " + asked.lowestSequence() + " was sent before");
            }
        }
        if (entry == null) {
            return null;
        }
        if (batch.producerEpoch() != entry.producerEpoch) {
            // A producer starts each epoch at 0. Nothing is known of one whose only trace is a marker.
            return first == 0 || entry.producerEpoch == RecordBatch.NO_PRODUCER_EPOCH
                    ? null
                    : outOfOrder(batch, "a new epoch begins with sequence 0");
        }
        int last = entry.lastSequence();
        boolean inOrder = first == last + 1L || (first == 0 && last == Integer.MAX_VALUE);
        return inOrder ? null : outOfOrder(batch, "the last sequence in the log is " + last);
    }

    private static SequenceCheck.Refused outOfOrder(RecordBatch batch, String reason) {
        return new SequenceCheck.Refused(
                Errors.OUT_OF_ORDER_SEQUENCE_NUMBER,
                "Producer " + batch.producerId() + " in epoch " + batch.producerEpoch() + " sent sequences "
                        + batch.baseSequence() + " to " + batch.lastSequence() + ", but " + reason);
    }

    /// Takes note of a batch that is now in the log, its offsets final.
    ///
    /// @param marker the content of a control batch, null for data
    /// @return the transaction this batch ended, if any
    public @Nullable CompletedTransaction append(RecordBatch batch, @Nullable EndTransactionMarker marker) {
        var entry = producers.computeIfAbsent(batch.producerId(), ProducerEntry::new);
        entry.enterEpoch(batch.producerEpoch());
        if (batch.isTransactional()) {
            endVerification(batch);
        }
        long timestamp = batch.maxTimestamp();
        if (marker == null) {
            long lastOffset = batch.lastOffset();
            entry.addBatch(batch.lastSequence(), lastOffset, batch.lastOffsetDelta(), timestamp);
            entry.lastTimestamp = timestamp;
            if (batch.isTransactional() && entry.currentTxnFirstOffset == ProducerEntry.NO_TRANSACTION) {
                entry.currentTxnFirstOffset = batch.baseOffset();
                ongoing.put(batch.baseOffset(), batch.producerId());
            }
            return null;
        }
        long firstOffset = entry.currentTxnFirstOffset;
        entry.currentTxnFirstOffset = ProducerEntry.NO_TRANSACTION;
        entry.coordinatorEpoch = marker.coordinatorEpoch();
        entry.lastTimestamp = timestamp;
        if (firstOffset == ProducerEntry.NO_TRANSACTION) {
            return null;
        }
        ongoing.remove(firstOffset);
        var completed = new CompletedTransaction(batch.producerId(), firstOffset, batch.lastOffset(), !marker.commit());
        unreplicated.addLast(completed);
        return completed;
    }

    /// What was asked under before is worth nothing from here on. A marker in the epoch of the question is the end of
    /// the transaction before.
    private void endVerification(RecordBatch batch) {
        var asked = verifications.of(batch.producerId());
        if (asked != null && !(asked.bumpsEpoch && batch.isControl() && batch.producerEpoch() == asked.epoch())) {
            verifications.end(batch.producerId());
        }
    }

    /// The last stable offset as far as this log alone decides it, once `completed` counts as ended: what the
    /// transaction index records beside an aborted transaction.
    public long lastStableOffsetAfter(CompletedTransaction completed) {
        return ongoing.isEmpty() ? completed.lastOffset() + 1 : ongoing.firstKey();
    }

    /// The first offset of the earliest transaction that is open or ended behind the high watermark;
    /// [Long#MAX_VALUE] if there is none.
    public long firstUnstableOffset() {
        long open = ongoing.isEmpty() ? Long.MAX_VALUE : ongoing.firstKey();
        long ended = Long.MAX_VALUE;
        for (var transaction : unreplicated) {
            ended = Math.min(ended, transaction.firstOffset());
        }
        return Math.min(open, ended);
    }

    /// Whether a rise of the high watermark may raise the first unstable offset.
    public boolean awaitsHighWatermark() {
        return !unreplicated.isEmpty();
    }

    public void onHighWatermark(long highWatermark) {
        while (!unreplicated.isEmpty() && unreplicated.peekFirst().lastOffset() < highWatermark) {
            unreplicated.removeFirst();
        }
    }

    /// Forgets producers that have been silent for long and have no open transaction.
    public void removeExpired(long nowMs, long expirationMs) {
        verifications.removeExpired(nowMs, expirationMs);
        producers.values().removeIf(entry -> expired(entry, nowMs, expirationMs));
    }

    static boolean expired(ProducerEntry entry, long nowMs, long expirationMs) {
        return entry.currentTxnFirstOffset == ProducerEntry.NO_TRANSACTION
                && nowMs - entry.lastTimestamp >= expirationMs;
    }

    public boolean isEmpty() {
        return producers.isEmpty();
    }

    /// How many transactions are open.
    public int openTransactions() {
        return ongoing.size();
    }

    public int size() {
        return producers.size();
    }

    public List<ActiveProducer> activeProducers() {
        return producers.values().stream().map(ProducerEntry::describe).toList();
    }

    /// What each producer wrote last, by its id.
    public Map<Long, LastBatch> lastBatches() {
        var last = new HashMap<Long, LastBatch>();
        producers.forEach((id, entry) -> {
            int count = entry.batchCount();
            last.put(id, new LastBatch(count == 0 ? -1 : entry.lastOffset(count - 1), entry.producerEpoch));
        });
        return last;
    }

    Collection<ProducerEntry> entries() {
        return producers.values();
    }

    /// Adds a producer as a snapshot remembered it.
    void restore(ProducerEntry entry) {
        producers.put(entry.producerId, entry);
        if (entry.currentTxnFirstOffset != ProducerEntry.NO_TRANSACTION) {
            ongoing.put(entry.currentTxnFirstOffset, entry.producerId);
        }
    }
}
