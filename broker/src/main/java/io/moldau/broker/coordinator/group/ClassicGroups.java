package io.moldau.broker.coordinator.group;

import static io.moldau.broker.coordinator.group.ClassicGroupMember.joinError;
import static io.moldau.broker.coordinator.group.ClassicGroupMember.syncError;
import static io.moldau.broker.coordinator.group.ClassicGroupState.COMPLETING_REBALANCE;
import static io.moldau.broker.coordinator.group.ClassicGroupState.DEAD;
import static io.moldau.broker.coordinator.group.ClassicGroupState.EMPTY;
import static io.moldau.broker.coordinator.group.ClassicGroupState.PREPARING_REBALANCE;
import static io.moldau.broker.coordinator.group.ClassicGroupState.STABLE;

import io.moldau.broker.coordinator.runtime.Completion;
import io.moldau.broker.coordinator.runtime.CoordinatorResult;
import io.moldau.broker.coordinator.runtime.Reply;
import io.moldau.common.ApiException;
import io.moldau.common.Errors;
import io.moldau.wire.message.HeartbeatRequestData;
import io.moldau.wire.message.HeartbeatResponseData;
import io.moldau.wire.message.JoinGroupRequestData;
import io.moldau.wire.message.JoinGroupResponseData;
import io.moldau.wire.message.LeaveGroupRequestData;
import io.moldau.wire.message.LeaveGroupRequestData.MemberIdentity;
import io.moldau.wire.message.LeaveGroupResponseData;
import io.moldau.wire.message.LeaveGroupResponseData.MemberResponse;
import io.moldau.wire.message.SyncGroupRequestData;
import io.moldau.wire.message.SyncGroupRequestData.SyncGroupRequestAssignment;
import io.moldau.wire.message.SyncGroupResponseData;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/// The classic rebalance protocol: what joins, syncs, heartbeats, leaves and time-outs do to the groups of one shard.
/// Owned by its [GroupShard]; pure.
///
/// Two barriers shape it. Joins wait until every known member has joined (or its time is up); then the generation
/// starts and the leader is told everybody's metadata. Syncs wait until the leader's assignment is committed to the
/// log.
/// A group's members are soft state between those points: only a generation with its assignment is written.
final class ClassicGroups {

    private static final String UNKNOWN_MEMBER = "";

    /// The first version of JoinGroup whose clients come back with the id they are given (KIP-394).
    private static final short KNOWN_MEMBER_ID_VERSION = 4;

    /// The first version in which a leader can be told not to assign anew (KIP-814).
    private static final short SKIP_ASSIGNMENT_VERSION = 9;

    private final GroupTable groups;
    private final GroupCoordinatorConfig config;
    private final GroupEvents events;
    private final RandomGenerator random;

    ClassicGroups(GroupTable groups, GroupCoordinatorConfig config, GroupEvents events, RandomGenerator random) {
        this.groups = groups;
        this.config = config;
        this.events = events;
        this.random = random;
    }

    // ---- join ----

    /// NONE, or why such a request is taken in no group.
    Errors refusal(JoinGroupRequestData request) {
        if (request.groupId().isEmpty()) {
            return Errors.INVALID_GROUP_ID;
        }
        return request.sessionTimeoutMs() < config.minSessionTimeoutMs()
                        || request.sessionTimeoutMs() > config.maxSessionTimeoutMs()
                ? Errors.INVALID_SESSION_TIMEOUT
                : Errors.NONE;
    }

    /// The request has passed [#refusal].
    void join(
            MemberContext context,
            JoinGroupRequestData request,
            Reply<JoinGroupResponseData> reply,
            long nowMs,
            CoordinatorResult.Builder out) {
        var memberId = request.memberId();
        boolean unknownMember = memberId.isEmpty();
        var group = groups.classic(request.groupId());
        boolean newGroup = group == null;
        if (group == null) {
            // Only somebody without an id can found a group: an id means that the member remembers one that is gone.
            if (!unknownMember) {
                out.answer(reply, joinError(memberId, Errors.UNKNOWN_MEMBER_ID));
                return;
            }
            groups.makeRoomForClassic(request.groupId(), out);
            group = groups.createClassic(request.groupId(), nowMs);
        }
        int recordsBefore = out.records().size();
        if (!hasRoomFor(group, memberId)) {
            removeMember(group, memberId, out);
            out.answer(reply, joinError(UNKNOWN_MEMBER, Errors.GROUP_MAX_SIZE_REACHED));
        } else if (unknownMember) {
            joinNew(context, request, group, reply, nowMs, out);
        } else {
            joinExisting(context, request, group, reply, nowMs, out);
        }
        if (newGroup && out.records().size() == recordsBefore) {
            persistNewGroup(group, out);
        }
    }

