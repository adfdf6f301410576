package io.moldau.metadata.controller;

import io.moldau.metadata.image.FeaturesImage;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// What the controller goes by, with Kafka's names and defaults in [#DEFAULTS].
///
/// @param defaultPartitions `num.partitions`
/// @param defaultReplicationFactor `default.replication.factor`
/// @param deleteTopicEnable `delete.topic.enable`
/// @param uncleanLeaderElection `unclean.leader.election.enable`, where neither topic nor cluster override it
/// @param minInsyncReplicas `min.insync.replicas`, where neither topic nor cluster override it
/// @param flushedDurability whether `moldau.durability` is `flushed`, where neither topic nor cluster override it
/// @param brokerSessionTimeoutMs `broker.session.timeout.ms`
/// @param maxIdleIntervalMs `metadata.max.idle.interval.ms`: a no-op record is written when nothing else was for so
///     long, 0 for never
/// @param balance when leaderships go back to preferred replicas
/// @param interBrokerListener the listener at which a broker's life is probed; its first one if it has none of that
///     name, or if this is null
/// @param features the levels that a new cluster finalizes
public record ControllerSettings(
        int defaultPartitions,
        int defaultReplicationFactor,
        boolean deleteTopicEnable,
        boolean uncleanLeaderElection,
        int minInsyncReplicas,
        boolean flushedDurability,
        long brokerSessionTimeoutMs,
        long maxIdleIntervalMs,
        LeaderBalance balance,
        @Nullable String interBrokerListener,
        Map<String, Short> features) {

    /// The timed return of leaderships to preferred replicas.
    ///
    /// @param enabled `auto.leader.rebalance.enable`
    /// @param checkIntervalMs `leader.imbalance.check.interval.seconds`, in milliseconds
    public record LeaderBalance(boolean enabled, long checkIntervalMs) {}

    public static final ControllerSettings DEFAULTS = new ControllerSettings(
            1,
            1,
            true,
            false,
            1,
            false,
            9000,
            500,
            new LeaderBalance(true, 300_000),
            null,
            Map.of(FeaturesImage.METADATA_VERSION, (short) 33));

    public ControllerSettings {
        features = Map.copyOf(features);
    }

    public ControllerSettings withDefaultReplicationFactor(int factor) {
        return with(defaultPartitions, factor, deleteTopicEnable, uncleanLeaderElection, minInsyncReplicas, balance);
    }

    public ControllerSettings withDefaultPartitions(int partitions) {
        return with(
                partitions,
                defaultReplicationFactor,
                deleteTopicEnable,
                uncleanLeaderElection,
                minInsyncReplicas,
                balance);
    }

    public ControllerSettings withDeleteTopicEnable(boolean enable) {
        return with(
                defaultPartitions, defaultReplicationFactor, enable, uncleanLeaderElection, minInsyncReplicas, balance);
    }

    public ControllerSettings withUncleanLeaderElection(boolean enable) {
        return with(defaultPartitions, defaultReplicationFactor, deleteTopicEnable, enable, minInsyncReplicas, balance);
    }

    public ControllerSettings withMinInsyncReplicas(int replicas) {
        return with(
                defaultPartitions,
                defaultReplicationFactor,
                deleteTopicEnable,
                uncleanLeaderElection,
                replicas,
                balance);
    }

    public ControllerSettings withBalance(LeaderBalance newBalance) {
        return with(
                defaultPartitions,
                defaultReplicationFactor,
                deleteTopicEnable,
                uncleanLeaderElection,
                minInsyncReplicas,
                newBalance);
    }

    public ControllerSettings withFlushedDurability(boolean flushed) {
        return new ControllerSettings(
                defaultPartitions,
                defaultReplicationFactor,
                deleteTopicEnable,
                uncleanLeaderElection,
                minInsyncReplicas,
                flushed,
                brokerSessionTimeoutMs,
                maxIdleIntervalMs,
                balance,
                interBrokerListener,
                features);
    }

    private ControllerSettings with(
            int partitions, int factor, boolean delete, boolean unclean, int minInsync, LeaderBalance newBalance) {
        return new ControllerSettings(
                partitions,
                factor,
                delete,
                unclean,
                minInsync,
                flushedDurability,
                brokerSessionTimeoutMs,
                maxIdleIntervalMs,
                newBalance,
                interBrokerListener,
                features);
    }
}
