package io.moldau.broker.replica;

import io.moldau.log.LogConfig;

/// The settings of a topic that its partitions need.
///
/// @param minInsyncReplicas `min.insync.replicas`
public record TopicSettings(LogConfig log, int minInsyncReplicas) {}
