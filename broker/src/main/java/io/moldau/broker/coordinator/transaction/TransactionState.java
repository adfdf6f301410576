package io.moldau.broker.coordinator.transaction;

import io.moldau.common.Invariant;
import io.moldau.common.TopicPartition;
import java.util.Collections;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.Set;

/// What is known of one transactional id: the producer that may write under it and its latest transaction. Immutable;
/// each transition makes the next state.
///
/// An epoch is used up before the last one there is, so that a producer can still be fenced: 32766 is the last that
/// a client is given, and 32767 only ends what was open (KIP-360, KIP-890).
///
/// @param previousProducerId the one before the latest transition, by which a retry is known after the producer id has
///     changed; -1 if there was none
/// @param nextProducerId takes over when the transaction that ends now has ended; -1 if the producer id stays
/// @param producerEpoch the only one that may write; in a prepared state of a transaction of version 2 that of the
///     markers, which is one above the transaction's
/// @param startMs when the transaction began, -1 before the first
/// @param clientVersion the version of transactions (KIP-890) of the latest one: 0 or 2
record TransactionState(
        long producerId,
        long previousProducerId,
        long nextProducerId,
        short producerEpoch,
        int timeoutMs,
        TransactionStatus status,
        Set<TopicPartition> partitions,
        long startMs,
        long updateMs,
        short clientVersion) {

    static final long NO_PRODUCER_ID = -1L;
    static final short NO_EPOCH = -1;
    static final short EPOCH_BUMP_VERSION = 2;

    private static final short LAST_CLIENT_EPOCH = Short.MAX_VALUE - 1;

    TransactionState {
        // Not Set.copyOf, whose order differs from run to run: markers go out in it.
        partitions = Collections.unmodifiableSet(new LinkedHashSet<>(partitions));
    }

    static boolean isExhausted(short epoch) {
        return epoch >= LAST_CLIENT_EPOCH;
    }

    boolean isExhausted() {
        return isExhausted(producerEpoch);
    }

    /// Whether this is the same step in the life of the id: records of old versions do not hold all of a state.
    boolean isStep(TransactionState other) {
        return status == other.status
                && producerId == other.producerId
                && producerEpoch == other.producerEpoch
                && startMs == other.startMs
                && updateMs == other.updateMs;
    }

    /// Whether epochs are counted up by each transaction.
    boolean bumpsEpochs() {
        return clientVersion >= EPOCH_BUMP_VERSION;
    }

    // ---- producers ----

    /// A transactional id's first producer.
    static TransactionState first(long producerId, int timeoutMs, long nowMs) {
        return new TransactionState(
                producerId,
                producerId,
                NO_PRODUCER_ID,
                (short) 0,
                timeoutMs,
                TransactionStatus.EMPTY,
                Set.of(),
                -1L,
                nowMs,
                (short) 0);
    }

    /// A producer takes over, or goes on, in this epoch of the same producer id.
    TransactionState initialized(short epoch, int newTimeoutMs, long nowMs) {
        return emptied(producerId, epoch, newTimeoutMs, nowMs);
    }

    /// As [#initialized] when the epochs are used up.
    TransactionState rotated(long newProducerId, int newTimeoutMs, long nowMs) {
        return emptied(newProducerId, (short) 0, newTimeoutMs, nowMs);
    }

    private TransactionState emptied(long newProducerId, short epoch, int newTimeoutMs, long nowMs) {
        Invariant.check(status.isIdle(), "a producer is initialized while its transaction is open");
        return new TransactionState(
                newProducerId,
                producerId,
                nextProducerId,
                epoch,
                newTimeoutMs,
                TransactionStatus.EMPTY,
                Set.of(),
                -1L,
                nowMs,
                clientVersion);
    }

    // ---- transactions ----

    /// The transaction begins, or grows.
    TransactionState with(Set<TopicPartition> added, short version, long nowMs) {
        Invariant.check(
                status.isIdle() || status == TransactionStatus.ONGOING, "a transaction grows while it is ended");
        var all = new HashSet<>(partitions);
        all.addAll(added);
        return new TransactionState(
                producerId,
                producerId,
                nextProducerId,
                producerEpoch,
                timeoutMs,
                TransactionStatus.ONGOING,
                all,
                status == TransactionStatus.ONGOING ? startMs : nowMs,
                nowMs,
                version);
    }

    /// It is decided how the transaction ends.
    ///
    /// @param version of the client that ends it: from 2 on its epoch is used up by that
    /// @param newProducerId for after it, where the epochs are used up; -1 else
    TransactionState prepared(boolean commit, short version, long newProducerId, long nowMs) {
        // An abort may be asked for before the broker has heard of any write (KIP-890).
        boolean nothingOpen = status.isIdle();
        Invariant.check(
                status == TransactionStatus.ONGOING || nothingOpen && !commit && version >= EPOCH_BUMP_VERSION,
                "a transaction ends that is not open");
        return new TransactionState(
                producerId,
                producerId,
                newProducerId,
                version >= EPOCH_BUMP_VERSION ? nextEpoch() : producerEpoch,
                timeoutMs,
                commit ? TransactionStatus.PREPARE_COMMIT : TransactionStatus.PREPARE_ABORT,
                partitions,
                nothingOpen ? nowMs : startMs,
                nowMs,
                version);
    }

    /// The open transaction is aborted so that its producer can write no more.
    ///
    /// @param version of transactions in this cluster
    TransactionState fenced(short version, long newProducerId, long nowMs) {
        Invariant.check(status == TransactionStatus.ONGOING, "nothing is open that could be fenced");
        var aborted = version >= EPOCH_BUMP_VERSION
                ? prepared(false, version, newProducerId, nowMs)
                : prepared(false, (short) 0, NO_PRODUCER_ID, nowMs);
        return aborted.inEpoch(nextEpoch());
    }

    private TransactionState inEpoch(short epoch) {
        return new TransactionState(
                producerId,
                previousProducerId,
                nextProducerId,
                epoch,
                timeoutMs,
                status,
                partitions,
                startMs,
                updateMs,
                clientVersion);
    }

    private short nextEpoch() {
        return producerEpoch == Short.MAX_VALUE ? producerEpoch : (short) (producerEpoch + 1);
    }

    /// Every partition knows how the transaction has ended.
    TransactionState completed(long nowMs) {
        Invariant.check(status.isPrepared(), "a transaction is complete that nobody has ended");
        boolean rotates = bumpsEpochs() && nextProducerId != NO_PRODUCER_ID;
        return new TransactionState(
                rotates ? nextProducerId : producerId,
                producerId,
                NO_PRODUCER_ID,
                rotates ? 0 : producerEpoch,
                timeoutMs,
                status == TransactionStatus.PREPARE_COMMIT
                        ? TransactionStatus.COMPLETE_COMMIT
                        : TransactionStatus.COMPLETE_ABORT,
                Set.of(),
                startMs,
                nowMs,
                clientVersion);
    }
}
