package io.moldau.broker.replica;

/// What goes in and out of one topic's replicas on this node, for whoever counts it. Called on the data path, on any
/// thread: implementations must be quick, thread-safe and allocate nothing.
public interface TopicTraffic {

    /// Counts nothing.
    TopicTraffic NONE = new TopicTraffic() {};

    /// Batches of a producer, or of a coordinator of this node, are in the log.
    default void produced(int bytes, long records) {}

    /// Batches were refused.
    default void produceFailed() {}

    /// Records go out to a consumer.
    default void fetched(int bytes) {}

    /// A consumer's fetch was answered with an error.
    default void fetchFailed() {}

    /// Records go out to a follower.
    default void replicatedOut(int bytes) {}

    /// Records of the leader are in this replica's log.
    default void replicatedIn(int bytes) {}
}