    /// Writes the bare group, so that it is there for whoever leads the shard next.
    private void persistNewGroup(ClassicGroup group, CoordinatorResult.Builder out) {
        out.withoutReplay().write(GroupRecords.emptyGroup(group)).then(buriedUnlessStored(group));
    }

    /// What is left to do once a group that was put into the table by hand is in the log, or is not.
    Completion buriedUnlessStored(ClassicGroup group) {
        return new Completion() {
            @Override
            public CoordinatorResult onCommitted(long nowMs) {
                return CoordinatorResult.NOTHING;
            }

            @Override
            public CoordinatorResult onFailed(Errors error, long nowMs) {
                // The timeline has taken the group back. Whoever waits in it is told, for nobody else will.
                var rest = new CoordinatorResult.Builder();
                if (groups.find(group.groupId()) != group) {
                    bury(group, storeError(error), nowMs, rest);
                }
                return rest.build();
            }
        };
    }

    /// Whether `group.max.size` lets this member in, or in again.
    private boolean hasRoomFor(ClassicGroup group, String memberId) {
        return switch (group.state()) {
            case EMPTY, DEAD -> true;
            case PREPARING_REBALANCE ->
                (group.has(memberId) && group.member(memberId).isAwaitingJoin())
                        || group.awaitingJoin() < config.maxGroupSize();
            case COMPLETING_REBALANCE, STABLE -> group.has(memberId) || group.size() < config.maxGroupSize();
        };
    }

    private void joinNew(
            MemberContext context,
            JoinGroupRequestData request,
            ClassicGroup group,
            Reply<JoinGroupResponseData> reply,
            long nowMs,
            CoordinatorResult.Builder out) {
        if (group.is(DEAD)) {
            out.answer(reply, joinError(UNKNOWN_MEMBER, Errors.COORDINATOR_NOT_AVAILABLE));
            return;
        }
        if (!group.supports(request.protocolType(), request.protocols())) {
            out.answer(reply, joinError(UNKNOWN_MEMBER, Errors.INCONSISTENT_GROUP_PROTOCOL));
            return;
        }
        var instanceId = request.groupInstanceId();
        var newMemberId = newMemberId(instanceId == null ? context.clientId() : instanceId);
        if (instanceId != null) {
            var existing = group.staticMemberId(instanceId);
            if (existing == null) {
                addMember(context, request, group, newMemberId, reply, nowMs, out);
            } else {
                replaceStaticMember(context, request, group, instanceId, existing, newMemberId, reply, nowMs, out);
            }
        } else if (context.apiVersion() >= KNOWN_MEMBER_ID_VERSION) {
            if (group.pendingJoinCount() >= config.maxPendingMembers()) {
                out.answer(reply, joinError(UNKNOWN_MEMBER, Errors.COORDINATOR_NOT_AVAILABLE));
                return;
            }
            group.addPending(newMemberId);
            out.schedule(new GroupTimer.SessionTimeout(group.groupId(), newMemberId), request.sessionTimeoutMs());
            out.answer(reply, joinError(newMemberId, Errors.MEMBER_ID_REQUIRED));
        } else {
            addMember(context, request, group, newMemberId, reply, nowMs, out);
        }
    }

