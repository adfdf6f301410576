package io.moldau.broker.coordinator.group;

import static io.moldau.broker.coordinator.group.ClassicGroupMember.joinError;
import static io.moldau.broker.coordinator.group.ClassicGroupMember.syncError;

import io.moldau.broker.coordinator.group.consumer.ConsumerGroupMember;
import io.moldau.broker.coordinator.group.consumer.EmbeddedProtocol;
import io.moldau.broker.coordinator.group.consumer.MemberMetadata;
import io.moldau.broker.coordinator.group.consumer.MemberState;
import io.moldau.broker.coordinator.group.consumer.PartitionEpochs;
import io.moldau.broker.coordinator.runtime.Completion;
import io.moldau.broker.coordinator.runtime.CoordinatorResult;
import io.moldau.broker.coordinator.runtime.Reply;
import io.moldau.common.ApiException;
import io.moldau.common.Errors;
import io.moldau.common.Uuid;
import io.moldau.wire.message.ConsumerProtocolSubscription;
import io.moldau.wire.message.HeartbeatRequestData;
import io.moldau.wire.message.HeartbeatResponseData;
import io.moldau.wire.message.JoinGroupRequestData;
import io.moldau.wire.message.JoinGroupResponseData;
import io.moldau.wire.message.LeaveGroupRequestData;
import io.moldau.wire.message.LeaveGroupRequestData.MemberIdentity;
import io.moldau.wire.message.LeaveGroupResponseData;
import io.moldau.wire.message.LeaveGroupResponseData.MemberResponse;
import io.moldau.wire.message.SyncGroupRequestData;
import io.moldau.wire.message.SyncGroupResponseData;
import io.moldau.wire.protocol.MalformedMessageException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/// Members that speak the classic protocol in a consumer group (KIP-848): their joins and syncs are answered at once,
/// for the assignment is made here and not by one of them, and what heartbeats are told by the consumer protocol they
/// are told by having to join again. Owned by its [GroupShard]; pure.
final class ClassicMembers {

    /// The first version of JoinGroup whose clients come back with the id they are given (KIP-394).
    private static final short KNOWN_MEMBER_ID_VERSION = 4;

    private final ConsumerGroups groups;
    private final ConsumerGroupConfig config;
    private final ConsumerGroupMemory memory;
    private final ConsumerGroupPlanner planner;
    private final GroupMigration migration;
    private final RandomGenerator random;

    ClassicMembers(
            ConsumerGroups groups,
            ConsumerGroupConfig config,
            ConsumerGroupMemory memory,
            ConsumerGroupPlanner planner,
            GroupMigration migration,
            RandomGenerator random) {
        this.groups = groups;
        this.config = config;
        this.memory = memory;
        this.planner = planner;
        this.migration = migration;
        this.random = random;
    }

    // ---- join ----

    /// @throws ApiException what the member is told instead
    void join(
            ConsumerGroup group,
            MemberContext context,
            JoinGroupRequestData request,
            Reply<JoinGroupResponseData> reply,
            Reply<RegexQuestion> regexes,
            long nowMs,
            CoordinatorResult.Builder out) {
        boolean isUnknown = request.memberId().isEmpty();
        requireSupported(group, request);
        groups.requireRoom(group, request.memberId());
        var instanceId = request.groupInstanceId();
        var memberId = isUnknown ? Uuid.random(random).toString() : request.memberId();
        if (isUnknown && instanceId == null && context.apiVersion() >= KNOWN_MEMBER_ID_VERSION) {
            out.answer(reply, joinError(memberId, Errors.MEMBER_ID_REQUIRED));
            return;
        }
        var subscription = subscription(request);
        var draft = new GroupDraft(group, out);
        // Who has been sent away with an id comes back with it; static members get theirs at once.
        boolean joins = isUnknown || instanceId == null;
        var before = planner.admit(draft, memberId, -1, instanceId, null, joins, true);
        var metadata = before.metadata()
                .updated(
                        instanceId,
                        subscription.rackId(),
                        context.clientId(),
                        context.clientHost(),
                        subscription.topics(),
                        "",
                        ClassicGroups.rebalanceTimeoutMs(request),
                        null,
                        new MemberMetadata.Classic(request.sessionTimeoutMs(), List.copyOf(request.protocols())));
        planner.refreshGroup(draft, before, metadata, regexes, nowMs);
        if (isLastOfItsProtocol(group, instanceId, draft.group())) {
            rejoinAsClassic(group, draft.group(), memberId, reply, nowMs, out);
            return;
        }
        planner.assignIfDue(draft, nowMs);
        var member = planner.reconcile(draft, memberId, owned(subscription), false);
        memory.hasRejoined(group.groupId(), memberId, out);
        groups.keepAlive(group.groupId(), member, out);
        out.schedule(
                new GroupTimer.FetchAssignmentTimeout(group.groupId(), memberId),
                member.metadata().rebalanceTimeoutMs());
        out.then(Completion.answer(
                reply,
                new JoinGroupResponseData()
                        .setMemberId(memberId)
                        .setGenerationId(member.epoch())
                        .setProtocolType(EmbeddedProtocol.TYPE)
                        .setProtocolName(classic(member).first().name()),
                error -> joinError(memberId, ClassicGroups.storeError(error))));
    }

