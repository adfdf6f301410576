package io.moldau.broker.coordinator.group;

import io.moldau.broker.coordinator.group.generated.GroupMetadataKey;
import io.moldau.broker.coordinator.group.generated.GroupMetadataValue;
import io.moldau.broker.coordinator.group.generated.GroupMetadataValue.MemberMetadata;
import io.moldau.broker.coordinator.group.generated.OffsetCommitKey;
import io.moldau.broker.coordinator.group.generated.OffsetCommitValue;
import io.moldau.broker.coordinator.runtime.CoordinatorRecord;
import io.moldau.common.TopicPartition;
import io.moldau.wire.message.JoinGroupRequestData.JoinGroupRequestProtocol;
import java.util.List;
import java.util.Map;

/// Between the groups' state and the records of `__consumer_offsets`, in the versions Kafka 4.4 writes.
final class GroupRecords {

    static final short LEGACY_OFFSET_COMMIT = 0;
    static final short OFFSET_COMMIT = 1;
    static final short GROUP_METADATA = 2;

    private static final short OFFSET_VERSION = 4;
    private static final short OFFSET_VERSION_WITH_EXPIRY = 1;
    private static final short GROUP_VERSION = 3;

    private GroupRecords() {}

    static CoordinatorRecord offset(String groupId, TopicPartition partition, CommittedOffset offset) {
        return CoordinatorRecord.of(
                OFFSET_COMMIT,
                offsetKey(groupId, partition),
                new OffsetCommitValue()
                        .setOffset(offset.offset())
                        .setLeaderEpoch(offset.leaderEpoch())
                        .setMetadata(offset.metadata())
                        .setCommitTimestamp(offset.commitTimestampMs())
                        .setExpireTimestamp(offset.expireTimestampMs())
                        .setTopicId(offset.topicId()),
                offset.hasOwnExpiry() ? OFFSET_VERSION_WITH_EXPIRY : OFFSET_VERSION);
    }

    static CoordinatorRecord offsetTombstone(String groupId, TopicPartition partition) {
        return CoordinatorRecord.tombstone(OFFSET_COMMIT, offsetKey(groupId, partition));
    }

    private static OffsetCommitKey offsetKey(String groupId, TopicPartition partition) {
        return new OffsetCommitKey()
                .setGroup(groupId)
                .setTopic(partition.topic())
                .setPartition(partition.partition());
    }

    static CommittedOffset offset(OffsetCommitValue value) {
        return new CommittedOffset(
                value.offset(),
                value.leaderEpoch(),
                value.metadata(),
                value.commitTimestamp(),
                value.expireTimestamp(),
                value.topicId());
    }

    /// The group's present generation, with these assignments.
    static CoordinatorRecord group(ClassicGroup group, Map<String, byte[]> assignments) {
        var protocolName = group.protocolName();
        var members = group.members().stream()
                .map(member -> new MemberMetadata()
                        .setMemberId(member.memberId())
                        .setGroupInstanceId(member.groupInstanceId())
                        .setClientId(member.clientId())
                        .setClientHost(member.clientHost())
                        .setRebalanceTimeout(member.rebalanceTimeoutMs())
                        .setSessionTimeout(member.sessionTimeoutMs())
                        .setSubscription(
                                protocolName == null ? ClassicGroupMember.NO_BYTES : member.metadata(protocolName))
                        .setAssignment(assignments.getOrDefault(member.memberId(), ClassicGroupMember.NO_BYTES)))
                .toList();
        var protocolType = group.protocolType();
        return CoordinatorRecord.of(
                GROUP_METADATA,
                groupKey(group.groupId()),
                new GroupMetadataValue()
                        .setProtocolType(protocolType == null ? "" : protocolType)
                        .setGeneration(group.generationId())
                        .setProtocol(protocolName)
                        .setLeader(group.leaderId())
                        .setCurrentStateTimestamp(group.stateSinceMs())
                        .setMembers(members),
                GROUP_VERSION);
    }

    /// A group that has just been founded.
    static CoordinatorRecord emptyGroup(ClassicGroup group) {
        return CoordinatorRecord.of(
                GROUP_METADATA,
                groupKey(group.groupId()),
                new GroupMetadataValue()
                        .setProtocolType("")
                        .setGeneration(0)
                        .setProtocol(null)
                        .setLeader(null)
                        .setCurrentStateTimestamp(group.stateSinceMs())
                        .setMembers(List.of()),
                GROUP_VERSION);
    }

    static CoordinatorRecord groupTombstone(String groupId) {
        return CoordinatorRecord.tombstone(GROUP_METADATA, groupKey(groupId));
    }

    private static GroupMetadataKey groupKey(String groupId) {
        return new GroupMetadataKey().setGroup(groupId);
    }

    /// The group a record describes: empty or stable, for nothing else is written.
    static ClassicGroup group(String groupId, GroupMetadataValue value) {
        var protocol = value.protocol();
        var group = new ClassicGroup(
                groupId,
                value.members().isEmpty() ? ClassicGroupState.EMPTY : ClassicGroupState.STABLE,
                value.generation(),
                value.protocolType().isEmpty() ? null : value.protocolType(),
                protocol,
                value.leader(),
                value.currentStateTimestamp());
        for (var member : value.members()) {
            var loaded = new ClassicGroupMember(
                    member.memberId(),
                    member.groupInstanceId(),
                    member.clientId(),
                    member.clientHost(),
                    member.rebalanceTimeout() == -1 ? member.sessionTimeout() : member.rebalanceTimeout(),
                    member.sessionTimeout(),
                    value.protocolType(),
                    List.of(new JoinGroupRequestProtocol()
                            .setName(protocol == null ? "" : protocol)
                            .setMetadata(member.subscription())));
            loaded.assign(member.assignment());
            group.add(loaded, null);
        }
        group.refreshSubscribedTopics();
        return group;
    }
}