    private void joinExisting(
            MemberContext context,
            JoinGroupRequestData request,
            ClassicGroup group,
            Reply<JoinGroupResponseData> reply,
            long nowMs,
            CoordinatorResult.Builder out) {
        var memberId = request.memberId();
        if (group.is(DEAD)) {
            out.answer(reply, joinError(memberId, Errors.COORDINATOR_NOT_AVAILABLE));
            return;
        }
        if (!group.supports(request.protocolType(), request.protocols())) {
            out.answer(reply, joinError(memberId, Errors.INCONSISTENT_GROUP_PROTOCOL));
            return;
        }
        if (group.isPending(memberId)) {
            if (request.groupInstanceId() != null) {
                // Ids are only left pending for dynamic members, so this one belongs to somebody else.
                out.answer(reply, joinError(memberId, Errors.UNKNOWN_MEMBER_ID));
                return;
            }
            addMember(context, request, group, memberId, reply, nowMs, out);
            return;
        }
        try {
            group.validateMember(memberId, request.groupInstanceId());
        } catch (ApiException refused) {
            out.answer(reply, joinError(memberId, refused.error()));
            return;
        }
        var member = group.member(memberId);
        switch (group.state()) {
            case PREPARING_REBALANCE -> rejoin(request, group, member, reply, nowMs, out);
            case COMPLETING_REBALANCE -> {
                if (member.matches(request.protocols())) {
                    // Most likely it missed the answer to its join: it gets the same again.
                    out.answer(reply, joinResponse(group, member));
                } else {
                    rejoin(request, group, member, reply, nowMs, out);
                }
            }
            case STABLE -> {
                // A leader that joins again wants a rebalance, say because it saw new partitions.
                if (group.isLeader(memberId) || !member.matches(request.protocols())) {
                    rejoin(request, group, member, reply, nowMs, out);
                } else {
                    out.answer(reply, joinResponse(group, member));
                }
            }
            case EMPTY, DEAD -> out.answer(reply, joinError(memberId, Errors.UNKNOWN_MEMBER_ID));
        }
    }

    private void addMember(
            MemberContext context,
            JoinGroupRequestData request,
            ClassicGroup group,
            String memberId,
            Reply<JoinGroupResponseData> reply,
            long nowMs,
            CoordinatorResult.Builder out) {
        var member = new ClassicGroupMember(
                memberId,
                request.groupInstanceId(),
                context.clientId(),
                context.clientHost(),
                rebalanceTimeoutMs(request),
                request.sessionTimeoutMs(),
                request.protocolType(),
                List.copyOf(request.protocols()));
        member.markNew(true);
        if (group.is(PREPARING_REBALANCE) && group.previousState() == EMPTY) {
            group.markNewMemberAdded(true);
        }
        group.add(member, reply);
        // The member does not know its id until it is answered, so it cannot send heartbeats, and a client that gives
        // up cannot say so either. It is given this long; a client that is still there tries again.
        out.schedule(new GroupTimer.SessionTimeout(group.groupId(), memberId), config.newMemberJoinTimeoutMs());
        rebalanceOrCompleteJoin(group, nowMs, out);
    }

    private void rejoin(
            JoinGroupRequestData request,
            ClassicGroup group,
            ClassicGroupMember member,
            Reply<JoinGroupResponseData> reply,
            long nowMs,
            CoordinatorResult.Builder out) {
        group.update(member, List.copyOf(request.protocols()), rebalanceTimeoutMs(request), request.sessionTimeoutMs());
        group.awaitJoin(member, reply, out);
        rebalanceOrCompleteJoin(group, nowMs, out);
    }

