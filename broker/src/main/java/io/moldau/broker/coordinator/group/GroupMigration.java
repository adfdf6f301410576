package io.moldau.broker.coordinator.group;

import static io.moldau.broker.coordinator.group.ClassicGroupMember.joinError;
import static io.moldau.broker.coordinator.group.ClassicGroupMember.syncError;

import io.moldau.broker.coordinator.group.consumer.ConsumerGroupMember;
import io.moldau.broker.coordinator.group.consumer.ConsumerGroupRecords;
import io.moldau.broker.coordinator.group.consumer.CurrentAssignment;
import io.moldau.broker.coordinator.group.consumer.EmbeddedProtocol;
import io.moldau.broker.coordinator.group.consumer.MemberMetadata;
import io.moldau.broker.coordinator.group.consumer.MemberState;
import io.moldau.broker.coordinator.group.consumer.PartitionEpochs;
import io.moldau.broker.coordinator.group.consumer.SubscribedTopics;
import io.moldau.broker.coordinator.runtime.CoordinatorResult;
import io.moldau.common.ApiException;
import io.moldau.common.Errors;
import io.moldau.common.Uuid;
import io.moldau.wire.protocol.MalformedMessageException;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/// Moves groups between the protocols while they have members (KIP-848): to the consumer protocol with the first member
/// that speaks it, and back with the last one that goes. All records of a move are in one batch.
final class GroupMigration {

    private final GroupTable groups;
    private final GroupCoordinatorConfig config;
    private final GroupSurroundings surroundings;
    private final ConsumerGroupMemory memory;
    private final ClassicGroups classic;

    GroupMigration(
            GroupTable groups,
            GroupCoordinatorConfig config,
            GroupSurroundings surroundings,
            ConsumerGroupMemory memory,
            ClassicGroups classic) {
        this.groups = groups;
        this.config = config;
        this.surroundings = surroundings;
        this.memory = memory;
        this.classic = classic;
    }

    // ---- to the consumer protocol ----

    /// The classic group as a consumer group, with its members in it.
    ///
    /// @throws ApiException GROUP_ID_NOT_FOUND if it has to stay what it is
    GroupDraft toConsumer(ClassicGroup group, CoordinatorResult.Builder out) {
        if (!group.is(ClassicGroupState.EMPTY)) {
            requireUpgradable(group);
        }
        out.write(GroupRecords.groupTombstone(group.groupId()));
        var draft = new GroupDraft(ConsumerGroup.empty(group.groupId()), out);
        if (group.size() == 0) {
            return draft;
        }
        var topics = new SubscribedTopics(surroundings.image().get());
        var names = new HashSet<String>();
        try {
            for (var member : group.members()) {
                names.addAll(upgrade(group, member, topics, draft));
            }
        } catch (MalformedMessageException malformed) {
            throw staysClassic(group, "what a member says of itself cannot be read: " + malformed.getMessage());
        }
        draft.write(ConsumerGroupRecords.epoch(group.groupId(), group.generationId(), topics.hash(names)));
        draft.write(ConsumerGroupRecords.targetEpoch(group.groupId(), group.generationId(), 0));
        for (var member : group.members()) {
            // The rebalance that has been going on is over; the next one is that of the consumer group.
            group.answerJoin(member, joinError(member.memberId(), Errors.REBALANCE_IN_PROGRESS), out);
            group.answerSync(member, syncError(Errors.REBALANCE_IN_PROGRESS), out);
            out.schedule(new GroupTimer.SessionTimeout(group.groupId(), member.memberId()), member.sessionTimeoutMs());
        }
        out.cancel(new GroupTimer.JoinBarrier(group.groupId()));
        out.cancel(new GroupTimer.SyncBarrier(group.groupId()));
        return draft;
    }

    private void requireUpgradable(ClassicGroup group) {
        if (!config.consumer().migration().allowsUpgrade()) {
            throw staysClassic(group, "the broker's settings do not let groups move to the consumer protocol");
        }
        if (!group.usesConsumerProtocol()) {
            throw staysClassic(group, "its members are no consumers");
        }
        if (group.size() > config.consumer().maxSize()) {
            throw staysClassic(group, "it has more members than a consumer group may have");
        }
    }

    private static ApiException staysClassic(ClassicGroup group, String why) {
        return new ApiException(
                Errors.GROUP_ID_NOT_FOUND, "Group " + group.groupId() + " is a classic group and stays one: " + why);
    }

