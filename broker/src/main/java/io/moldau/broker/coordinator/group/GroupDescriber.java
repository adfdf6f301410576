package io.moldau.broker.coordinator.group;

import io.moldau.broker.coordinator.group.consumer.ConsumerGroupMember;
import io.moldau.broker.coordinator.group.consumer.PartitionEpochs;
import io.moldau.broker.coordinator.group.consumer.SubscribedTopics;
import io.moldau.common.Errors;
import io.moldau.common.Uuid;
import io.moldau.wire.message.ConsumerGroupDescribeResponseData;
import io.moldau.wire.message.ConsumerGroupDescribeResponseData.Assignment;
import io.moldau.wire.message.ConsumerGroupDescribeResponseData.Member;
import io.moldau.wire.message.ConsumerGroupDescribeResponseData.TopicPartitions;
import io.moldau.wire.message.DescribeGroupsResponseData.DescribedGroup;
import io.moldau.wire.message.ListGroupsResponseData.ListedGroup;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/// Shows the groups of a shard to administrators: what is committed of them. Owned by its [GroupShard]; pure.
final class GroupDescriber {

    private static final byte CLASSIC_MEMBER = 0;
    private static final byte CONSUMER_MEMBER = 1;

    private final GroupTable groups;
    private final ConsumerGroupPlanner planner;

    GroupDescriber(GroupTable groups, ConsumerGroupPlanner planner) {
        this.groups = groups;
        this.planner = planner;
    }

    // ---- DescribeGroups ----

    /// @param reportsMissing whether the version has an error for a group that does not exist (KIP-1043); before, it
    ///     is shown as dead
    DescribedGroup classic(String groupId, boolean reportsMissing) {
        var described = new DescribedGroup().setGroupId(groupId);
        var it = groups.map().committed(groupId);
        if (!(it instanceof ClassicGroup group) || group.isDead()) {
            described.setGroupState(ClassicGroupState.DEAD.toString());
            if (!reportsMissing) {
                return described;
            }
            var why = it instanceof ConsumerGroup ? " is not a classic group." : " not found.";
            return described.setErrorCode(Errors.GROUP_ID_NOT_FOUND.code()).setErrorMessage("Group " + groupId + why);
        }
        var protocolName = group.is(ClassicGroupState.STABLE) ? group.protocolName() : null;
        described
                .setGroupState(group.stateName())
                .setProtocolType(group.protocolTypeName())
                .setProtocolData(protocolName == null ? "" : protocolName);
        for (var member : group.members()) {
            described.members().add(member.describe(protocolName));
        }
        return described;
    }

    // ---- ConsumerGroupDescribe ----

    ConsumerGroupDescribeResponseData.DescribedGroup consumer(String groupId) {
        var described = new ConsumerGroupDescribeResponseData.DescribedGroup().setGroupId(groupId);
        var it = groups.map().committed(groupId);
        if (!(it instanceof ConsumerGroup group)) {
            var why = it == null || it.isDead() ? " not found." : " is not a consumer group.";
            return described.setErrorCode(Errors.GROUP_ID_NOT_FOUND.code()).setErrorMessage("Group " + groupId + why);
        }
        described
                .setGroupState(group.stateName())
                .setGroupEpoch(group.epoch())
                .setAssignmentEpoch(group.assignmentEpoch())
                .setAssignorName(planner.assignor(group).name());
        var topics = planner.topics();
        for (var member : group.members().all()) {
            described.members().add(member(group, member, topics));
        }
        return described;
    }

    private static Member member(ConsumerGroup group, ConsumerGroupMember member, SubscribedTopics topics) {
        var metadata = member.metadata();
        var regex = metadata.regex();
        var current = new TreeMap<Uuid, Set<Integer>>();
        collect(member.current().assigned(), current);
        collect(member.current().pendingRevocation(), current);
        return new Member()
                .setMemberId(member.id())
                .setInstanceId(metadata.instanceId())
                .setRackId(metadata.rackId())
                .setMemberEpoch(member.epoch())
                .setClientId(metadata.clientId())
                .setClientHost(metadata.clientHost())
                .setSubscribedTopicNames(metadata.topics())
                .setSubscribedTopicRegex(regex == null ? "" : regex)
                .setAssignment(assignment(current, topics))
                .setTargetAssignment(assignment(group.target(member.id()), topics))
                .setMemberType(member.isClassic() ? CLASSIC_MEMBER : CONSUMER_MEMBER);
    }

    private static void collect(PartitionEpochs partitions, Map<Uuid, Set<Integer>> into) {
        partitions.forEach((topic, partition, epoch) ->
                into.computeIfAbsent(topic, id -> new TreeSet<>()).add(partition));
    }

    /// Topics that are gone have no name any more, and are left out.
    private static Assignment assignment(Map<Uuid, Set<Integer>> partitions, SubscribedTopics topics) {
        var assignment = new Assignment();
        partitions.forEach((id, indexes) -> {
            var name = topics.name(id);
            if (name != null) {
                assignment
                        .topicPartitions()
                        .add(new TopicPartitions()
                                .setTopicId(id)
                                .setTopicName(name)
                                .setPartitions(List.copyOf(new TreeSet<>(indexes))));
            }
        });
        return assignment;
    }

    // ---- ListGroups ----

    /// The groups in one of these states and of one of these types, in lower case; an empty filter lets all pass.
    List<ListedGroup> list(Set<String> states, Set<String> types) {
        return committed().stream()
                .filter(group -> passes(states, group.stateName()))
                .filter(group -> passes(types, group.type().toString()))
                .map(group -> new ListedGroup()
                        .setGroupId(group.groupId())
                        .setProtocolType(group.protocolTypeName())
                        .setGroupState(group.stateName())
                        .setGroupType(group.type().toString()))
                .toList();
    }

    private static boolean passes(Set<String> filter, String value) {
        return filter.isEmpty() || filter.contains(value.toLowerCase(Locale.ROOT));
    }

    private Collection<Group> committed() {
        return groups.map().committedEntries().stream().map(Map.Entry::getValue).toList();
    }

    // ---- census ----

    GroupCensus census(CommittedOffsets offsets, int mostGroups, int mostOffsets) {
        var named = new ArrayList<GroupCensus.Group>();
        int groupsLeftOff = 0;
        int offsetsLeftOff = 0;
        int room = mostOffsets;
        for (var group : committed()) {
            if (group.isDead()) {
                continue;
            }
            if (named.size() >= mostGroups) {
                groupsLeftOff++;
                continue;
            }
            var committed = offsets.committed(group.groupId());
            var some = committed.size() > room ? committed.subList(0, room) : committed;
            room -= some.size();
            offsetsLeftOff += committed.size() - some.size();
            named.add(new GroupCensus.Group(
                    group.groupId(), group.stateName(), group.protocolTypeName(), group.size(), List.copyOf(some)));
        }
        return new GroupCensus(named, groupsLeftOff, offsetsLeftOff, 0);
    }
}
