package io.moldau.log.clean;

import io.moldau.log.producer.EndTransactionMarker;
import io.moldau.log.segment.TransactionIndex;
import io.moldau.wire.record.RecordBatch;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// Follows the transactions of a log while its batches are walked through in order: which were aborted, and which have
/// no records any more, so that their markers may go too. Pure; for one walk.
final class CleanedTransactions {

    private static final class Aborted {
        final TransactionIndex.Entry entry;
        boolean hasRecords;

        Aborted(TransactionIndex.Entry entry) {
            this.entry = entry;
        }
    }

    private final PriorityQueue<TransactionIndex.Entry> ahead =
            new PriorityQueue<>(Comparator.comparingLong(TransactionIndex.Entry::firstOffset));
    private final Map<Long, Aborted> aborted = new HashMap<>();
    private final Set<Long> committed = new HashSet<>();
    private final List<TransactionIndex.Entry> kept = new ArrayList<>();

    /// @param abortedTransactions of the whole log
    CleanedTransactions(List<TransactionIndex.Entry> abortedTransactions) {
        ahead.addAll(abortedTransactions);
    }

    /// Takes note of a batch of records.
    ///
    /// @return whether it belongs to an aborted transaction
    boolean isAborted(RecordBatch batch) {
        reach(batch.lastOffset());
        if (!batch.isTransactional()) {
            return false;
        }
        var open = openAt(batch);
        if (open == null) {
            committed.add(batch.producerId());
            return false;
        }
        open.hasRecords = true;
        return true;
    }

    /// Takes note of a control batch.
    ///
    /// @param marker what it says, null if it says nothing or something else
    /// @return whether it ends a transaction that the walk has seen no batch of
    boolean endsEmptyTransaction(RecordBatch batch, @Nullable EndTransactionMarker marker) {
        reach(batch.lastOffset());
        if (marker == null) {
            // An empty control batch was a marker once; one of another kind is not for this code to judge.
            return batch.recordCount() == 0;
        }
        if (marker.commit()) {
            return !committed.remove(batch.producerId());
        }
        var ended = openAt(batch);
        aborted.remove(batch.producerId());
        if (ended != null && ended.hasRecords) {
            kept.add(ended.entry);
            return false;
        }
        return true;
    }

    /// The aborted transaction the batch is within; one whose marker stood before it has ended, marker or not.
    private @Nullable Aborted openAt(RecordBatch batch) {
        var open = aborted.get(batch.producerId());
        return open == null || open.entry.lastOffset() < batch.baseOffset() ? null : open;
    }

    private void reach(long offset) {
        for (var next = ahead.peek(); next != null && next.firstOffset() <= offset; next = ahead.peek()) {
            aborted.put(next.producerId(), new Aborted(next));
            ahead.remove();
        }
    }

    /// The aborted transactions whose markers were passed since the last call and which had records until now: a
    /// reader may still have those before it.
    List<TransactionIndex.Entry> takeKept() {
        var taken = List.copyOf(kept);
        kept.clear();
        return taken;
    }
}