    /// @return what the member subscribes to
    private static List<String> upgrade(
            ClassicGroup group, ClassicGroupMember member, SubscribedTopics topics, GroupDraft draft) {
        var groupId = group.groupId();
        var subscription = EmbeddedProtocol.subscription(metadata(group, member));
        var assignment = EmbeddedProtocol.assignment(member.assignment());
        var userData = assignment.userData();
        if (userData != null && userData.length > 0) {
            throw staysClassic(group, "its assignor keeps data of its own in the assignment, which would be lost");
        }
        var partitions = new TreeMap<Uuid, Set<Integer>>();
        for (var topic : assignment.assignedPartitions()) {
            var id = topics.id(topic.topic());
            if (id != null && !topic.partitions().isEmpty()) {
                partitions.put(id, new TreeSet<>(topic.partitions()));
            }
        }
        var memberMetadata = MemberMetadata.NONE.updated(
                member.groupInstanceId(),
                subscription.rackId(),
                member.clientId(),
                member.clientHost(),
                subscription.topics(),
                null,
                member.rebalanceTimeoutMs(),
                null,
                new MemberMetadata.Classic(member.sessionTimeoutMs(), member.protocols()));
        int generation = group.generationId();
        draft.write(ConsumerGroupRecords.member(groupId, member.memberId(), memberMetadata));
        draft.write(ConsumerGroupRecords.target(groupId, member.memberId(), partitions));
        draft.write(ConsumerGroupRecords.current(
                groupId,
                member.memberId(),
                new CurrentAssignment(
                        generation,
                        generation,
                        MemberState.STABLE,
                        PartitionEpochs.of(partitions, generation),
                        PartitionEpochs.NONE)));
        return memberMetadata.topics();
    }

    /// In the protocol the group chose. A member that is just joining again may have another, and the first of all has
    /// not chosen yet.
    private static byte[] metadata(ClassicGroup group, ClassicGroupMember member) {
        for (var protocol : member.protocols()) {
            if (protocol.name().equals(group.protocolName())) {
                return protocol.metadata();
            }
        }
        return member.protocols().getFirst().metadata();
    }

    // ---- to the classic protocol ----

    /// Whether the group goes back once these are out of it.
    boolean isDowngrade(ConsumerGroup group, List<ConsumerGroupMember> leaving) {
        int remaining = group.size() - leaving.size();
        if (remaining <= 0 || remaining > config.maxGroupSize()) {
            return false;
        }
        if (!config.consumer().migration().allowsDowngrade()) {
            return false;
        }
        long leavingClassic =
                leaving.stream().filter(ConsumerGroupMember::isClassic).count();
        // A group whose members are all classic is one that has not been able to go back before.
        return group.members().classicCount() - leavingClassic == remaining;
    }

    /// The group without those who leave is a classic one again, whose members are asked to join anew.
    void toClassic(ConsumerGroup group, List<ConsumerGroupMember> leaving, long nowMs, CoordinatorResult.Builder out) {
        for (var member : leaving) {
            memory.cancelTimers(group.groupId(), member.id(), out);
        }
        var gone = new HashSet<String>();
        leaving.forEach(member -> gone.add(member.id()));
        var converted = downgrade(group, group, gone, nowMs, out);
        classic.prepareRebalance(converted, nowMs, out);
    }

    /// A group whose last member of the consumer protocol, a static one, came back in the classic protocol.
    ///
    /// @param before the group as the log has it
    /// @param after the group with the member that came back
    /// @param rebalance whether the members are asked to join anew
    ClassicGroup toClassic(
            ConsumerGroup before, ConsumerGroup after, boolean rebalance, long nowMs, CoordinatorResult.Builder out) {
        var converted = downgrade(before, after, Set.of(), nowMs, out);
        if (rebalance) {
            classic.prepareRebalance(converted, nowMs, out);
        }
        return converted;
    }

    private ClassicGroup downgrade(
            ConsumerGroup before, ConsumerGroup after, Set<String> gone, long nowMs, CoordinatorResult.Builder out) {
        var groupId = before.groupId();
        before.tombstones().forEach(out::write);
        var topics = new SubscribedTopics(surroundings.image().get());
        var converted = new ClassicGroup(
                groupId, ClassicGroupState.STABLE, after.epoch(), EmbeddedProtocol.TYPE, null, null, nowMs);
        for (var member : after.members().all()) {
            if (!gone.contains(member.id())) {
                converted.add(downgrade(after, member, topics), null);
                memory.cancelTimers(groupId, member.id(), out);
            }
        }
        converted.chooseProtocol();
        var assignments = new HashMap<String, byte[]>();
        for (var member : converted.members()) {
            assignments.put(member.memberId(), member.assignment());
            classic.keepAlive(converted, member, out);
        }
        out.withoutReplay().write(GroupRecords.group(converted, assignments));
        groups.map().put(groupId, converted);
        memory.forget(groupId);
        out.then(classic.buriedUnlessStored(converted));
        return converted;
    }

    private static ClassicGroupMember downgrade(
            ConsumerGroup group, ConsumerGroupMember member, SubscribedTopics topics) {
        var metadata = member.metadata();
        var joined = Objects.requireNonNull(metadata.classic(), "a member of the consumer protocol cannot go back");
        var converted = new ClassicGroupMember(
                member.id(),
                metadata.instanceId(),
                metadata.clientId(),
                metadata.clientHost(),
                metadata.rebalanceTimeoutMs(),
                joined.sessionTimeoutMs(),
                EmbeddedProtocol.TYPE,
                joined.protocols());
        converted.assign(EmbeddedProtocol.assignment(
                group.target(member.id()), joined.first().metadata(), topics::name));
        return converted;
    }
}
