package io.moldau.broker.coordinator.group.consumer;

import io.moldau.broker.coordinator.group.generated.ConsumerGroupCurrentMemberAssignmentKey;
import io.moldau.broker.coordinator.group.generated.ConsumerGroupCurrentMemberAssignmentValue;
import io.moldau.broker.coordinator.group.generated.ConsumerGroupCurrentMemberAssignmentValue.TopicPartitions;
import io.moldau.broker.coordinator.group.generated.ConsumerGroupMemberMetadataKey;
import io.moldau.broker.coordinator.group.generated.ConsumerGroupMemberMetadataValue;
import io.moldau.broker.coordinator.group.generated.ConsumerGroupMemberMetadataValue.ClassicMemberMetadata;
import io.moldau.broker.coordinator.group.generated.ConsumerGroupMemberMetadataValue.ClassicProtocol;
import io.moldau.broker.coordinator.group.generated.ConsumerGroupMetadataKey;
import io.moldau.broker.coordinator.group.generated.ConsumerGroupMetadataValue;
import io.moldau.broker.coordinator.group.generated.ConsumerGroupPartitionMetadataKey;
import io.moldau.broker.coordinator.group.generated.ConsumerGroupRegularExpressionKey;
import io.moldau.broker.coordinator.group.generated.ConsumerGroupRegularExpressionValue;
import io.moldau.broker.coordinator.group.generated.ConsumerGroupTargetAssignmentMemberKey;
import io.moldau.broker.coordinator.group.generated.ConsumerGroupTargetAssignmentMemberValue;
import io.moldau.broker.coordinator.group.generated.ConsumerGroupTargetAssignmentMemberValue.TopicPartition;
import io.moldau.broker.coordinator.group.generated.ConsumerGroupTargetAssignmentMetadataKey;
import io.moldau.broker.coordinator.group.generated.ConsumerGroupTargetAssignmentMetadataValue;
import io.moldau.broker.coordinator.runtime.CoordinatorRecord;
import io.moldau.common.Uuid;
import io.moldau.wire.message.JoinGroupRequestData.JoinGroupRequestProtocol;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/// Between consumer groups and the records of `__consumer_offsets`, in the versions Kafka 4.4 writes. Whatever has no
/// order of its own is written sorted, so that equal groups have equal records.
public final class ConsumerGroupRecords {

    public static final short GROUP_METADATA = 3;
    public static final short PARTITION_METADATA = 4;
    public static final short MEMBER_METADATA = 5;
    public static final short TARGET_METADATA = 6;
    public static final short TARGET_MEMBER = 7;
    public static final short CURRENT_ASSIGNMENT = 8;
    public static final short REGEX = 16;

    private static final short VERSION = 0;

    private ConsumerGroupRecords() {}

    // ---- the group ----

    /// @param metadataHash of the topics subscribed to
    public static CoordinatorRecord epoch(String groupId, int epoch, long metadataHash) {
        return CoordinatorRecord.of(
                GROUP_METADATA,
                new ConsumerGroupMetadataKey().setGroupId(groupId),
                new ConsumerGroupMetadataValue().setEpoch(epoch).setMetadataHash(metadataHash),
                VERSION);
    }

    public static CoordinatorRecord epochTombstone(String groupId) {
        return CoordinatorRecord.tombstone(GROUP_METADATA, new ConsumerGroupMetadataKey().setGroupId(groupId));
    }

    /// Until Kafka 4.0 the topics were written as they are; all that is done with such a record is to remove it.
    public static CoordinatorRecord partitionMetadataTombstone(String groupId) {
        return CoordinatorRecord.tombstone(
                PARTITION_METADATA, new ConsumerGroupPartitionMetadataKey().setGroupId(groupId));
    }

    // ---- members ----

