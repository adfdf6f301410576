package io.moldau.broker.config;

import static io.moldau.common.config.ConfigKey.Importance.LOW;

import io.moldau.common.config.ConfigKey;
import io.moldau.common.config.ConfigSchema;
import io.moldau.common.config.ConfigType;
import java.time.Duration;
import java.time.format.DateTimeParseException;
import java.util.List;

/// Keys a group may override (resource type GROUP, KIP-848 and followers).
public final class GroupConfigKeys {

    public static final ConfigKey<Integer> CONSUMER_ASSIGNMENT_INTERVAL_MS = ConfigKey.of(
                    "consumer.assignment.interval.ms", ConfigType.intAtLeast(0))
            .defaultTo(1000)
            .standInFor("group.consumer.assignment.interval.ms")
            .describedAs("Shortest time between two assignments of the group.");

    public static final ConfigKey<Integer> CONSUMER_HEARTBEAT_INTERVAL_MS = ConfigKey.of(
                    "consumer.heartbeat.interval.ms", ConfigType.intAtLeast(1))
            .defaultTo(5000)
            .standInFor("group.consumer.heartbeat.interval.ms")
            .describedAs("How often members are told to send heartbeats.");

    public static final ConfigKey<Integer> CONSUMER_SESSION_TIMEOUT_MS = ConfigKey.of(
                    "consumer.session.timeout.ms", ConfigType.intAtLeast(1))
            .defaultTo(45_000)
            .standInFor("group.consumer.session.timeout.ms")
            .describedAs("How long a member may be silent before it is removed.");

    static final ConfigKey<List<String>> STREAMS_RACK_AWARE_ASSIGNMENT_TAGS = ConfigKey.of(
                    "streams.rack.aware.assignment.tags", ConfigType.list())
            .defaultTo(List.of())
            .importance(LOW)
            .standInFor("group.streams.rack.aware.assignment.tags")
            .describedAs("Client tags by which standby copies are spread.");

