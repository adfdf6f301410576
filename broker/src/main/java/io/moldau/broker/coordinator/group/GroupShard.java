package io.moldau.broker.coordinator.group;

import static io.moldau.broker.coordinator.group.ClassicGroupMember.joinError;
import static io.moldau.broker.coordinator.group.ClassicGroupMember.syncError;

import io.moldau.broker.coordinator.group.consumer.ResolvedRegex;
import io.moldau.broker.coordinator.group.generated.ConsumerGroupCurrentMemberAssignmentKey;
import io.moldau.broker.coordinator.group.generated.ConsumerGroupMemberMetadataKey;
import io.moldau.broker.coordinator.group.generated.ConsumerGroupMetadataKey;
import io.moldau.broker.coordinator.group.generated.ConsumerGroupPartitionMetadataKey;
import io.moldau.broker.coordinator.group.generated.ConsumerGroupRegularExpressionKey;
import io.moldau.broker.coordinator.group.generated.ConsumerGroupTargetAssignmentMemberKey;
import io.moldau.broker.coordinator.group.generated.ConsumerGroupTargetAssignmentMetadataKey;
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
import io.moldau.common.ApiException;
import io.moldau.common.Errors;
import io.moldau.common.Invariant;
import io.moldau.common.TopicPartition;
import io.moldau.common.Uuid;
import io.moldau.wire.message.ConsumerGroupHeartbeatRequestData;
import io.moldau.wire.message.ConsumerGroupHeartbeatResponseData;
import io.moldau.wire.message.DeleteGroupsResponseData.DeletableGroupResult;
import io.moldau.wire.message.HeartbeatRequestData;
import io.moldau.wire.message.HeartbeatResponseData;
import io.moldau.wire.message.JoinGroupRequestData;
import io.moldau.wire.message.JoinGroupResponseData;
import io.moldau.wire.message.LeaveGroupRequestData;
import io.moldau.wire.message.LeaveGroupResponseData;
import io.moldau.wire.message.OffsetCommitRequestData;
import io.moldau.wire.message.OffsetCommitResponseData;
import io.moldau.wire.message.OffsetDeleteRequestData;
import io.moldau.wire.message.OffsetDeleteResponseData;
import io.moldau.wire.message.OffsetFetchRequestData.OffsetFetchRequestGroup;
import io.moldau.wire.message.OffsetFetchResponseData.OffsetFetchResponseGroup;
import io.moldau.wire.message.SyncGroupRequestData;
import io.moldau.wire.message.SyncGroupResponseData;
import java.util.Map;
import java.util.Set;
import java.util.function.BiFunction;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/// The groups whose ids fall on one partition of `__consumer_offsets`, and their committed offsets.
///
/// A pure state machine: each method takes a request and the time, and returns records, answers and timers. Classic
/// groups are changed by hand and their records only persist them (members come and go without records); consumer
/// groups and offsets change by replay alone. Owned by whoever calls it, one call at a time: the
/// [io.moldau.broker.coordinator.runtime].
public final class GroupShard implements CoordinatorShard {

    private final Timeline timeline = new Timeline();
    private final GroupCoordinatorConfig config;
    private final GroupTable groups;
    private final ClassicGroups classic;
    private final ConsumerGroups consumers;
    private final ClassicMembers classicMembers;
    private final GroupDescriber describer;
    private final CommittedOffsets offsets;

    public GroupShard(GroupCoordinatorConfig config, RandomGenerator random, GroupSurroundings surroundings) {
        this.config = config;
        this.groups = new GroupTable(timeline);
        this.classic = new ClassicGroups(groups, config, surroundings.events(), random);
        var memory = new ConsumerGroupMemory();
        var planner = new ConsumerGroupPlanner(config.consumer(), surroundings, memory);
        var migration = new GroupMigration(groups, config, surroundings, memory, classic);
        this.consumers =
                new ConsumerGroups(groups, config.consumer(), surroundings, memory, planner, migration, random);
        this.classicMembers = new ClassicMembers(consumers, config.consumer(), memory, planner, migration, random);
        this.describer = new GroupDescriber(groups, planner);
        this.offsets = new CommittedOffsets(timeline, groups, classic, config);
    }

    /// Plans an operation; where it is refused, nothing of the plan remains.
    private static <T> CoordinatorResult planned(
            Reply<T> reply, BiFunction<Errors, @Nullable String, T> error, Consumer<CoordinatorResult.Builder> plan) {
        var out = new CoordinatorResult.Builder();
        try {
            plan.accept(out);
        } catch (ApiException refused) {
            return new CoordinatorResult.Builder()
                    .answer(reply, error.apply(refused.error(), refused.getMessage()))
                    .build();
        }
        return out.build();
    }

