package io.moldau.broker.coordinator.group;

import io.moldau.broker.coordinator.group.generated.GroupMetadataKey;
import io.moldau.broker.coordinator.group.generated.GroupMetadataValue;
import io.moldau.broker.coordinator.group.generated.OffsetCommitKey;
import io.moldau.broker.coordinator.group.generated.OffsetCommitValue;
import io.moldau.broker.coordinator.runtime.Completion;
import io.moldau.broker.coordinator.runtime.CoordinatorRecord;
import io.moldau.broker.coordinator.runtime.CoordinatorResult;
import io.moldau.broker.coordinator.runtime.CoordinatorShard;
import io.moldau.broker.coordinator.runtime.Reply;
import io.moldau.broker.coordinator.runtime.Timeline;
import io.moldau.broker.coordinator.runtime.TimerEvent;
import io.moldau.common.Errors;
import io.moldau.common.Invariant;
import io.moldau.common.TopicPartition;
import io.moldau.common.Uuid;
import io.moldau.wire.message.DeleteGroupsResponseData.DeletableGroupResult;
import io.moldau.wire.message.DescribeGroupsResponseData.DescribedGroup;
import io.moldau.wire.message.HeartbeatRequestData;
import io.moldau.wire.message.HeartbeatResponseData;
import io.moldau.wire.message.JoinGroupRequestData;
import io.moldau.wire.message.JoinGroupResponseData;
import io.moldau.wire.message.LeaveGroupRequestData;
import io.moldau.wire.message.LeaveGroupResponseData;
import io.moldau.wire.message.ListGroupsResponseData.ListedGroup;
import io.moldau.wire.message.OffsetCommitRequestData;
import io.moldau.wire.message.OffsetCommitResponseData;
import io.moldau.wire.message.OffsetDeleteRequestData;
import io.moldau.wire.message.OffsetDeleteResponseData;
import io.moldau.wire.message.OffsetFetchRequestData.OffsetFetchRequestGroup;
import io.moldau.wire.message.OffsetFetchResponseData.OffsetFetchResponseGroup;
import io.moldau.wire.message.SyncGroupRequestData;
import io.moldau.wire.message.SyncGroupResponseData;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/// The groups whose ids fall on one partition of `__consumer_offsets`, and their committed offsets.
///
/// A pure state machine: each method takes a request and the time, and returns records, answers and timers. Classic
/// groups are changed by hand and their records only persist them (members come and go without records); offsets change
/// by replay alone. Owned by whoever calls it, one call at a time: the [io.moldau.broker.coordinator.runtime].
public final class GroupShard implements CoordinatorShard {

    private final Timeline timeline = new Timeline();
    private final GroupCoordinatorConfig config;
    private final ClassicGroups groups;
    private final CommittedOffsets offsets;

    public GroupShard(GroupCoordinatorConfig config, RandomGenerator random) {
        this.config = config;
        this.groups = new ClassicGroups(timeline, config, random);
        this.offsets = new CommittedOffsets(timeline, groups, config);
    }

    @Override
    public Timeline timeline() {
        return timeline;
    }

    // ---- members ----

    CoordinatorResult join(
            MemberContext context, JoinGroupRequestData request, Reply<JoinGroupResponseData> reply, long nowMs) {
        var out = new CoordinatorResult.Builder();
        groups.join(context, request, reply, nowMs, out);
        return out.build();
    }

    CoordinatorResult sync(SyncGroupRequestData request, Reply<SyncGroupResponseData> reply, long nowMs) {
        var out = new CoordinatorResult.Builder();
        groups.sync(request, reply, nowMs, out);
        return out.build();
    }

    CoordinatorResult heartbeat(HeartbeatRequestData request, Reply<HeartbeatResponseData> reply) {
        var out = new CoordinatorResult.Builder();
        groups.heartbeat(request, reply, out);
        return out.build();
    }

    /// The members in `request.members()`, whatever the version.
    CoordinatorResult leave(LeaveGroupRequestData request, Reply<LeaveGroupResponseData> reply, long nowMs) {
        var out = new CoordinatorResult.Builder();
        groups.leave(request, reply, nowMs, out);
        return out.build();
    }

    // ---- offsets ----

    CoordinatorResult commitOffsets(
            MemberContext context, OffsetCommitRequestData request, Reply<OffsetCommitResponseData> reply, long nowMs) {
        var out = new CoordinatorResult.Builder();
        offsets.commit(context, request, false, reply, nowMs, out);
        return out.build();
    }

    /// To be run in the transaction's own batch.
    CoordinatorResult commitTransactionalOffsets(
            MemberContext context, OffsetCommitRequestData request, Reply<OffsetCommitResponseData> reply, long nowMs) {
        var out = new CoordinatorResult.Builder();
        offsets.commit(context, request, true, reply, nowMs, out);
        return out.build();
    }

