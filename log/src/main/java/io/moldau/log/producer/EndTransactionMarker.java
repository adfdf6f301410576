package io.moldau.log.producer;

/// The content of a control record that ends a transaction.
public record EndTransactionMarker(boolean commit, int coordinatorEpoch) {}
