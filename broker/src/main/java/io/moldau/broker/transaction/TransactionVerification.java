package io.moldau.broker.transaction;

import io.moldau.broker.replica.AppendCallback;
import io.moldau.broker.replica.AppendTerms;
import io.moldau.broker.replica.Partition;
import io.moldau.broker.replica.PartitionRegistry;
import io.moldau.common.ApiException;
import io.moldau.common.Errors;
import io.moldau.common.TopicPartition;
import io.moldau.log.AppendOutcome;
import io.moldau.log.producer.TransactionTerms;
import io.moldau.log.producer.VerificationGuard;
import io.moldau.wire.protocol.BufferRecords;
import io.moldau.wire.record.RecordBatch;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// Holds the first batch of a transaction in a partition until the transaction coordinator has said
/// that it knows of the partition, so that no batch opens a transaction that nobody ends (KIP-890).
///
/// A producer does not wait for one batch before it sends the next: what comes behind a batch that
/// waits here waits with it, and both are appended in their order. Thread-safe.
public final class TransactionVerification {

    /// Told what the coordinator says of a group's offsets.
    public interface OffsetsAnswer {

        /// The records may be appended under these terms, unless the transaction ends before.
        void verified(TransactionTerms terms);

        void refused(Errors error);
    }

    /// The version of Produce from which on clients leave it to leaders to add partitions, and the one that knows
    /// `TRANSACTION_ABORTABLE`.
    private static final short PRODUCE_ADDS_VERSION = 12;

    private static final short PRODUCE_ABORTABLE_VERSION = 11;
    private static final short COMMIT_ADDS_VERSION = 5;
    private static final short COMMIT_ABORTABLE_VERSION = 4;

    private record Key(TopicPartition partition, long producerId, short producerEpoch) {}

    /// A batch that waits. Its records are retained.
    private record Waiting(
            Partition partition,
            BufferRecords records,
            AppendTerms terms,
            boolean knowsAbortable,
            AppendCallback callback) {}

    private final CoordinatorQuestions questions;
    private final PartitionRegistry partitions;
    private final BooleanSupplier enabled;

    /// Guarded by its own monitor. A queue is there until all of it has been appended or refused.
    private final Map<Key, Queue<Waiting>> queues = new HashMap<>();

    /// @param enabled `transaction.partition.verification.enable`
    public TransactionVerification(
            CoordinatorQuestions questions, PartitionRegistry partitions, BooleanSupplier enabled) {
        this.questions = questions;
        this.partitions = partitions;
        this.enabled = enabled;
    }

    /// What a transactional batch in a produce request of this version needs.
    public TransactionTerms produceTerms(short apiVersion) {
        return terms(apiVersion >= PRODUCE_ADDS_VERSION);
    }

    private TransactionTerms terms(boolean adds) {
        if (adds) {
            return TransactionTerms.ADDED;
        }
        return enabled.getAsBoolean() ? TransactionTerms.VERIFIED : TransactionTerms.NONE;
    }

    /// How many batches wait for a coordinator.
    public int waiting() {
        synchronized (queues) {
            return queues.values().stream().mapToInt(Queue::size).sum();
        }
    }

    // ---- batches of producers ----

    /// Appends records that were [AppendOutcome.Unverified] before, when their turn has come.
    ///
    /// @param records lent; retained here for as long as they wait
    /// @param callback as for [Partition#appendAsLeader]; an error is one for the client
    public void append(
            Partition partition,
            String transactionalId,
            short apiVersion,
            BufferRecords records,
            AppendTerms terms,
            AppendCallback callback) {
        var batch = RecordBatch.at(records.buffer());
        long producerId = batch.producerId();
        short epoch = batch.producerEpoch();
        int sequence = batch.baseSequence();
        var key = new Key(partition.topicPartition(), producerId, epoch);
        records.retain();
        var waiting = new Waiting(partition, records, terms, apiVersion >= PRODUCE_ABORTABLE_VERSION, callback);
        synchronized (queues) {
            var before = queues.get(key);
            if (before != null) {
                before.add(waiting);
                return;
            }
            queues.put(key, new ArrayDeque<>(List.of(waiting)));
        }
        VerificationGuard guard;
        try {
            // Once more, now that later batches queue up behind this one: the one before it may have been appended.
            guard = partition.beginVerification(producerId, epoch, sequence, terms.transaction());
        } catch (ApiException refused) {
            refuse(key, refused.error());
            return;
        }
        if (guard == null) {
            appendAll(key, partition, null);
            return;
        }
        var question = new CoordinatorQuestions.Question(
                transactionalId,
                producerId,
                epoch,
                partition.topicPartition(),
                terms.transaction().check() == TransactionTerms.Check.ADDED);
        questions.ask(question, error -> {
            if (error == Errors.NONE) {
                appendAll(key, partition, guard);
            } else {
                refuse(key, error);
            }
        });
    }