    /// Stable offsets are read from the latest state and answered once that is committed; others are whatever is
    /// committed now.
    CoordinatorResult fetchOffsets(
            OffsetFetchRequestGroup request, boolean requireStable, Reply<OffsetFetchResponseGroup> reply) {
        var response = offsets.fetch(request, !requireStable, requireStable);
        if (!requireStable) {
            return new CoordinatorResult.Builder().answer(reply, response).build();
        }
        return new CoordinatorResult.Builder()
                .then(Completion.answer(
                        reply,
                        response,
                        error -> new OffsetFetchResponseGroup()
                                .setGroupId(request.groupId())
                                .setErrorCode(ClassicGroups.storeError(error).code())))
                .build();
    }

    CoordinatorResult deleteOffsets(OffsetDeleteRequestData request, Reply<OffsetDeleteResponseData> reply) {
        var out = new CoordinatorResult.Builder();
        offsets.delete(request, reply, out);
        return out.build();
    }

    CoordinatorResult onTopicsDeleted(Map<String, Uuid> topics) {
        var out = new CoordinatorResult.Builder().splittable();
        offsets.onTopicsDeleted(topics, out);
        return out.build();
    }

    /// @param currentId the id of a topic that exists, or null; nothing older than what the offsets were committed by
    CoordinatorResult removeOrphanedOffsets(Function<String, @Nullable Uuid> currentId) {
        var out = new CoordinatorResult.Builder().splittable();
        offsets.removeOrphans(currentId, out);
        return out.build();
    }

    // ---- administration ----

    /// @param reportsMissing whether the version has an error for a group that does not exist (KIP-1043); before, it
    ///     is shown as dead
    DescribedGroup describe(String groupId, boolean reportsMissing) {
        var described = new DescribedGroup().setGroupId(groupId);
        var group = groups.map().committed(groupId);
        if (group == null || group.is(ClassicGroupState.DEAD)) {
            described.setGroupState(ClassicGroupState.DEAD.toString());
            return reportsMissing
                    ? described
                            .setErrorCode(Errors.GROUP_ID_NOT_FOUND.code())
                            .setErrorMessage("Group " + groupId + " not found.")
                    : described;
        }
        var protocolName = group.is(ClassicGroupState.STABLE) ? group.protocolName() : null;
        described
                .setGroupState(group.state().toString())
                .setProtocolType(group.protocolType() == null ? "" : group.protocolType())
                .setProtocolData(protocolName == null ? "" : protocolName);
        for (var member : group.members()) {
            described.members().add(member.describe(protocolName));
        }
        return described;
    }

    /// The committed groups in one of these states and types; an empty filter lets everything pass.
    List<ListedGroup> list(Set<String> states, Set<String> types) {
        if (!types.isEmpty() && !types.contains(CLASSIC_TYPE.toLowerCase(Locale.ROOT))) {
            return List.of();
        }
        return groups.map().committedEntries().stream()
                .map(entry -> entry.getValue())
                .filter(group ->
                        states.isEmpty() || states.contains(group.state().lowerCase()))
                .map(group -> new ListedGroup()
                        .setGroupId(group.groupId())
                        .setProtocolType(group.protocolType() == null ? "" : group.protocolType())
                        .setGroupState(group.state().toString())
                        .setGroupType(CLASSIC_TYPE))
                .toList();
    }

