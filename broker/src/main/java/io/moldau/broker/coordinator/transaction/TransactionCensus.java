package io.moldau.broker.coordinator.transaction;

/// How many transactional ids there are, in a shard or on a node.
///
/// @param ids all that are remembered
/// @param open those with a transaction that is open
/// @param ending those with one whose end is decided and not yet known to all its partitions
public record TransactionCensus(int ids, int open, int ending) {

    TransactionCensus plus(TransactionCensus other) {
        return new TransactionCensus(ids + other.ids, open + other.open, ending + other.ending);
    }
}
