package io.moldau.log.producer;

import org.jspecify.annotations.Nullable;

/// What is known of the transaction that batches belong to.
///
/// @param check what the first batch of a transaction in this log needs
/// @param guard what the transaction coordinator's word was asked under, null if it was not asked
/// @param markerVersion of the transaction a marker ends: from 2 on its epoch is one above that of the data (KIP-890)
public record TransactionTerms(Check check, @Nullable VerificationGuard guard, int markerVersion) {

    /// How sure the log must be that the transaction coordinator knows of the partition.
    public enum Check {
        /// Nothing is asked.
        NONE,
        /// It must have said that the partition is in the transaction.
        VERIFIED,
        /// It must have put the partition into the transaction: clients of transactions version 2 leave that to the
        /// leader.
        ADDED
    }

    public static final int EPOCH_BUMP_VERSION = 2;

    public static final TransactionTerms NONE = new TransactionTerms(Check.NONE, null, 0);

    public static final TransactionTerms VERIFIED = new TransactionTerms(Check.VERIFIED, null, 0);

    public static final TransactionTerms ADDED = new TransactionTerms(Check.ADDED, null, 0);

    /// A marker's.
    public static TransactionTerms ofMarker(int transactionVersion) {
        return transactionVersion == 0 ? NONE : new TransactionTerms(Check.NONE, null, transactionVersion);
    }

    /// The same, after the coordinator was asked.
    public TransactionTerms with(VerificationGuard newGuard) {
        return new TransactionTerms(check, newGuard, markerVersion);
    }

    boolean bumpsEpoch() {
        return check == Check.ADDED;
    }
}