    private void appendAll(Key key, Partition partition, @Nullable VerificationGuard guard) {
        partition.appendQueued(() -> {
            var next = next(key);
            if (next == null) {
                return null;
            }
            var transaction = next.terms().transaction();
            var terms = guard == null ? next.terms() : next.terms().with(transaction.with(guard));
            return new Partition.QueuedAppend(next.records(), terms, outcome -> {
                next.records().release();
                next.callback()
                        .appended(
                                outcome instanceof AppendOutcome.Unverified
                                        ? rejected(Errors.INVALID_TXN_STATE)
                                        : outcome);
            });
        });
    }

    private @Nullable Waiting next(Key key) {
        synchronized (queues) {
            var queue = queues.get(key);
            var next = queue == null ? null : queue.poll();
            if (next == null) {
                queues.remove(key);
            }
            return next;
        }
    }

    private void refuse(Key key, Errors error) {
        for (var next = next(key); next != null; next = next(key)) {
            boolean adds = next.terms().transaction().check() == TransactionTerms.Check.ADDED;
            var told = forProducer(error, adds, next.knowsAbortable());
            if (told == Errors.NOT_ENOUGH_REPLICAS || told == Errors.CONCURRENT_TRANSACTIONS) {
                next.partition().producerRefused(key.producerId(), told);
            }
            next.records().release();
            next.callback().appended(rejected(told));
        }
    }

    /// Older producers give up at errors that they do not expect of a partition's leader, and send again at
    /// NOT_ENOUGH_REPLICAS, without asking for metadata.
    private static Errors forProducer(Errors error, boolean adds, boolean knowsAbortable) {
        return switch (error) {
            case NETWORK_EXCEPTION, COORDINATOR_LOAD_IN_PROGRESS, COORDINATOR_NOT_AVAILABLE, NOT_COORDINATOR ->
                Errors.NOT_ENOUGH_REPLICAS;
            case CONCURRENT_TRANSACTIONS -> adds ? error : Errors.NOT_ENOUGH_REPLICAS;
            case TRANSACTION_ABORTABLE -> knowsAbortable ? error : Errors.INVALID_TXN_STATE;
            default -> error;
        };
    }

    private static AppendOutcome rejected(Errors error) {
        var message = switch (error) {
            case NOT_ENOUGH_REPLICAS ->
                "the transaction coordinator cannot be asked at the moment whether the partition is in the "
                        + "transaction";
            case INVALID_TXN_STATE, TRANSACTION_ABORTABLE -> "the partition is not in the transaction";
            default -> "the transaction coordinator says " + error;
        };
        return new AppendOutcome.Rejected(error, message, List.of());
    }

    // ---- offsets of groups ----

    /// Asks about a partition of committed offsets.
    ///
    /// @param apiVersion of TxnOffsetCommit
    /// @param answer called once, on any thread
    public void verifyOffsets(
            TopicPartition id,
            String transactionalId,
            long producerId,
            short producerEpoch,
            short apiVersion,
            OffsetsAnswer answer) {
        var terms = terms(apiVersion >= COMMIT_ADDS_VERSION);
        if (terms.check() == TransactionTerms.Check.NONE) {
            answer.verified(terms);
            return;
        }
        VerificationGuard guard;
        try {
            guard = partitions.online(id).beginVerification(producerId, producerEpoch, RecordBatch.NO_SEQUENCE, terms);
        } catch (ApiException refused) {
            answer.refused(refused.error());
            return;
        }
        if (guard == null) {
            answer.verified(terms);
            return;
        }
        var question = new CoordinatorQuestions.Question(
                transactionalId, producerId, producerEpoch, id, terms.check() == TransactionTerms.Check.ADDED);
        Consumer<Errors> told = error -> {
            switch (error) {
                case NONE -> answer.verified(terms.with(guard));
                case TRANSACTION_ABORTABLE ->
                    answer.refused(apiVersion >= COMMIT_ABORTABLE_VERSION ? error : Errors.INVALID_TXN_STATE);
                default -> answer.refused(error);
            }
        };
        questions.ask(question, told);
    }
}
