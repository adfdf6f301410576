package io.moldau.broker.replica;

/// What a node has of a partition.
public sealed interface HostedPartition {

    /// A replica in working order.
    record Online(Partition partition) implements HostedPartition {}

    /// A replica whose log directory failed.
    record Offline() implements HostedPartition {}

    /// No replica.
    record None() implements HostedPartition {}

    Offline OFFLINE = new Offline();
    None NONE = new None();
}
