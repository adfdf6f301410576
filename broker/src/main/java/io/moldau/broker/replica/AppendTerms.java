package io.moldau.broker.replica;

import io.moldau.log.append.AppendOrigin;
import io.moldau.log.producer.TransactionTerms;

/// Under which conditions batches may be appended.
///
/// @param expectedLeaderEpoch the append is refused in another leader epoch; [#ANY_EPOCH] does not care
/// @param allInSync refuse if fewer than `min.insync.replicas` are in sync (acks=all)
/// @param transaction what is known of the transaction the batches belong to
public record AppendTerms(
        AppendOrigin origin, int expectedLeaderEpoch, boolean allInSync, TransactionTerms transaction) {

    public static final int ANY_EPOCH = -1;

    /// A client's batch with acks=0 or acks=1.
    public static final AppendTerms CLIENT_LEADER = new AppendTerms(AppendOrigin.CLIENT, ANY_EPOCH, false);

    /// A client's batch with acks=all.
    public static final AppendTerms CLIENT_ALL = new AppendTerms(AppendOrigin.CLIENT, ANY_EPOCH, true);

    public AppendTerms(AppendOrigin origin, int expectedLeaderEpoch, boolean allInSync) {
        this(origin, expectedLeaderEpoch, allInSync, TransactionTerms.NONE);
    }

    public AppendTerms with(TransactionTerms newTransaction) {
        return new AppendTerms(origin, expectedLeaderEpoch, allInSync, newTransaction);
    }
}