    private void requireSupported(ConsumerGroup group, JoinGroupRequestData request) {
        if (config.migration() == ConsumerGroupConfig.MigrationPolicy.DISABLED) {
            throw new ApiException(
                    Errors.INCONSISTENT_GROUP_PROTOCOL,
                    "Members of the classic protocol cannot join consumer group " + group.groupId() + ".");
        }
        if (!request.protocolType().equals(EmbeddedProtocol.TYPE)
                || request.protocols().isEmpty()) {
            throw new ApiException(Errors.INCONSISTENT_GROUP_PROTOCOL);
        }
        var names = new TreeSet<String>();
        request.protocols().forEach(protocol -> names.add(protocol.name()));
        for (var member : group.members().all()) {
            var joined = member.metadata().classic();
            if (joined != null && !member.id().equals(request.memberId())) {
                names.retainAll(joined.protocols().stream()
                        .map(protocol -> protocol.name())
                        .toList());
            }
        }
        if (names.isEmpty()) {
            // Should the group go back to the classic protocol, there would be none they could agree on.
            throw new ApiException(Errors.INCONSISTENT_GROUP_PROTOCOL);
        }
    }

    private static ConsumerProtocolSubscription subscription(JoinGroupRequestData request) {
        try {
            return EmbeddedProtocol.subscription(request.protocols().getFirst().metadata());
        } catch (MalformedMessageException malformed) {
            throw new ApiException(Errors.INCONSISTENT_GROUP_PROTOCOL, String.valueOf(malformed.getMessage()));
        }
    }

    private Map<Uuid, Set<Integer>> owned(ConsumerProtocolSubscription subscription) {
        var topics = planner.topics();
        var owned = new TreeMap<Uuid, Set<Integer>>();
        for (var topic : subscription.ownedPartitions()) {
            var id = topics.id(topic.topic());
            if (id != null) {
                owned.computeIfAbsent(id, it -> new TreeSet<>()).addAll(topic.partitions());
            }
        }
        return owned;
    }

    /// Whether a static member has just come back in the classic protocol that was the last one in the other.
    private boolean isLastOfItsProtocol(ConsumerGroup before, @Nullable String instanceId, ConsumerGroup after) {
        var holder = instanceId == null ? null : before.members().ofInstance(instanceId);
        return holder != null && !holder.isClassic() && migration.isDowngrade(after, List.of());
    }

    private void rejoinAsClassic(
            ConsumerGroup before,
            ConsumerGroup after,
            String memberId,
            Reply<JoinGroupResponseData> reply,
            long nowMs,
            CoordinatorResult.Builder out) {
        // What has been planned for the consumer group is for nothing.
        out.records().clear();
        var converted = migration.toClassic(before, after, after.epoch() > after.assignmentEpoch(), nowMs, out);
        out.then(Completion.answer(
                reply,
                new JoinGroupResponseData()
                        .setMemberId(memberId)
                        .setGenerationId(converted.generationId())
                        .setProtocolType(EmbeddedProtocol.TYPE)
                        .setProtocolName(converted.protocolName()),
                error -> joinError(memberId, ClassicGroups.storeError(error))));
    }

    // ---- sync ----

    /// @throws ApiException what the member is told instead
    void sync(
            ConsumerGroup group,
            SyncGroupRequestData request,
            Reply<SyncGroupResponseData> reply,
            CoordinatorResult.Builder out) {
        var member = member(group, request.memberId(), request.groupInstanceId(), request.generationId());
        var protocol = classic(member).first();
        if ((request.protocolType() != null && !request.protocolType().equals(EmbeddedProtocol.TYPE))
                || (request.protocolName() != null && !request.protocolName().equals(protocol.name()))) {
            throw new ApiException(Errors.INCONSISTENT_GROUP_PROTOCOL);
        }
        if (group.assignmentEpoch() > member.epoch() && !member.current().is(MemberState.UNREVOKED_PARTITIONS)) {
            askToRejoin(group, member, out);
            out.answer(reply, syncError(Errors.REBALANCE_IN_PROGRESS));
            return;
        }
        out.cancel(new GroupTimer.FetchAssignmentTimeout(group.groupId(), member.id()));
        groups.keepAlive(group.groupId(), member, out);
        var topics = planner.topics();
        out.then(Completion.answer(
                reply,
                new SyncGroupResponseData()
                        .setProtocolType(EmbeddedProtocol.TYPE)
                        .setProtocolName(protocol.name())
                        .setAssignment(EmbeddedProtocol.assignment(
                                partitions(member.current().assigned()), protocol.metadata(), topics::name)),
                error -> syncError(ClassicGroups.storeError(error))));
    }

