package io.moldau.broker.replica;

import io.moldau.log.LogConfig;

/// The settings of a topic that its partitions need.
///
/// @param minInsyncReplicas `min.insync.replicas`
/// @param durability `moldau.durability`
/// @param throttledLeaders `leader.replication.throttled.replicas`
/// @param throttledFollowers `follower.replication.throttled.replicas`
public record TopicSettings(
        LogConfig log,
        int minInsyncReplicas,
        Durability durability,
        ThrottledReplicas throttledLeaders,
        ThrottledReplicas throttledFollowers) {

    /// Nothing is throttled.
    public TopicSettings(LogConfig log, int minInsyncReplicas, Durability durability) {
        this(log, minInsyncReplicas, durability, ThrottledReplicas.NONE, ThrottledReplicas.NONE);
    }

    /// Nothing is throttled, and records count once they are replicated.
    public TopicSettings(LogConfig log, int minInsyncReplicas) {
        this(log, minInsyncReplicas, Durability.REPLICATED);
    }
}
