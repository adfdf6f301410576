package io.moldau.broker.coordinator.group;

/// Settings of the group coordinator, under Kafka's names in the comments and with Kafka's defaults.
///
/// @param minSessionTimeoutMs `group.min.session.timeout.ms`
/// @param maxSessionTimeoutMs `group.max.session.timeout.ms`
/// @param initialRebalanceDelayMs `group.initial.rebalance.delay.ms`
/// @param maxGroupSize `group.max.size`
/// @param newMemberJoinTimeoutMs how long a member may wait in its first join, a constant in Kafka
/// @param offsetMetadataMaxBytes `offset.metadata.max.bytes`
/// @param offsetsRetentionMs `offsets.retention.minutes`
/// @param offsetsRetentionCheckIntervalMs `offsets.retention.check.interval.ms`
/// @param offsetCommitTimeoutMs `offsets.commit.timeout.ms`
/// @param maxPendingMembers how many handed-out member ids of one group may be unused at a time, a bound of ours
/// @param consumer for groups of the consumer protocol
public record GroupCoordinatorConfig(
        int minSessionTimeoutMs,
        int maxSessionTimeoutMs,
        int initialRebalanceDelayMs,
        int maxGroupSize,
        int newMemberJoinTimeoutMs,
        int offsetMetadataMaxBytes,
        long offsetsRetentionMs,
        long offsetsRetentionCheckIntervalMs,
        int offsetCommitTimeoutMs,
        int maxPendingMembers,
        ConsumerGroupConfig consumer) {

    public static final GroupCoordinatorConfig DEFAULTS = new GroupCoordinatorConfig(
            6_000,
            1_800_000,
            3_000,
            Integer.MAX_VALUE,
            5 * 60_000,
            4_096,
            7L * 24 * 60 * 60_000,
            600_000L,
            5_000,
            10_000,
            ConsumerGroupConfig.DEFAULTS);

    public GroupCoordinatorConfig withInitialRebalanceDelayMs(int value) {
        return new GroupCoordinatorConfig(
                minSessionTimeoutMs,
                maxSessionTimeoutMs,
                value,
                maxGroupSize,
                newMemberJoinTimeoutMs,
                offsetMetadataMaxBytes,
                offsetsRetentionMs,
                offsetsRetentionCheckIntervalMs,
                offsetCommitTimeoutMs,
                maxPendingMembers,
                consumer);
    }

    public GroupCoordinatorConfig withMaxGroupSize(int value) {
        return new GroupCoordinatorConfig(
                minSessionTimeoutMs,
                maxSessionTimeoutMs,
                initialRebalanceDelayMs,
                value,
                newMemberJoinTimeoutMs,
                offsetMetadataMaxBytes,
                offsetsRetentionMs,
                offsetsRetentionCheckIntervalMs,
                offsetCommitTimeoutMs,
                maxPendingMembers,
                consumer);
    }

    public GroupCoordinatorConfig with(ConsumerGroupConfig value) {
        return new GroupCoordinatorConfig(
                minSessionTimeoutMs,
                maxSessionTimeoutMs,
                initialRebalanceDelayMs,
                maxGroupSize,
                newMemberJoinTimeoutMs,
                offsetMetadataMaxBytes,
                offsetsRetentionMs,
                offsetsRetentionCheckIntervalMs,
                offsetCommitTimeoutMs,
                maxPendingMembers,
                value);
    }
}
