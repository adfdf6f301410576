package io.moldau.metadata.controller;

import java.util.Map;

/// What the controller goes by, with Kafka's names and defaults in [#DEFAULTS].
///
/// @param defaultPartitions `num.partitions`
/// @param defaultReplicationFactor `default.replication.factor`
/// @param deleteTopicEnable `delete.topic.enable`
/// @param uncleanLeaderElection `unclean.leader.election.enable`, where neither topic nor cluster override it
/// @param brokerSessionTimeoutMs `broker.session.timeout.ms`
/// @param maxIdleIntervalMs `metadata.max.idle.interval.ms`: a no-op record is written when nothing else was for so
///     long, 0 for never
/// @param features the levels that a new cluster finalizes
public record ControllerSettings(
        int defaultPartitions,
        int defaultReplicationFactor,
        boolean deleteTopicEnable,
        boolean uncleanLeaderElection,
        long brokerSessionTimeoutMs,
        long maxIdleIntervalMs,
        Map<String, Short> features) {

    public static final ControllerSettings DEFAULTS =
            new ControllerSettings(1, 1, true, false, 9000, 500, Map.of("metadata.version", (short) 33));

    public ControllerSettings {
        features = Map.copyOf(features);
    }

    public ControllerSettings withDefaultReplicationFactor(int factor) {
        return new ControllerSettings(
                defaultPartitions,
                factor,
                deleteTopicEnable,
                uncleanLeaderElection,
                brokerSessionTimeoutMs,
                maxIdleIntervalMs,
                features);
    }
}