    private static Map<Uuid, Set<Integer>> partitions(PartitionEpochs assigned) {
        var partitions = new TreeMap<Uuid, Set<Integer>>();
        assigned.byTopic().forEach((topic, epochs) -> partitions.put(topic, epochs.keySet()));
        return partitions;
    }

    // ---- heartbeat ----

    /// @throws ApiException what the member is told instead
    void heartbeat(
            ConsumerGroup group,
            HeartbeatRequestData request,
            Reply<HeartbeatResponseData> reply,
            CoordinatorResult.Builder out) {
        var member = member(group, request.memberId(), request.groupInstanceId(), request.generationId());
        groups.keepAlive(group.groupId(), member, out);
        var error = Errors.NONE;
        boolean mayGoOn = member.current().is(MemberState.UNRELEASED_PARTITIONS) && !isWaiting(group, member);
        if (member.epoch() < group.assignmentEpoch()
                || member.current().is(MemberState.UNREVOKED_PARTITIONS)
                || mayGoOn
                || isForgotten(group)) {
            error = Errors.REBALANCE_IN_PROGRESS;
            askToRejoin(group, member, out);
        }
        out.answer(reply, new HeartbeatResponseData().setErrorCode(error.code()));
    }

    /// An assignment that was put off is made when somebody says something again, which members of this protocol do by
    /// joining only. Nobody else is there where the settings keep a group from going back.
    private static boolean isForgotten(ConsumerGroup group) {
        return group.epoch() > group.assignmentEpoch() && group.members().classicCount() == group.size();
    }

    /// Whether something that the member is to have is still with another.
    private static boolean isWaiting(ConsumerGroup group, ConsumerGroupMember member) {
        for (var topic : group.target(member.id()).entrySet()) {
            for (int partition : topic.getValue()) {
                if (!member.current().assigned().contains(topic.getKey(), partition)
                        && group.members().owner(topic.getKey(), partition) != null) {
                    return true;
                }
            }
        }
        return false;
    }

    private void askToRejoin(ConsumerGroup group, ConsumerGroupMember member, CoordinatorResult.Builder out) {
        memory.askToRejoin(group.groupId(), member.id(), member.metadata().rebalanceTimeoutMs(), out);
    }

    /// @throws ApiException UNKNOWN_MEMBER_ID, FENCED_INSTANCE_ID or ILLEGAL_GENERATION
    private static ConsumerGroupMember member(
            ConsumerGroup group, String memberId, @Nullable String instanceId, int generation) {
        var member = group.member(memberId, instanceId);
        if (!member.isClassic()) {
            throw new ApiException(
                    Errors.UNKNOWN_MEMBER_ID, "Member " + memberId + " does not speak the classic protocol.");
        }
        if (member.epoch() != generation) {
            throw new ApiException(
                    Errors.ILLEGAL_GENERATION,
                    "Member " + memberId + " is in generation " + member.epoch() + ", not " + generation + ".");
        }
        return member;
    }

    private static MemberMetadata.Classic classic(ConsumerGroupMember member) {
        return Objects.requireNonNull(member.metadata().classic(), "not a member of the classic protocol");
    }

    // ---- leave ----

    /// Removes members of either protocol: administrators know no difference.
    void leave(
            ConsumerGroup group,
            LeaveGroupRequestData request,
            Reply<LeaveGroupResponseData> reply,
            long nowMs,
            CoordinatorResult.Builder out) {
        var leaving = new TreeMap<String, ConsumerGroupMember>();
        var responses = new ArrayList<MemberResponse>();
        for (var identity : request.members()) {
            var response = new MemberResponse()
                    .setMemberId(identity.memberId())
                    .setGroupInstanceId(identity.groupInstanceId());
            try {
                var member = leaving(group, identity);
                leaving.put(member.id(), member);
            } catch (ApiException refused) {
                response.setErrorCode(refused.error().code());
            }
            responses.add(response);
        }
        groups.remove(group, List.copyOf(leaving.values()), nowMs, out);
        out.then(Completion.answer(
                reply,
                new LeaveGroupResponseData().setMembers(responses),
                error -> new LeaveGroupResponseData()
                        .setErrorCode(ClassicGroups.storeError(error).code())));
    }

    private static ConsumerGroupMember leaving(ConsumerGroup group, MemberIdentity identity) {
        var instanceId = identity.groupInstanceId();
        return instanceId != null && identity.memberId().isEmpty()
                ? group.instance(instanceId)
                : group.member(identity.memberId(), instanceId);
    }
}
