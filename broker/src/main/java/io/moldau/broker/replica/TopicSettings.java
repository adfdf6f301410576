package io.moldau.broker.replica;

import io.moldau.log.LogConfig;

/// The settings of a topic that its partitions need.
///
/// @param minInsyncReplicas `min.insync.replicas`
/// @param throttledLeaders `leader.replication.throttled.replicas`
/// @param throttledFollowers `follower.replication.throttled.replicas`
public record TopicSettings(
        LogConfig log,
        int minInsyncReplicas,
        ThrottledReplicas throttledLeaders,
        ThrottledReplicas throttledFollowers) {

    /// Nothing is throttled.
    public TopicSettings(LogConfig log, int minInsyncReplicas) {
        this(log, minInsyncReplicas, ThrottledReplicas.NONE, ThrottledReplicas.NONE);
    }
}