    public static CoordinatorRecord member(String groupId, String memberId, MemberMetadata member) {
        var value = new ConsumerGroupMemberMetadataValue()
                .setInstanceId(member.instanceId())
                .setRackId(member.rackId())
                .setClientId(member.clientId())
                .setClientHost(member.clientHost())
                .setSubscribedTopicNames(member.topics())
                .setSubscribedTopicRegex(member.regex())
                .setRebalanceTimeoutMs(member.rebalanceTimeoutMs())
                .setServerAssignor(member.assignor());
        var classic = member.classic();
        if (classic != null) {
            value.setClassicMemberMetadata(new ClassicMemberMetadata()
                    .setSessionTimeoutMs(classic.sessionTimeoutMs())
                    .setSupportedProtocols(classic.protocols().stream()
                            .map(protocol -> new ClassicProtocol()
                                    .setName(protocol.name())
                                    .setMetadata(protocol.metadata()))
                            .toList()));
        }
        return CoordinatorRecord.of(MEMBER_METADATA, memberKey(groupId, memberId), value, VERSION);
    }

    public static CoordinatorRecord memberTombstone(String groupId, String memberId) {
        return CoordinatorRecord.tombstone(MEMBER_METADATA, memberKey(groupId, memberId));
    }

    private static ConsumerGroupMemberMetadataKey memberKey(String groupId, String memberId) {
        return new ConsumerGroupMemberMetadataKey().setGroupId(groupId).setMemberId(memberId);
    }

    public static MemberMetadata member(ConsumerGroupMemberMetadataValue value) {
        var classic = value.classicMemberMetadata();
        var regex = value.subscribedTopicRegex();
        return new MemberMetadata(
                value.instanceId(),
                value.rackId(),
                value.clientId(),
                value.clientHost(),
                List.copyOf(value.subscribedTopicNames()),
                regex == null || regex.isEmpty() ? null : regex,
                value.rebalanceTimeoutMs(),
                value.serverAssignor(),
                classic == null
                        ? null
                        : new MemberMetadata.Classic(
                                classic.sessionTimeoutMs(),
                                classic.supportedProtocols().stream()
                                        .map(protocol -> new JoinGroupRequestProtocol()
                                                .setName(protocol.name())
                                                .setMetadata(protocol.metadata()))
                                        .toList()));
    }

    // ---- what they are to have ----

    /// @param atMs when the assignment was made, or 0 if the next one need not wait for that
    public static CoordinatorRecord targetEpoch(String groupId, int epoch, long atMs) {
        return CoordinatorRecord.of(
                TARGET_METADATA,
                new ConsumerGroupTargetAssignmentMetadataKey().setGroupId(groupId),
                new ConsumerGroupTargetAssignmentMetadataValue()
                        .setAssignmentEpoch(epoch)
                        .setAssignmentTimestamp(atMs),
                VERSION);
    }

    public static CoordinatorRecord targetEpochTombstone(String groupId) {
        return CoordinatorRecord.tombstone(
                TARGET_METADATA, new ConsumerGroupTargetAssignmentMetadataKey().setGroupId(groupId));
    }

    public static CoordinatorRecord target(String groupId, String memberId, Map<Uuid, Set<Integer>> partitions) {
        var topics = new ArrayList<TopicPartition>();
        new TreeMap<>(partitions)
                .forEach((topic, indexes) -> topics.add(
                        new TopicPartition().setTopicId(topic).setPartitions(List.copyOf(new TreeSet<>(indexes)))));
        return CoordinatorRecord.of(
                TARGET_MEMBER,
                targetKey(groupId, memberId),
                new ConsumerGroupTargetAssignmentMemberValue().setTopicPartitions(topics),
                VERSION);
    }

    public static CoordinatorRecord targetTombstone(String groupId, String memberId) {
        return CoordinatorRecord.tombstone(TARGET_MEMBER, targetKey(groupId, memberId));
    }

    private static ConsumerGroupTargetAssignmentMemberKey targetKey(String groupId, String memberId) {
        return new ConsumerGroupTargetAssignmentMemberKey().setGroupId(groupId).setMemberId(memberId);
    }

