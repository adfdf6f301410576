package io.moldau.broker.transaction;

/// The end of a transaction as its coordinator decided it.
///
/// @param producerEpoch of the marker
/// @param transactionVersion see [io.moldau.log.producer.TransactionTerms#markerVersion]
public record TransactionEnd(
        long producerId, short producerEpoch, int coordinatorEpoch, boolean committed, int transactionVersion) {}