    /// A static member is back without its id (KIP-345). In a stable group it takes over its assignment under a new id,
    /// and nobody else notices.
    private void replaceStaticMember(
            MemberContext context,
            JoinGroupRequestData request,
            ClassicGroup group,
            String instanceId,
            String oldMemberId,
            String newMemberId,
            Reply<JoinGroupResponseData> reply,
            long nowMs,
            CoordinatorResult.Builder out) {
        var leaderBefore = group.leaderId();
        var member = group.replaceStatic(instanceId, oldMemberId, newMemberId, out);
        out.cancel(new GroupTimer.SessionTimeout(group.groupId(), oldMemberId));
        keepAlive(group, member, out);
        var oldProtocols = member.protocols();
        int oldRebalanceTimeoutMs = member.rebalanceTimeoutMs();
        int oldSessionTimeoutMs = member.sessionTimeoutMs();
        group.update(member, List.copyOf(request.protocols()), rebalanceTimeoutMs(request), request.sessionTimeoutMs());
        group.awaitJoin(member, reply, out);
        switch (group.state()) {
            case STABLE -> {
                if (!group.selectProtocol().equals(group.protocolName())) {
                    rebalanceOrCompleteJoin(group, nowMs, out);
                    return;
                }
                int generation = group.generationId();
                boolean skip = context.apiVersion() >= SKIP_ASSIGNMENT_VERSION;
                out.withoutReplay()
                        .write(GroupRecords.group(group, assignments(group)))
                        .then(new Completion() {
                            @Override
                            public CoordinatorResult onCommitted(long now) {
                                var rest = new CoordinatorResult.Builder();
                                if (!isCurrent()) {
                                    return rest.build();
                                }
                                // Before version 9 there is no way to say "skip the assignment", so the old
                                // leader's id is given and nobody takes itself for the leader.
                                boolean leads = skip && group.isLeader(newMemberId);
                                var response = joinResponse(group, member)
                                        .setMembers(leads ? group.joinResponseMembers() : List.of())
                                        .setSkipAssignment(leads);
                                if (!skip) {
                                    response.setLeader(orEmpty(leaderBefore));
                                }
                                group.answerJoin(member, response, rest);
                                return rest.build();
                            }

                            @Override
                            public CoordinatorResult onFailed(Errors error, long now) {
                                var rest = new CoordinatorResult.Builder();
                                if (!isCurrent()) {
                                    return rest.build();
                                }
                                group.answerJoin(
                                        member,
                                        joinError(UNKNOWN_MEMBER, storeError(error))
                                                .setGenerationId(generation)
                                                .setLeader(orEmpty(leaderBefore))
                                                .setProtocolType(group.protocolType())
                                                .setProtocolName(group.protocolName()),
                                        rest);
                                group.update(member, oldProtocols, oldRebalanceTimeoutMs, oldSessionTimeoutMs);
                                var restored = group.replaceStatic(instanceId, newMemberId, oldMemberId, rest);
                                rest.cancel(new GroupTimer.SessionTimeout(group.groupId(), newMemberId));
                                keepAlive(group, restored, rest);
                                return rest.build();
                            }

                            // By now the group may be in another rebalance, which answers whoever waits in it.
                            private boolean isCurrent() {
                                return group.is(STABLE)
                                        && group.generationId() == generation
                                        && newMemberId.equals(group.staticMemberId(instanceId));
                            }
                        });
            }
            // The leader may have been told the old id already, and its assignment would miss the new one.
            case COMPLETING_REBALANCE -> prepareRebalance(group, nowMs, out);
            case PREPARING_REBALANCE -> completeJoinIfAllJoined(group, nowMs, out);
            case EMPTY, DEAD ->
                throw new IllegalStateException(
                        "group " + group.groupId() + " has a static member in state " + group.state());
        }
    }

    // ---- rebalance ----

    private void rebalanceOrCompleteJoin(ClassicGroup group, long nowMs, CoordinatorResult.Builder out) {
        if (group.canRebalance()) {
            prepareRebalance(group, nowMs, out);
        } else {
            completeJoinIfAllJoined(group, nowMs, out);
        }
    }

    /// Does not cut short the wait for the first members of an empty group.
    private void completeJoinIfAllJoined(ClassicGroup group, long nowMs, CoordinatorResult.Builder out) {
        if (group.is(PREPARING_REBALANCE) && group.hasAllMembersJoined() && group.previousState() != EMPTY) {
            completeJoin(group, nowMs, out);
        }
    }

    void prepareRebalance(ClassicGroup group, long nowMs, CoordinatorResult.Builder out) {
        if (group.is(COMPLETING_REBALANCE)) {
            failSyncs(group, Errors.REBALANCE_IN_PROGRESS, out);
        }
        out.cancel(new GroupTimer.SyncBarrier(group.groupId()));
        boolean initial = group.is(EMPTY);
        group.transitionTo(PREPARING_REBALANCE, nowMs);
        if (initial) {
            long delayMs = config.initialRebalanceDelayMs();
            group.markNewMemberAdded(false);
            out.schedule(
                    new GroupTimer.InitialRebalance(
                            group.groupId(), delayMs, Math.max(group.rebalanceTimeoutMs() - delayMs, 0)),
                    delayMs);
        } else if (group.hasAllMembersJoined()) {
            completeJoin(group, nowMs, out);
        } else {
            out.schedule(new GroupTimer.JoinTimeout(group.groupId()), group.rebalanceTimeoutMs());
        }
    }