    public static Map<Uuid, Set<Integer>> target(ConsumerGroupTargetAssignmentMemberValue value) {
        var partitions = new TreeMap<Uuid, Set<Integer>>();
        value.topicPartitions().forEach(topic -> partitions.put(topic.topicId(), Set.copyOf(topic.partitions())));
        return partitions;
    }

    // ---- what they have ----

    public static CoordinatorRecord current(String groupId, String memberId, CurrentAssignment current) {
        return CoordinatorRecord.of(
                CURRENT_ASSIGNMENT,
                currentKey(groupId, memberId),
                new ConsumerGroupCurrentMemberAssignmentValue()
                        .setMemberEpoch(current.epoch())
                        .setPreviousMemberEpoch(current.previousEpoch())
                        .setState(current.state().code())
                        .setAssignedPartitions(partitions(current.assigned()))
                        .setPartitionsPendingRevocation(partitions(current.pendingRevocation())),
                VERSION);
    }

    public static CoordinatorRecord currentTombstone(String groupId, String memberId) {
        return CoordinatorRecord.tombstone(CURRENT_ASSIGNMENT, currentKey(groupId, memberId));
    }

    private static ConsumerGroupCurrentMemberAssignmentKey currentKey(String groupId, String memberId) {
        return new ConsumerGroupCurrentMemberAssignmentKey().setGroupId(groupId).setMemberId(memberId);
    }

    private static List<TopicPartitions> partitions(PartitionEpochs partitions) {
        var topics = new ArrayList<TopicPartitions>();
        partitions
                .byTopic()
                .forEach((topic, epochs) -> topics.add(new TopicPartitions()
                        .setTopicId(topic)
                        .setPartitions(List.copyOf(epochs.keySet()))
                        .setAssignmentEpochs(List.copyOf(epochs.values()))));
        return topics;
    }

    public static CurrentAssignment current(ConsumerGroupCurrentMemberAssignmentValue value) {
        return new CurrentAssignment(
                value.memberEpoch(),
                value.previousMemberEpoch(),
                MemberState.of(value.state()),
                partitions(value.assignedPartitions(), value.memberEpoch()),
                partitions(value.partitionsPendingRevocation(), value.memberEpoch()));
    }

    /// Brokers before Kafka 4.3 don't say when a partition was got: then it is the epoch the member is in.
    private static PartitionEpochs partitions(List<TopicPartitions> topics, int memberEpoch) {
        var builder = new PartitionEpochs.Builder();
        for (var topic : topics) {
            var epochs = topic.assignmentEpochs();
            for (int i = 0; i < topic.partitions().size(); i++) {
                builder.add(
                        topic.topicId(),
                        topic.partitions().get(i),
                        epochs != null && i < epochs.size() ? epochs.get(i) : memberEpoch);
            }
        }
        return builder.build();
    }

    // ---- expressions ----

    public static CoordinatorRecord regex(String groupId, String regex, ResolvedRegex resolved) {
        return CoordinatorRecord.of(
                REGEX,
                regexKey(groupId, regex),
                new ConsumerGroupRegularExpressionValue()
                        .setTopics(List.copyOf(resolved.topics()))
                        .setVersion(resolved.metadataOffset())
                        .setTimestamp(resolved.atMs()),
                VERSION);
    }

    public static CoordinatorRecord regexTombstone(String groupId, String regex) {
        return CoordinatorRecord.tombstone(REGEX, regexKey(groupId, regex));
    }

    private static ConsumerGroupRegularExpressionKey regexKey(String groupId, String regex) {
        return new ConsumerGroupRegularExpressionKey().setGroupId(groupId).setRegularExpression(regex);
    }

    public static ResolvedRegex regex(ConsumerGroupRegularExpressionValue value) {
        return new ResolvedRegex(new TreeSet<>(value.topics()), value.version(), value.timestamp());
    }
}
