package io.moldau.broker.coordinator.group;

import io.moldau.broker.coordinator.group.consumer.ConsumerGroupMember;
import io.moldau.broker.coordinator.group.consumer.ConsumerGroupRecords;
import io.moldau.broker.coordinator.group.consumer.ConsumerGroupState;
import io.moldau.broker.coordinator.group.consumer.CurrentAssignment;
import io.moldau.broker.coordinator.group.consumer.EmbeddedProtocol;
import io.moldau.broker.coordinator.group.consumer.MemberMetadata;
import io.moldau.broker.coordinator.group.consumer.Members;
import io.moldau.broker.coordinator.group.consumer.ResolvedRegex;
import io.moldau.broker.coordinator.group.generated.ConsumerGroupCurrentMemberAssignmentKey;
import io.moldau.broker.coordinator.group.generated.ConsumerGroupCurrentMemberAssignmentValue;
import io.moldau.broker.coordinator.group.generated.ConsumerGroupMemberMetadataKey;
import io.moldau.broker.coordinator.group.generated.ConsumerGroupMemberMetadataValue;
import io.moldau.broker.coordinator.group.generated.ConsumerGroupMetadataKey;
import io.moldau.broker.coordinator.group.generated.ConsumerGroupMetadataValue;
import io.moldau.broker.coordinator.group.generated.ConsumerGroupPartitionMetadataKey;
import io.moldau.broker.coordinator.group.generated.ConsumerGroupRegularExpressionKey;
import io.moldau.broker.coordinator.group.generated.ConsumerGroupRegularExpressionValue;
import io.moldau.broker.coordinator.group.generated.ConsumerGroupTargetAssignmentMemberKey;
import io.moldau.broker.coordinator.group.generated.ConsumerGroupTargetAssignmentMemberValue;
import io.moldau.broker.coordinator.group.generated.ConsumerGroupTargetAssignmentMetadataKey;
import io.moldau.broker.coordinator.group.generated.ConsumerGroupTargetAssignmentMetadataValue;
import io.moldau.broker.coordinator.runtime.CoordinatorRecord;
import io.moldau.common.ApiException;
import io.moldau.common.Errors;
import io.moldau.common.Uuid;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.pcollections.PSortedMap;
import org.pcollections.TreePMap;

