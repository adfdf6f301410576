package io.moldau.broker.coordinator.transaction;

/// Events of the transaction coordinator, for whoever counts them. Called inside shards: implementations must be quick
/// and thread-safe.
public interface TransactionMetrics {

    /// Counts nothing.
    TransactionMetrics NONE = new TransactionMetrics() {};

    /// A producer was given its id and epoch.
    default void producerInitialized() {}

    /// The end of a transaction is decided, and that is committed.
    default void ended(boolean committed) {}

    /// A transaction is aborted because it was open too long.
    default void timedOut() {}

    /// A producer's open transaction is aborted because another one has taken over its transactional id.
    default void takenOver() {}

    /// Every partition has its marker.
    ///
    /// @param nanos since the end was committed
    default void completed(long nanos) {}

    /// A transactional id is forgotten.
    default void expired() {}

    /// A marker could not be written and is sent again.
    default void markersRetried(int partitions) {}
}
