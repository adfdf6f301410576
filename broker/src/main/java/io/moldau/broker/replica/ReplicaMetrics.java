package io.moldau.broker.replica;

/// Whoever counts what happens to a node's replicas.
@FunctionalInterface
public interface ReplicaMetrics {

    /// Counts nothing.
    ReplicaMetrics NONE = topic -> TopicTraffic.NONE;

    /// The counters of one topic; asked for once for each replica, the same ones each time.
    TopicTraffic topic(String name);
}
