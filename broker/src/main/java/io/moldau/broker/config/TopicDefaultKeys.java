package io.moldau.broker.config;

import static io.moldau.common.config.ConfigKey.Importance.HIGH;
import static io.moldau.common.config.ConfigKey.Importance.LOW;

import io.moldau.common.config.ConfigKey;
import io.moldau.common.config.ConfigType;
import java.util.List;

/// Keys about creating and deleting topics, and about leadership.
public final class TopicDefaultKeys {

    public static final ConfigKey<Boolean> AUTO_CREATE_TOPICS_ENABLE = ConfigKey.of(
                    "auto.create.topics.enable", ConfigType.bool())
            .defaultTo(true)
            .importance(HIGH)
            .describedAs("Whether asking for an unknown topic creates it.");

    public static final ConfigKey<Integer> DEFAULT_REPLICATION_FACTOR = ConfigKey.of(
                    "default.replication.factor", ConfigType.anyInt())
            .defaultTo(1)
            .describedAs("Replication factor of topics created without one.");

    public static final ConfigKey<Integer> NUM_PARTITIONS = ConfigKey.of("num.partitions", ConfigType.intAtLeast(1))
            .defaultTo(1)
            .describedAs("Number of partitions of topics created without one.");

    public static final ConfigKey<Boolean> DELETE_TOPIC_ENABLE = ConfigKey.of("delete.topic.enable", ConfigType.bool())
            .defaultTo(true)
            .importance(HIGH)
            .describedAs("Whether topics may be deleted.");

    public static final ConfigKey<Integer> MIN_INSYNC_REPLICAS = ConfigKey.of(
                    "min.insync.replicas", ConfigType.intAtLeast(1))
            .defaultTo(1)
            .importance(HIGH)
            .describedAs("Fewest in-sync replicas a write with acks=all needs.");

    public static final ConfigKey<Boolean> UNCLEAN_LEADER_ELECTION_ENABLE = ConfigKey.of(
                    "unclean.leader.election.enable", ConfigType.bool())
            .defaultTo(false)
            .importance(HIGH)
            .describedAs("Whether a replica outside the in-sync set may lead when no other is left, which can lose "
                    + "records.");

    public static final ConfigKey<Boolean> AUTO_LEADER_REBALANCE_ENABLE = ConfigKey.of(
                    "auto.leader.rebalance.enable", ConfigType.bool())
            .defaultTo(true)
            .importance(HIGH)
            .describedAs("Whether leadership is moved back to preferred replicas from time to time.");

    public static final ConfigKey<Long> LEADER_IMBALANCE_CHECK_INTERVAL_SECONDS = ConfigKey.of(
                    "leader.imbalance.check.interval.seconds", ConfigType.longAtLeast(1L))
            .defaultTo(300L)
            .importance(HIGH)
            .describedAs("How often the controller looks for leaders that are not the preferred replica.");

    /// Every key of this area, in the order of the documentation.
    static final List<KnownKey> ALL = List.of(
            KnownKey.used(AUTO_CREATE_TOPICS_ENABLE),
            KnownKey.later(
                    ConfigKey.of("create.topic.policy.class.name", ConfigType.className())
                            .importance(LOW)
                            .describedAs("Class that may refuse the creation of a topic."),
                    Reasons.PLUGIN),
            KnownKey.later(
                    ConfigKey.of("alter.config.policy.class.name", ConfigType.className())
                            .importance(LOW)
                            .describedAs("Class that may refuse a change of configuration."),
                    Reasons.PLUGIN),
            KnownKey.used(DEFAULT_REPLICATION_FACTOR),
            KnownKey.used(NUM_PARTITIONS),
            KnownKey.used(DELETE_TOPIC_ENABLE),
            KnownKey.used(MIN_INSYNC_REPLICAS).clusterWide(),
            KnownKey.used(AUTO_LEADER_REBALANCE_ENABLE),
            KnownKey.used(LEADER_IMBALANCE_CHECK_INTERVAL_SECONDS),
            KnownKey.used(UNCLEAN_LEADER_ELECTION_ENABLE).clusterWide(),
            KnownKey.accepted(
                    ConfigKey.of("unclean.leader.election.interval.ms", ConfigType.longAtLeast(1L))
                            .defaultTo(300_000L)
                            .hidden()
                            .describedAs(
                                    "How often the controller looks for partitions without a leader that may get an unclean "
                                            + "one."),
                    Reasons.AT_ONCE));

    private TopicDefaultKeys() {}
}