/// A consumer group (KIP-848) as its records describe it. Immutable: a record makes another value, which shares what
/// stays, so that a request can be planned on the group as it will be.
///
/// Three epochs drive it. The group's grows when an assignment is due, the assignment's says which one it was made
/// for, and each member's how far it has followed.
///
/// @param hasPartitionMetadata whether a broker before Kafka 4.1 left a record that is to be removed
/// @param targets what each member is to have
/// @param regexes what the members' expressions stood for when they were looked up
public record ConsumerGroup(
        String groupId,
        Epochs epochs,
        boolean hasPartitionMetadata,
        Members members,
        PSortedMap<String, Map<Uuid, Set<Integer>>> targets,
        PSortedMap<String, ResolvedRegex> regexes)
        implements Group {

    /// @param metadataHash of the topics subscribed to, as they were in this epoch
    /// @param assignment the epoch that the targets were made for
    /// @param assignedAtMs when they were, or 0
    public record Epochs(int group, long metadataHash, int assignment, long assignedAtMs) {}

    /// The first version of OffsetCommit that knows members' epochs.
    private static final short MEMBER_EPOCH_VERSION = 9;

    /// A group without anything. It is in epoch 1, and assigned: its first subscription brings epoch 2.
    static ConsumerGroup empty(String groupId) {
        return new ConsumerGroup(
                groupId, new Epochs(1, 0, 1, 0), false, Members.NONE, TreePMap.empty(), TreePMap.empty());
    }

    // ---- questions ----

    @Override
    public Type type() {
        return Type.CONSUMER;
    }

    public int epoch() {
        return epochs.group();
    }

    public int assignmentEpoch() {
        return epochs.assignment();
    }

    public ConsumerGroupState state() {
        if (members.isEmpty()) {
            return ConsumerGroupState.EMPTY;
        }
        if (epochs.group() > epochs.assignment()) {
            return ConsumerGroupState.ASSIGNING;
        }
        for (var member : members.all()) {
            if (!member.current().isReconciledTo(epochs.assignment())) {
                return ConsumerGroupState.RECONCILING;
            }
        }
        return ConsumerGroupState.STABLE;
    }

    @Override
    public String stateName() {
        return state().toString();
    }

    @Override
    public String protocolTypeName() {
        return EmbeddedProtocol.TYPE;
    }

    @Override
    public int size() {
        return members.size();
    }

    @Override
    public boolean isDead() {
        return false;
    }

    @Override
    public boolean isUnused() {
        return members.isEmpty();
    }

    public Map<Uuid, Set<Integer>> target(String memberId) {
        return targets.getOrDefault(memberId, Map.of());
    }

    /// @throws ApiException UNKNOWN_MEMBER_ID
    ConsumerGroupMember member(String memberId) {
        var member = members.get(memberId);
        if (member == null) {
            throw new ApiException(Errors.UNKNOWN_MEMBER_ID, "Group " + groupId + " has no member '" + memberId + "'.");
        }
        return member;
    }

    /// @param instanceId null for a dynamic member
    /// @throws ApiException UNKNOWN_MEMBER_ID, or FENCED_INSTANCE_ID if the instance is another member by now
    ConsumerGroupMember member(String memberId, @Nullable String instanceId) {
        if (instanceId == null) {
            return member(memberId);
        }
        var member = instance(instanceId);
        if (!member.id().equals(memberId)) {
            throw new ApiException(
                    Errors.FENCED_INSTANCE_ID,
                    "Instance " + instanceId + " of group " + groupId + " is member " + member.id()
                            + " by now, no longer " + memberId + ".");
        }
        return member;
    }

    /// @throws ApiException UNKNOWN_MEMBER_ID
    ConsumerGroupMember instance(String instanceId) {
        var member = members.ofInstance(instanceId);
        if (member == null) {
            throw new ApiException(
                    Errors.UNKNOWN_MEMBER_ID, "Group " + groupId + " has no instance " + instanceId + ".");
        }
        return member;
    }

    /// All topics that somebody subscribes to, by name or by expression.
    Set<String> subscribedTopics() {
        if (regexes.isEmpty()) {
            return members.topics();
        }
        var topics = new TreeSet<>(members.topics());
        for (var regex : members.regexes()) {
            var resolved = regexes.get(regex);
            if (resolved != null) {
                topics.addAll(resolved.topics());
            }
        }
        return topics;
    }

    Set<String> subscribedTopics(MemberMetadata member) {
        var resolved = member.regex() == null ? null : regexes.get(member.regex());
        var topics = new TreeSet<>(member.topics());
        if (resolved != null) {
            topics.addAll(resolved.topics());
        }
        return topics;
    }

    @Override
    public boolean isSubscribedTo(String topic) {
        if (members.subscribesByName(topic)) {
            return true;
        }
        for (var regex : members.regexes()) {
            var resolved = regexes.get(regex);
            if (resolved != null && resolved.topics().contains(topic)) {
                return true;
            }
        }
        return false;
    }

    // ---- offsets ----

    /// A member may commit in its epoch, and in an older one what it has had since (KIP-1251).
    @Override
    public CommitCheck validateOffsetCommit(
            String memberId,
            @Nullable String groupInstanceId,
            int memberEpoch,
            boolean transactional,
            short apiVersion) {
        if (memberEpoch < 0 && members.isEmpty()) {
            return CommitCheck.ANY; // An admin client, or a consumer that assigns partitions to itself.
        }
        if (transactional && memberEpoch == -1 && memberId.isEmpty() && groupInstanceId == null) {
            return CommitCheck.ANY; // A producer that does not say for whom it commits.
        }
        var member = member(memberId);
        if (!transactional && !member.isClassic() && apiVersion < MEMBER_EPOCH_VERSION) {
            throw new ApiException(
                    Errors.UNSUPPORTED_VERSION,
                    "A member of a consumer group commits with version 9 of OffsetCommit or a later one.");
        }
        if (memberEpoch == member.epoch()) {
            return CommitCheck.ANY;
        }
        if (memberEpoch > member.epoch()) {
            throw staleEpoch(member, memberEpoch);
        }
        var current = member.current();
        return (topic, partition) -> {
            var since = current.assigned().epoch(topic, partition);
            if (since == null) {
                since = current.pendingRevocation().epoch(topic, partition);
            }
            return since == null || memberEpoch < since ? staleError(member) : Errors.NONE;
        };
    }

    @Override
    public void validateOffsetFetch(@Nullable String memberId, int memberEpoch) {
        if (memberId == null && memberEpoch < 0) {
            return;
        }
        var member = member(memberId == null ? "" : memberId);
        if (member.epoch() != memberEpoch) {
            throw staleEpoch(member, memberEpoch);
        }
    }

    private ApiException staleEpoch(ConsumerGroupMember member, int memberEpoch) {
        return new ApiException(
                staleError(member),
                "Member " + member.id() + " of group " + groupId + " is in epoch " + member.epoch() + ", not "
                        + memberEpoch + ".");
    }

    private static Errors staleError(ConsumerGroupMember member) {
        return member.isClassic() ? Errors.ILLEGAL_GENERATION : Errors.STALE_MEMBER_EPOCH;
    }

    // ---- records ----

    /// The group after the record; null if that removes it.
    @Nullable
    ConsumerGroup after(CoordinatorRecord record) {
        var value = record.value();
        return switch (record.key()) {
            case ConsumerGroupMetadataKey _ -> value == null ? null : with((ConsumerGroupMetadataValue) value);
            case ConsumerGroupPartitionMetadataKey _ ->
                new ConsumerGroup(groupId, epochs, value != null, members, targets, regexes);
            case ConsumerGroupMemberMetadataKey key ->
                value == null
                        ? with(members.without(key.memberId()))
                        : with(members.with(memberOrNew(key.memberId())
                                .with(ConsumerGroupRecords.member((ConsumerGroupMemberMetadataValue) value))));
            case ConsumerGroupTargetAssignmentMetadataKey _ ->
                with(
                        value == null
                                ? new ConsumerGroupTargetAssignmentMetadataValue()
                                : (ConsumerGroupTargetAssignmentMetadataValue) value);
            case ConsumerGroupTargetAssignmentMemberKey key ->
                withTargets(
                        value == null
                                ? targets.minus(key.memberId())
                                : targets.plus(
                                        key.memberId(),
                                        ConsumerGroupRecords.target((ConsumerGroupTargetAssignmentMemberValue) value)));
            case ConsumerGroupCurrentMemberAssignmentKey key ->
                withCurrent(key.memberId(), (ConsumerGroupCurrentMemberAssignmentValue) value);
            case ConsumerGroupRegularExpressionKey key ->
                withRegexes(
                        value == null
                                ? regexes.minus(key.regularExpression())
                                : regexes.plus(
                                        key.regularExpression(),
                                        ConsumerGroupRecords.regex((ConsumerGroupRegularExpressionValue) value)));
            default -> this;
        };
    }

    private ConsumerGroupMember memberOrNew(String memberId) {
        var member = members.get(memberId);
        return member == null ? ConsumerGroupMember.unknown(memberId) : member;
    }

    private ConsumerGroup with(ConsumerGroupMetadataValue value) {
        return new ConsumerGroup(
                groupId,
                new Epochs(value.epoch(), value.metadataHash(), epochs.assignment(), epochs.assignedAtMs()),
                hasPartitionMetadata,
                members,
                targets,
                regexes);
    }

    private ConsumerGroup with(ConsumerGroupTargetAssignmentMetadataValue value) {
        return new ConsumerGroup(
                groupId,
                new Epochs(epochs.group(), epochs.metadataHash(), value.assignmentEpoch(), value.assignmentTimestamp()),
                hasPartitionMetadata,
                members,
                targets,
                regexes);
    }

    private ConsumerGroup with(Members newMembers) {
        return new ConsumerGroup(groupId, epochs, hasPartitionMetadata, newMembers, targets, regexes);
    }

    private ConsumerGroup withTargets(PSortedMap<String, Map<Uuid, Set<Integer>>> newTargets) {
        return new ConsumerGroup(groupId, epochs, hasPartitionMetadata, members, newTargets, regexes);
    }

    private ConsumerGroup withRegexes(PSortedMap<String, ResolvedRegex> newRegexes) {
        return new ConsumerGroup(groupId, epochs, hasPartitionMetadata, members, targets, newRegexes);
    }

    private ConsumerGroup withCurrent(String memberId, @Nullable ConsumerGroupCurrentMemberAssignmentValue value) {
        if (value != null) {
            return with(members.with(memberOrNew(memberId).with(ConsumerGroupRecords.current(value))));
        }
        // Compaction may have left nothing else of the member.
        var member = members.get(memberId);
        return member == null ? this : with(members.with(member.with(CurrentAssignment.NEW)));
    }

    /// What removes a member and all that is known of it.
    List<CoordinatorRecord> memberTombstones(String memberId) {
        return List.of(
                ConsumerGroupRecords.currentTombstone(groupId, memberId),
                ConsumerGroupRecords.targetTombstone(groupId, memberId),
                ConsumerGroupRecords.memberTombstone(groupId, memberId));
    }

    /// What removes the group.
    List<CoordinatorRecord> tombstones() {
        var records = new ArrayList<CoordinatorRecord>();
        for (var member : members.all()) {
            records.add(ConsumerGroupRecords.currentTombstone(groupId, member.id()));
        }
        for (var memberId : targets.keySet()) {
            records.add(ConsumerGroupRecords.targetTombstone(groupId, memberId));
        }
        records.add(ConsumerGroupRecords.targetEpochTombstone(groupId));
        for (var member : members.all()) {
            records.add(ConsumerGroupRecords.memberTombstone(groupId, member.id()));
        }
        for (var regex : regexes.keySet()) {
            records.add(ConsumerGroupRecords.regexTombstone(groupId, regex));
        }
        if (hasPartitionMetadata) {
            records.add(ConsumerGroupRecords.partitionMetadataTombstone(groupId));
        }
        records.add(ConsumerGroupRecords.epochTombstone(groupId));
        return records;
    }
}