    /// The consumer group with members that a request of the classic protocol is about, if it is about one.
    private @Nullable ConsumerGroup populatedConsumerGroup(String groupId) {
        var group = groups.consumer(groupId);
        return group == null || group.members().isEmpty() ? null : group;
    }

    @Override
    public Timeline timeline() {
        return timeline;
    }

    // ---- members ----

    /// @param regexes where the expressions of a group's other members are looked up
    CoordinatorResult join(
            MemberContext context,
            JoinGroupRequestData request,
            Reply<JoinGroupResponseData> reply,
            Reply<RegexQuestion> regexes,
            long nowMs) {
        return planned(reply, (error, text) -> joinError("", error), out -> {
            var refused = classic.refusal(request);
            var group = populatedConsumerGroup(request.groupId());
            if (refused != Errors.NONE) {
                out.answer(reply, joinError(request.memberId(), refused));
            } else if (group == null) {
                classic.join(context, request, reply, nowMs, out);
                if (groups.consumer(request.groupId()) == null) {
                    consumers.forget(request.groupId());
                }
            } else {
                classicMembers.join(group, context, request, reply, regexes, nowMs, out);
            }
        });
    }

    CoordinatorResult sync(SyncGroupRequestData request, Reply<SyncGroupResponseData> reply, long nowMs) {
        return planned(reply, (error, text) -> syncError(error), out -> {
            var group = populatedConsumerGroup(request.groupId());
            if (group == null) {
                classic.sync(request, reply, nowMs, out);
            } else {
                classicMembers.sync(group, request, reply, out);
            }
        });
    }

    CoordinatorResult heartbeat(HeartbeatRequestData request, Reply<HeartbeatResponseData> reply) {
        return planned(reply, (error, text) -> new HeartbeatResponseData().setErrorCode(error.code()), out -> {
            var group = populatedConsumerGroup(request.groupId());
            if (group == null) {
                classic.heartbeat(request, reply, out);
            } else {
                classicMembers.heartbeat(group, request, reply, out);
            }
        });
    }

    /// The members in `request.members()`, whatever the version.
    CoordinatorResult leave(LeaveGroupRequestData request, Reply<LeaveGroupResponseData> reply, long nowMs) {
        var out = new CoordinatorResult.Builder();
        var group = populatedConsumerGroup(request.groupId());
        if (group == null) {
            classic.leave(request, reply, nowMs, out);
        } else {
            classicMembers.leave(group, request, reply, nowMs, out);
        }
        return out.build();
    }

    /// @param regexes where expressions are looked up
    CoordinatorResult consumerHeartbeat(
            MemberContext context,
            ConsumerGroupHeartbeatRequestData request,
            Reply<ConsumerGroupHeartbeatResponseData> reply,
            Reply<RegexQuestion> regexes,
            long nowMs) {
        return planned(
                reply, ConsumerGroups::error, out -> consumers.heartbeat(context, request, reply, regexes, nowMs, out));
    }

    /// The topics that a group's expressions stand for have been looked up.
    CoordinatorResult onRegexesResolved(String groupId, Map<String, ResolvedRegex> answers) {
        var out = new CoordinatorResult.Builder();
        consumers.onRegexesResolved(groupId, answers, out);
        return out.build();
    }