    void onInitialRebalance(GroupTimer.InitialRebalance timer, long nowMs, CoordinatorResult.Builder out) {
        var group = groups.classic(timer.groupId());
        if (group == null || !group.is(PREPARING_REBALANCE)) {
            return;
        }
        if (group.newMemberAdded() && timer.remainingMs() != 0) {
            group.markNewMemberAdded(false);
            long delayMs = Math.min(config.initialRebalanceDelayMs(), timer.remainingMs());
            long remainingMs = Math.max(timer.remainingMs() - timer.delayMs(), 0);
            out.schedule(new GroupTimer.InitialRebalance(group.groupId(), delayMs, remainingMs), delayMs);
        } else {
            completeJoin(group, nowMs, out);
        }
    }

    void onJoinTimeout(GroupTimer.JoinTimeout timer, long nowMs, CoordinatorResult.Builder out) {
        var group = groups.classic(timer.groupId());
        if (group != null && group.is(PREPARING_REBALANCE)) {
            completeJoin(group, nowMs, out);
        }
    }

    /// The join barrier opens: those who have not joined are out (static members may be late), and the rest form the
    /// next generation.
    private void completeJoin(ClassicGroup group, long nowMs, CoordinatorResult.Builder out) {
        out.cancel(new GroupTimer.JoinBarrier(group.groupId()));
        for (var member : List.copyOf(group.members())) {
            if (!member.isAwaitingJoin() && !member.isStatic()) {
                removeMember(group, member.memberId(), out);
            }
        }
        if (group.size() > 0 && !group.electJoinedLeader()) {
            // Only static members are left and none has joined: wait for them until their sessions end.
            out.schedule(new GroupTimer.JoinTimeout(group.groupId()), group.rebalanceTimeoutMs());
            return;
        }
        group.startNextGeneration(nowMs);
        if (group.is(EMPTY)) {
            out.withoutReplay().write(GroupRecords.group(group, Map.of()));
            return;
        }
        for (var member : group.members()) {
            group.answerJoin(member, joinResponse(group, member), out);
            keepAlive(group, member, out);
            member.markNew(false);
            group.awaitSyncOf(member.memberId());
        }
        out.schedule(new GroupTimer.SyncTimeout(group.groupId(), group.generationId()), group.rebalanceTimeoutMs());
    }

    void onSyncTimeout(GroupTimer.SyncTimeout timer, long nowMs, CoordinatorResult.Builder out) {
        var group = groups.classic(timer.groupId());
        if (group == null
                || group.generationId() != timer.generationId()
                || !(group.is(COMPLETING_REBALANCE) || group.is(STABLE))
                || group.hasAllSyncs()) {
            return;
        }
        for (var memberId : List.copyOf(group.pendingSyncMembers())) {
            removeMember(group, memberId, out);
        }
        prepareRebalance(group, nowMs, out);
    }

    void onSessionTimeout(GroupTimer.SessionTimeout timer, long nowMs, CoordinatorResult.Builder out) {
        var group = groups.classic(timer.groupId());
        if (group == null || group.is(DEAD)) {
            return;
        }
        if (group.isPending(timer.memberId())) {
            group.remove(timer.memberId());
            completeJoinIfAllJoined(group, nowMs, out);
        } else if (group.has(timer.memberId())
                && !group.member(timer.memberId()).isExcusedFromHeartbeat()) {
            removeMember(group, timer.memberId(), out);
            afterRemoval(group, nowMs, out);
        }
    }

    /// Answers whoever waits on behalf of the member, and removes it.
    private void removeMember(ClassicGroup group, String memberId, CoordinatorResult.Builder out) {
        out.cancel(new GroupTimer.SessionTimeout(group.groupId(), memberId));
        if (group.has(memberId)) {
            var member = group.member(memberId);
            group.answerJoin(member, joinError(UNKNOWN_MEMBER, Errors.UNKNOWN_MEMBER_ID), out);
            group.answerSync(member, syncError(Errors.UNKNOWN_MEMBER_ID), out);
        }
        group.remove(memberId);
    }

