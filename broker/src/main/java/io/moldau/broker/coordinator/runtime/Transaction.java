package io.moldau.broker.coordinator.runtime;

import io.moldau.log.producer.TransactionTerms;

/// The transaction that an operation's records belong to.
///
/// @param terms under which they may be appended
public record Transaction(long producerId, short producerEpoch, TransactionTerms terms) {}