    /// Topics of these names came, went, grew or moved.
    ///
    /// @param anyNew whether some have come
    CoordinatorResult onTopicsChanged(Set<String> names, boolean anyNew, long metadataOffset) {
        consumers.onTopicsChanged(names, anyNew, metadataOffset);
        return CoordinatorResult.NOTHING;
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

    GroupDescriber describer() {
        return describer;
    }

    /// The committed groups and offsets.
    ///
    /// @param mostOffsets in all; the first groups get theirs
    GroupCensus census(int mostGroups, int mostOffsets) {
        return describer.census(offsets, mostGroups, mostOffsets);
    }

    CoordinatorResult deleteGroup(String groupId, Reply<DeletableGroupResult> reply) {
        var out = new CoordinatorResult.Builder();
        var refused = refuseDelete(groups.find(groupId));
        if (refused != Errors.NONE) {
            return out.answer(reply, deleteResult(groupId, refused)).build();
        }
        offsets.deleteAll(groupId, out);
        writeTombstones(groupId, out);
        return out.then(Completion.answer(
                        reply,
                        deleteResult(groupId, Errors.NONE),
                        error -> deleteResult(groupId, ClassicGroups.storeError(error))))
                .build();
    }

    private static Errors refuseDelete(@Nullable Group group) {
        if (group == null || group.isDead()) {
            return Errors.GROUP_ID_NOT_FOUND;
        }
        boolean isEmpty = switch (group) {
            case ClassicGroup it -> it.is(ClassicGroupState.EMPTY);
            case ConsumerGroup it -> it.members().isEmpty();
        };
        return isEmpty ? Errors.NONE : Errors.NON_EMPTY_GROUP;
    }

    private void writeTombstones(String groupId, CoordinatorResult.Builder out) {
        var group = groups.consumer(groupId);
        if (group == null) {
            out.write(GroupRecords.groupTombstone(groupId));
        } else {
            group.tombstones().forEach(out::write);
        }
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
            case GroupTimer.SessionTimeout session -> {
                if (groups.consumer(session.groupId()) == null) {
                    classic.onSessionTimeout(session, nowMs, out);
                } else {
                    consumers.onSessionTimeout(session, nowMs, out);
                }
            }
            case GroupTimer.InitialRebalance initial -> classic.onInitialRebalance(initial, nowMs, out);
            case GroupTimer.JoinTimeout join -> classic.onJoinTimeout(join, nowMs, out);
            case GroupTimer.SyncTimeout sync -> classic.onSyncTimeout(sync, nowMs, out);
            case GroupTimer.RevocationTimeout revocation -> consumers.onRevocationTimeout(revocation, nowMs, out);
            case GroupTimer.RejoinTimeout rejoin -> consumers.onRejoinTimeout(rejoin, nowMs, out);
            case GroupTimer.FetchAssignmentTimeout fetch -> consumers.onFetchAssignmentTimeout(fetch, nowMs, out);
            case GroupTimer.Cleanup() -> cleanUp(nowMs, out);
        }
        return out.build();
    }

    private void cleanUp(long nowMs, CoordinatorResult.Builder out) {
        out.splittable();
        for (var entry : groups.map().entries()) {
            var group = entry.getValue();
            boolean nothingLeft = offsets.expire(group, nowMs, out);
            if (nothingLeft && group.isUnused()) {
                writeTombstones(group.groupId(), out);
            }
        }
        offsets.compact();
        consumers.compact();
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
                if (record.value() != null) {
                    groups.map().put(key.group(), GroupRecords.group(key.group(), (GroupMetadataValue) record.value()));
                } else if (groups.consumer(key.group()) == null) {
                    groups.map().remove(key.group());
                }
            }
            case ConsumerGroupMetadataKey key -> replay(key.groupId(), record);
            case ConsumerGroupPartitionMetadataKey key -> replay(key.groupId(), record);
            case ConsumerGroupMemberMetadataKey key -> replay(key.groupId(), record);
            case ConsumerGroupTargetAssignmentMetadataKey key -> replay(key.groupId(), record);
            case ConsumerGroupTargetAssignmentMemberKey key -> replay(key.groupId(), record);
            case ConsumerGroupCurrentMemberAssignmentKey key -> replay(key.groupId(), record);
            case ConsumerGroupRegularExpressionKey key -> replay(key.groupId(), record);
            default -> throw Invariant.unreachable("a record of type " + record.type() + " was decoded for nothing");
        }
    }

    /// A record of a consumer group. A tombstone founds none: compaction may have left it alone.
    private void replay(String groupId, CoordinatorRecord record) {
        var group = groups.consumer(groupId);
        if (group == null) {
            if (record.isTombstone()) {
                return;
            }
            // A classic group of this name is one that an offset founded on the way here.
            group = ConsumerGroup.empty(groupId);
        }
        var after = group.after(record);
        if (after == null) {
            groups.map().remove(groupId);
            consumers.forget(groupId);
        } else {
            groups.map().put(groupId, after);
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
        classic.onLoaded(nowMs, out);
        consumers.onLoaded(out);
        out.schedule(new GroupTimer.Cleanup(), config.offsetsRetentionCheckIntervalMs());
        return out.build();
    }

    @Override
    public CoordinatorResult onUnloaded(Errors error) {
        var out = new CoordinatorResult.Builder();
        classic.onUnloaded(error, out);
        return out.build();
    }

    // ---- lookups, for metrics and tests ----

    @Nullable
    ClassicGroup group(String groupId) {
        return groups.classic(groupId);
    }

    @Nullable
    ConsumerGroup consumerGroup(String groupId) {
        return groups.consumer(groupId);
    }

    ClassicGroups groups() {
        return classic;
    }

    CommittedOffsets offsets() {
        return offsets;
    }

    int groupCount() {
        return groups.map().size();
    }
}