    private void afterRemoval(ClassicGroup group, long nowMs, CoordinatorResult.Builder out) {
        switch (group.state()) {
            case STABLE, COMPLETING_REBALANCE -> rebalanceOrCompleteJoin(group, nowMs, out);
            case PREPARING_REBALANCE -> completeJoinIfAllJoined(group, nowMs, out);
            case EMPTY, DEAD -> {}
        }
    }

    // ---- sync ----

    void sync(
            SyncGroupRequestData request,
            Reply<SyncGroupResponseData> reply,
            long nowMs,
            CoordinatorResult.Builder out) {
        if (request.groupId().isEmpty()) {
            out.answer(reply, syncError(Errors.INVALID_GROUP_ID));
            return;
        }
        var group = groups.classic(request.groupId());
        if (group == null) {
            out.answer(reply, syncError(Errors.UNKNOWN_MEMBER_ID));
            return;
        }
        var refused = refuseSync(group, request);
        if (refused != Errors.NONE) {
            out.answer(reply, syncError(refused));
            return;
        }
        var member = group.member(request.memberId());
        switch (group.state()) {
            case EMPTY, DEAD -> out.answer(reply, syncError(Errors.UNKNOWN_MEMBER_ID));
            case PREPARING_REBALANCE -> out.answer(reply, syncError(Errors.REBALANCE_IN_PROGRESS));
            case COMPLETING_REBALANCE -> {
                group.awaitSync(member, reply, out);
                forgetPendingSync(group, member.memberId(), out);
                if (group.isLeader(member.memberId()) && !group.isStoringAssignment()) {
                    storeAssignment(group, request.assignments(), out);
                }
            }
            case STABLE -> {
                forgetPendingSync(group, member.memberId(), out);
                out.answer(reply, syncResponse(group, member));
                keepAlive(group, member, out);
            }
        }
    }

    private static Errors refuseSync(ClassicGroup group, SyncGroupRequestData request) {
        if (group.is(DEAD)) {
            return Errors.COORDINATOR_NOT_AVAILABLE;
        }
        try {
            group.validateMember(request.memberId(), request.groupInstanceId());
            group.validateGeneration(request.generationId());
        } catch (ApiException refused) {
            return refused.error();
        }
        boolean consistent = isNullOrEqual(request.protocolType(), group.protocolType())
                && isNullOrEqual(request.protocolName(), group.protocolName());
        return consistent ? Errors.NONE : Errors.INCONSISTENT_GROUP_PROTOCOL;
    }

    private static boolean isNullOrEqual(@Nullable String asked, @Nullable String actual) {
        return asked == null || asked.equals(actual);
    }

    private static void forgetPendingSync(ClassicGroup group, String memberId, CoordinatorResult.Builder out) {
        group.pendingSyncMembers().remove(memberId);
        if (group.hasAllSyncs()) {
            out.cancel(new GroupTimer.SyncBarrier(group.groupId()));
        }
    }

    /// Writes the leader's assignment; the syncs are answered once it is committed.
    private void storeAssignment(
            ClassicGroup group, List<SyncGroupRequestAssignment> given, CoordinatorResult.Builder out) {
        var assignments = new HashMap<String, byte[]>();
        for (var assignment : given) {
            assignments.put(assignment.memberId(), assignment.assignment());
        }
        int generation = group.generationId();
        group.storesAssignment();
        out.withoutReplay().write(GroupRecords.group(group, assignments)).then(new Completion() {
            @Override
            public CoordinatorResult onCommitted(long nowMs) {
                var rest = new CoordinatorResult.Builder();
                if (isCurrent()) {
                    for (var member : group.members()) {
                        member.assign(assignments.getOrDefault(member.memberId(), ClassicGroupMember.NO_BYTES));
                    }
                    group.transitionTo(STABLE, nowMs);
                    events.rebalance(Group.Type.CLASSIC);
                    for (var member : group.members()) {
                        if (group.answerSync(member, syncResponse(group, member), rest)) {
                            keepAlive(group, member, rest);
                        }
                    }
                }
                return rest.build();
            }

            @Override
            public CoordinatorResult onFailed(Errors error, long nowMs) {
                var rest = new CoordinatorResult.Builder();
                if (isCurrent()) {
                    failSyncs(group, storeError(error), rest);
                    rebalanceOrCompleteJoin(group, nowMs, rest);
                }
                return rest.build();
            }

            // While the record was on its way, somebody may have joined and begun the next generation.
            private boolean isCurrent() {
                return group.is(COMPLETING_REBALANCE) && group.generationId() == generation;
            }
        });
    }

