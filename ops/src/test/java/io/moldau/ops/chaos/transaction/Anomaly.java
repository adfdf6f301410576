package io.moldau.ops.chaos.transaction;

/// What must not happen to transactions. The names in brackets are Adya's.
public enum Anomaly {
    /// Committed, and not there.
    LOST,
    /// There more than once.
    DUPLICATED,
    /// Part of a transaction is there and the rest is not.
    TORN,
    /// A read_committed consumer was given a record of an aborted transaction (G1a).
    ABORTED_READ,
    /// A record that nobody wrote, or not into this partition.
    PHANTOM,
    /// Behind a later record of the same producer and partition.
    REORDERED,
    /// A consumer passed by a committed record.
    SKIPPED,
    /// A consumer was given a record that is not there afterwards.
    VANISHED,
    /// A record lies before one of a transaction that had ended before its own began (G0). Records of transactions that
    /// overlap in time may lie in any order: Kafka does not isolate writes from each other.
    WRITE_CYCLE,
    /// Transactions that each came after the next one, by what they read and by when they ran (G1c).
    CYCLE
}