    /// Every key of this area, in the order of the documentation.
    static final List<KnownKey> ALL = List.of(
            KnownKey.used(CONSUMER_ASSIGNMENT_INTERVAL_MS).clusterWide(),
            KnownKey.accepted(
                            ConfigKey.of("consumer.assignor.offload.enable", ConfigType.bool())
                                    .defaultTo(true)
                                    .hidden()
                                    .standInFor("group.consumer.assignor.offload.enable")
                                    .describedAs(
                                            "Whether assignments are computed away from the coordinator's thread."),
                            Reasons.OFFLOAD)
                    .clusterWide(),
            KnownKey.used(CONSUMER_HEARTBEAT_INTERVAL_MS).clusterWide(),
            KnownKey.used(CONSUMER_SESSION_TIMEOUT_MS).clusterWide(),
            KnownKey.accepted(
                            ConfigKey.of("errors.deadletterqueue.copy.record.enable", ConfigType.bool())
                                    .defaultTo(false)
                                    .describedAs(
                                            "Whether an undeliverable record is copied whole, or only its position is written."),
                            Reasons.SHARE)
                    .clusterWide(),
            KnownKey.accepted(
                            ConfigKey.of("errors.deadletterqueue.topic.name", ConfigType.string())
                                    .defaultTo("")
                                    .describedAs("Topic for undeliverable records; empty for none."),
                            Reasons.SHARE)
                    .clusterWide(),
            KnownKey.accepted(
                            ConfigKey.of("share.assignment.interval.ms", ConfigType.intAtLeast(0))
                                    .defaultTo(1000)
                                    .standInFor("group.share.assignment.interval.ms")
                                    .describedAs("Shortest time between two assignments of the share group."),
                            Reasons.SHARE)
                    .clusterWide(),
            KnownKey.accepted(
                            ConfigKey.of("share.assignor.offload.enable", ConfigType.bool())
                                    .defaultTo(true)
                                    .hidden()
                                    .standInFor("group.share.assignor.offload.enable")
                                    .describedAs(
                                            "Whether share assignments are computed away from the coordinator's thread."),
                            Reasons.SHARE)
                    .clusterWide(),
            KnownKey.accepted(
                            ConfigKey.of(
                                            "share.auto.offset.reset",
                                            ConfigType.string()
                                                    .checked(
                                                            GroupConfigKeys::offsetReset,
                                                            "latest, earliest or by_duration:PnDTnHnMn.nS"))
                                    .defaultTo("latest")
                                    .describedAs(
                                            "Where a share group begins: `latest`, `earliest`, or `by_duration:` and an ISO 8601 "
                                                    + "duration."),
                            Reasons.SHARE)
                    .clusterWide(),
            KnownKey.accepted(
                            ConfigKey.of("share.delivery.count.limit", ConfigType.intAtLeast(2))
                                    .defaultTo(5)
                                    .standInFor("group.share.delivery.count.limit")
                                    .describedAs("How often a record is delivered at most."),
                            Reasons.SHARE)
                    .clusterWide(),
            KnownKey.accepted(
                            ConfigKey.of("share.heartbeat.interval.ms", ConfigType.intAtLeast(1))
                                    .defaultTo(5000)
                                    .standInFor("group.share.heartbeat.interval.ms")
                                    .describedAs("How often members of the share group are told to send heartbeats."),
                            Reasons.SHARE)
                    .clusterWide(),
            KnownKey.accepted(
                            ConfigKey.of(
                                            "share.isolation.level",
                                            ConfigType.oneOf("read_committed", "read_uncommitted"))
                                    .defaultTo("read_uncommitted")
                                    .describedAs("Whether records of aborted transactions are delivered."),
                            Reasons.SHARE)
                    .clusterWide(),
            KnownKey.accepted(
                            ConfigKey.of("share.partition.max.record.locks", ConfigType.intAtLeast(100))
                                    .defaultTo(2000)
                                    .standInFor("group.share.partition.max.record.locks")
                                    .describedAs("Most records of a partition that may be locked at a time."),
                            Reasons.SHARE)
                    .clusterWide(),
            KnownKey.accepted(
                            ConfigKey.of("share.record.lock.duration.ms", ConfigType.intAtLeast(1000))
                                    .defaultTo(30_000)
                                    .standInFor("group.share.record.lock.duration.ms")
                                    .describedAs("How long a record stays locked by the member it was delivered to."),
                            Reasons.SHARE)
                    .clusterWide(),
            KnownKey.accepted(
                            ConfigKey.of("share.renew.acknowledge.enable", ConfigType.bool())
                                    .defaultTo(true)
                                    .describedAs("Whether a member may renew its lock on a record."),
                            Reasons.SHARE)
                    .clusterWide(),
            KnownKey.accepted(
                            ConfigKey.of("share.session.timeout.ms", ConfigType.intAtLeast(1))
                                    .defaultTo(45_000)
                                    .standInFor("group.share.session.timeout.ms")
                                    .describedAs(
                                            "How long a member of the share group may be silent before it is removed."),
                            Reasons.SHARE)
                    .clusterWide(),
            KnownKey.accepted(
                            ConfigKey.of("streams.acceptable.recovery.lag", ConfigType.longAtLeast(0L))
                                    .defaultTo(10_000L)
                                    .hidden()
                                    .standInFor("group.streams.acceptable.recovery.lag")
                                    .describedAs("How far behind a task's copy may be and still count as caught up."),
                            Reasons.STREAMS)
                    .clusterWide(),
            KnownKey.accepted(
                            ConfigKey.of("streams.assignment.interval.ms", ConfigType.intAtLeast(0))
                                    .defaultTo(1000)
                                    .standInFor("group.streams.assignment.interval.ms")
                                    .describedAs("Shortest time between two assignments of the streams group."),
                            Reasons.STREAMS)
                    .clusterWide(),
            KnownKey.accepted(
                            ConfigKey.of("streams.assignor.name", ConfigType.string())
                                    .standInFor("group.streams.assignors")
                                    .describedAs("Task assignor of the group; unset for the broker's first."),
                            Reasons.STREAMS)
                    .clusterWide(),
            KnownKey.accepted(
                            ConfigKey.of("streams.assignor.offload.enable", ConfigType.bool())
                                    .defaultTo(true)
                                    .hidden()
                                    .standInFor("group.streams.assignor.offload.enable")
                                    .describedAs(
                                            "Whether task assignments are computed away from the coordinator's thread."),
                            Reasons.STREAMS)
                    .clusterWide(),
            KnownKey.accepted(
                            ConfigKey.of("streams.heartbeat.interval.ms", ConfigType.intAtLeast(1))
                                    .defaultTo(5000)
                                    .standInFor("group.streams.heartbeat.interval.ms")
                                    .describedAs("How often members of the streams group are told to send heartbeats."),
                            Reasons.STREAMS)
                    .clusterWide(),
            KnownKey.accepted(
                            ConfigKey.of("streams.initial.rebalance.delay.ms", ConfigType.intAtLeast(0))
                                    .defaultTo(3000)
                                    .standInFor("group.streams.initial.rebalance.delay.ms")
                                    .describedAs("How long a new streams group waits for further members."),
                            Reasons.STREAMS)
                    .clusterWide(),
            KnownKey.accepted(
                            ConfigKey.of("streams.num.standby.replicas", ConfigType.intAtLeast(0))
                                    .defaultTo(0)
                                    .standInFor("group.streams.num.standby.replicas")
                                    .describedAs("Standby copies of each task."),
                            Reasons.STREAMS)
                    .clusterWide(),
            KnownKey.accepted(
                            ConfigKey.of("streams.num.warmup.replicas", ConfigType.intAtLeast(0))
                                    .defaultTo(2)
                                    .hidden()
                                    .standInFor("group.streams.num.warmup.replicas")
                                    .describedAs("Copies that may warm up at a time."),
                            Reasons.STREAMS)
                    .clusterWide(),
            KnownKey.accepted(STREAMS_RACK_AWARE_ASSIGNMENT_TAGS, Reasons.STREAMS)
                    .clusterWide(),
            KnownKey.accepted(
                            ConfigKey.of("streams.session.timeout.ms", ConfigType.intAtLeast(1))
                                    .defaultTo(45_000)
                                    .standInFor("group.streams.session.timeout.ms")
                                    .describedAs(
                                            "How long a member of the streams group may be silent before it is removed."),
                            Reasons.STREAMS)
                    .clusterWide(),
            KnownKey.accepted(
                            ConfigKey.of("streams.task.offset.interval.ms", ConfigType.intAtLeast(1))
                                    .defaultTo(60_000)
                                    .hidden()
                                    .standInFor("group.streams.task.offset.interval.ms")
                                    .describedAs("How often members report the offsets of their tasks."),
                            Reasons.STREAMS)
                    .clusterWide());

    public static final ConfigSchema SCHEMA = KnownKey.schema(ALL);

    /// KIP-1106.
    static String offsetReset(String value) {
        if (value.equals("latest") || value.equals("earliest")) {
            return "";
        }
        String reason = "it must be latest, earliest or by_duration: and an ISO 8601 duration that is not negative";
        if (!value.startsWith("by_duration:")) {
            return reason;
        }
        try {
            return Duration.parse(value.substring("by_duration:".length())).isNegative() ? reason : "";
        } catch (DateTimeParseException e) {
            return reason;
        }
    }

    private GroupConfigKeys() {}
}