    /// The generation gets no assignment: whoever waits for one is told, and may join again.
    private void failSyncs(ClassicGroup group, Errors error, CoordinatorResult.Builder out) {
        for (var member : group.members()) {
            member.assign(ClassicGroupMember.NO_BYTES);
            if (group.answerSync(member, syncError(error), out)) {
                keepAlive(group, member, out);
            }
        }
    }

    // ---- heartbeat ----

    void heartbeat(HeartbeatRequestData request, Reply<HeartbeatResponseData> reply, CoordinatorResult.Builder out) {
        out.answer(
                reply,
                new HeartbeatResponseData().setErrorCode(heartbeat(request, out).code()));
    }

    private Errors heartbeat(HeartbeatRequestData request, CoordinatorResult.Builder out) {
        if (request.groupId().isEmpty()) {
            return Errors.INVALID_GROUP_ID;
        }
        var group = groups.classic(request.groupId());
        if (group == null) {
            return Errors.UNKNOWN_MEMBER_ID;
        }
        if (group.is(DEAD)) {
            return Errors.COORDINATOR_NOT_AVAILABLE;
        }
        try {
            group.validateMember(request.memberId(), request.groupInstanceId());
            group.validateGeneration(request.generationId());
        } catch (ApiException refused) {
            return refused.error();
        }
        return switch (group.state()) {
            case EMPTY, DEAD -> Errors.UNKNOWN_MEMBER_ID;
            case PREPARING_REBALANCE -> {
                keepAlive(group, group.member(request.memberId()), out);
                yield Errors.REBALANCE_IN_PROGRESS;
            }
            // Heartbeats may begin before the sync is answered.
            case COMPLETING_REBALANCE, STABLE -> {
                keepAlive(group, group.member(request.memberId()), out);
                yield Errors.NONE;
            }
        };
    }

    void keepAlive(ClassicGroup group, ClassicGroupMember member, CoordinatorResult.Builder out) {
        out.schedule(new GroupTimer.SessionTimeout(group.groupId(), member.memberId()), member.sessionTimeoutMs());
    }

    /// As a heartbeat, if the group has this member.
    void keepAlive(ClassicGroup group, String memberId, CoordinatorResult.Builder out) {
        if (!memberId.isEmpty() && group.has(memberId)) {
            keepAlive(group, group.member(memberId), out);
        }
    }

    // ---- leave ----

    void leave(
            LeaveGroupRequestData request,
            Reply<LeaveGroupResponseData> reply,
            long nowMs,
            CoordinatorResult.Builder out) {
        if (request.groupId().isEmpty()) {
            out.answer(reply, leaveError(Errors.INVALID_GROUP_ID));
            return;
        }
        var group = groups.classic(request.groupId());
        if (group != null && group.is(DEAD)) {
            out.answer(reply, leaveError(Errors.COORDINATOR_NOT_AVAILABLE));
            return;
        }
        var responses = new ArrayList<MemberResponse>();
        boolean anybodyLeft = false;
        for (var leaving : request.members()) {
            var error = group == null ? Errors.UNKNOWN_MEMBER_ID : leave(group, leaving, out);
            anybodyLeft |= error == Errors.NONE;
            responses.add(new MemberResponse()
                    .setMemberId(leaving.memberId())
                    .setGroupInstanceId(leaving.groupInstanceId())
                    .setErrorCode(error.code()));
        }
        if (anybodyLeft && group != null) {
            afterRemoval(group, nowMs, out);
        }
        out.then(Completion.answer(
                reply, new LeaveGroupResponseData().setMembers(responses), error -> leaveError(storeError(error))));
    }