    /// The committed groups and offsets.
    ///
    /// @param mostOffsets in all; the first groups get theirs
    GroupCensus census(int mostGroups, int mostOffsets) {
        var named = new ArrayList<GroupCensus.Group>();
        int groupsLeftOff = 0;
        int offsetsLeftOff = 0;
        int room = mostOffsets;
        for (var entry : groups.map().committedEntries()) {
            var group = entry.getValue();
            if (group.is(ClassicGroupState.DEAD)) {
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
                    group.groupId(),
                    group.state().toString(),
                    group.protocolType() == null ? "" : group.protocolType(),
                    group.size(),
                    List.copyOf(some)));
        }
        return new GroupCensus(named, groupsLeftOff, offsetsLeftOff, 0);
    }

    private static final String CLASSIC_TYPE = "classic";

    CoordinatorResult deleteGroup(String groupId, Reply<DeletableGroupResult> reply) {
        var out = new CoordinatorResult.Builder();
        var refused = refuseDelete(groups.find(groupId));
        if (refused != Errors.NONE) {
            return out.answer(reply, deleteResult(groupId, refused)).build();
        }
        offsets.deleteAll(groupId, out);
        out.write(GroupRecords.groupTombstone(groupId));
        return out.then(Completion.answer(
                        reply,
                        deleteResult(groupId, Errors.NONE),
                        error -> deleteResult(groupId, ClassicGroups.storeError(error))))
                .build();
    }

    private static Errors refuseDelete(@Nullable ClassicGroup group) {
        if (group == null) {
            return Errors.GROUP_ID_NOT_FOUND;
        }
        return switch (group.state()) {
            case DEAD -> Errors.GROUP_ID_NOT_FOUND;
            case PREPARING_REBALANCE, COMPLETING_REBALANCE, STABLE -> Errors.NON_EMPTY_GROUP;
            case EMPTY -> Errors.NONE;
        };
    }

    static DeletableGroupResult deleteResult(String groupId, Errors error) {
        var result = new DeletableGroupResult().setGroupId(groupId).setErrorCode(error.code());
        return switch (error) {
            case NONE -> result;
            case GROUP_ID_NOT_FOUND -> result.setErrorMessage("Group " + groupId + " not found.");
            case NON_EMPTY_GROUP ->
                result.setErrorMessage(
                        "Group " + groupId + " has members. Stop them, or remove them, before deleting it.");
            default -> result.setErrorMessage(error.defaultMessage());
        };
    }

    // ---- time ----

    @Override
    public CoordinatorResult onTimer(TimerEvent event, long nowMs) {
        if (!(event instanceof GroupTimer timer)) {
            throw Invariant.unreachable("a group shard does not know the timer " + event);
        }
        var out = new CoordinatorResult.Builder();
        switch (timer) {
            case GroupTimer.SessionTimeout session -> groups.onSessionTimeout(session, nowMs, out);
            case GroupTimer.InitialRebalance initial -> groups.onInitialRebalance(initial, nowMs, out);
            case GroupTimer.JoinTimeout join -> groups.onJoinTimeout(join, nowMs, out);
            case GroupTimer.SyncTimeout sync -> groups.onSyncTimeout(sync, nowMs, out);
            case GroupTimer.Cleanup() -> cleanUp(nowMs, out);
        }
        return out.build();
    }

    private void cleanUp(long nowMs, CoordinatorResult.Builder out) {
        out.splittable();
        for (var entry : groups.map().entries()) {
            var group = entry.getValue();
            boolean nothingLeft = offsets.expire(group, nowMs, out);
            if (nothingLeft && group.is(ClassicGroupState.EMPTY) && group.pendingJoinCount() == 0) {
                out.write(GroupRecords.groupTombstone(group.groupId()));
            }
        }
        offsets.compact();
        out.schedule(new GroupTimer.Cleanup(), config.offsetsRetentionCheckIntervalMs());
    }

    // ---- log ----

    @Override
    public void replay(long producerId, short producerEpoch, CoordinatorRecord record) {
        switch (record.key()) {
            case OffsetCommitKey key -> {
                var partition = new TopicPartition(key.topic(), key.partition());
                if (record.value() == null) {
                    offsets.replay(producerId, key.group(), partition, null);
                } else {
                    // A consumer that assigns partitions to itself has offsets and no other trace of a group.
                    groups.getOrCreate(key.group(), UNKNOWN_TIME);
                    offsets.replay(producerId, key.group(), partition, GroupRecords.offset((OffsetCommitValue)
                            record.value()));
                }
            }
            case GroupMetadataKey key -> {
                if (record.value() == null) {
                    groups.map().remove(key.group());
                } else {
                    groups.map().put(key.group(), GroupRecords.group(key.group(), (GroupMetadataValue) record.value()));
                }
            }
            default -> throw Invariant.unreachable("a record of type " + record.type() + " was decoded for nothing");
        }
    }

    private static final long UNKNOWN_TIME = -1L;

    @Override
    public void replayEndTransaction(long producerId, short producerEpoch, boolean committed) {
        offsets.replayEndTransaction(producerId, committed);
    }

    @Override
    public CoordinatorResult onLoaded(long nowMs) {
        var out = new CoordinatorResult.Builder();
        groups.onLoaded(nowMs, out);
        out.schedule(new GroupTimer.Cleanup(), config.offsetsRetentionCheckIntervalMs());
        return out.build();
    }

    @Override
    public CoordinatorResult onUnloaded(Errors error) {
        var out = new CoordinatorResult.Builder();
        groups.onUnloaded(error, out);
        return out.build();
    }

    // ---- lookups, for metrics and tests ----

    @Nullable
    ClassicGroup group(String groupId) {
        return groups.find(groupId);
    }

    ClassicGroups groups() {
        return groups;
    }

    CommittedOffsets offsets() {
        return offsets;
    }

    int groupCount() {
        return groups.map().size();
    }
}