    private Errors leave(ClassicGroup group, MemberIdentity leaving, CoordinatorResult.Builder out) {
        var instanceId = leaving.groupInstanceId();
        if (leaving.memberId().isEmpty()) {
            // An administrator knows a static member by its instance only.
            var memberId = instanceId == null ? null : group.staticMemberId(instanceId);
            if (memberId == null) {
                return Errors.UNKNOWN_MEMBER_ID;
            }
            removeMember(group, memberId, out);
            return Errors.NONE;
        }
        if (!group.isPending(leaving.memberId())) {
            try {
                group.validateMember(leaving.memberId(), instanceId);
            } catch (ApiException refused) {
                return refused.error();
            }
        }
        removeMember(group, leaving.memberId(), out);
        return Errors.NONE;
    }

    private static LeaveGroupResponseData leaveError(Errors error) {
        return new LeaveGroupResponseData().setErrorCode(error.code());
    }

    // ---- life of the shard ----

    void onLoaded(long nowMs, CoordinatorResult.Builder out) {
        for (var it : groups.map().values()) {
            if (it instanceof ClassicGroup group) {
                for (var member : group.members()) {
                    keepAlive(group, member, out);
                }
                if (group.size() > config.maxGroupSize()) {
                    prepareRebalance(group, nowMs, out);
                }
            }
        }
    }

    void onUnloaded(Errors error, CoordinatorResult.Builder out) {
        for (var it : groups.map().values()) {
            if (it instanceof ClassicGroup group) {
                bury(group, error, group.stateSinceMs(), out);
            }
        }
    }

    /// The group is gone from this shard: whoever waits in it is told why.
    private static void bury(ClassicGroup group, Errors error, long nowMs, CoordinatorResult.Builder out) {
        group.transitionTo(DEAD, nowMs);
        for (var member : group.members()) {
            group.answerJoin(member, joinError(member.memberId(), error), out);
            group.answerSync(member, syncError(error), out);
        }
    }

    // ---- shared ----

    private static JoinGroupResponseData joinResponse(ClassicGroup group, ClassicGroupMember member) {
        return new JoinGroupResponseData()
                .setMemberId(member.memberId())
                .setMembers(group.isLeader(member.memberId()) ? group.joinResponseMembers() : List.of())
                .setGenerationId(group.generationId())
                .setProtocolType(group.protocolType())
                .setProtocolName(group.protocolName())
                .setLeader(orEmpty(group.leaderId()));
    }

    private static SyncGroupResponseData syncResponse(ClassicGroup group, ClassicGroupMember member) {
        return new SyncGroupResponseData()
                .setProtocolType(group.protocolType())
                .setProtocolName(group.protocolName())
                .setAssignment(member.assignment());
    }

    private static Map<String, byte[]> assignments(ClassicGroup group) {
        var assignments = new HashMap<String, byte[]>();
        for (var member : group.members()) {
            assignments.put(member.memberId(), member.assignment());
        }
        return assignments;
    }

    static int rebalanceTimeoutMs(JoinGroupRequestData request) {
        return request.rebalanceTimeoutMs() == -1 ? request.sessionTimeoutMs() : request.rebalanceTimeoutMs();
    }

    private String newMemberId(String prefix) {
        // Same shape as Kafka's: tools show these ids, and people cut the name off at the first dash of the UUID.
        long high = (random.nextLong() & 0xFFFFFFFFFFFF0FFFL) | 0x4000L;
        long low = (random.nextLong() & 0x3FFFFFFFFFFFFFFFL) | 0x8000000000000000L;
        return prefix + "-" + new UUID(high, low);
    }

    private static String orEmpty(@Nullable String text) {
        return text == null ? "" : text;
    }

    /// What a member is told when its group's record could not be stored.
    static Errors storeError(Errors error) {
        return switch (error) {
            case UNKNOWN_TOPIC_OR_PARTITION, NOT_ENOUGH_REPLICAS, NOT_ENOUGH_REPLICAS_AFTER_APPEND, REQUEST_TIMED_OUT ->
                Errors.COORDINATOR_NOT_AVAILABLE;
            case NOT_LEADER_OR_FOLLOWER, KAFKA_STORAGE_ERROR -> Errors.NOT_COORDINATOR;
            case MESSAGE_TOO_LARGE, RECORD_LIST_TOO_LARGE, INVALID_FETCH_SIZE -> Errors.UNKNOWN_SERVER_ERROR;
            default -> error;
        };
    }
}
