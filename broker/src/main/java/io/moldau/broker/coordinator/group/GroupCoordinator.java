package io.moldau.broker.coordinator.group;

import static io.moldau.broker.coordinator.group.ClassicGroupMember.joinError;
import static io.moldau.broker.coordinator.group.ClassicGroupMember.syncError;

import io.moldau.broker.coordinator.group.consumer.TopicRegexes;
import io.moldau.broker.coordinator.runtime.CoordinatorResult;
import io.moldau.broker.coordinator.runtime.CoordinatorRuntime;
import io.moldau.broker.coordinator.runtime.Effect;
import io.moldau.broker.coordinator.runtime.Gather;
import io.moldau.broker.coordinator.runtime.Reply;
import io.moldau.broker.coordinator.runtime.Transaction;
import io.moldau.broker.transaction.TransactionEnd;
import io.moldau.broker.transaction.TransactionVerification;
import io.moldau.common.Errors;
import io.moldau.common.TopicPartition;
import io.moldau.common.Uuid;
import io.moldau.common.time.Time;
import io.moldau.log.producer.TransactionTerms;
import io.moldau.metadata.image.MetadataImage;
import io.moldau.wire.message.ConsumerGroupDescribeResponseData;
import io.moldau.wire.message.ConsumerGroupHeartbeatRequestData;
import io.moldau.wire.message.ConsumerGroupHeartbeatResponseData;
import io.moldau.wire.message.DeleteGroupsResponseData.DeletableGroupResult;
import io.moldau.wire.message.DescribeGroupsResponseData.DescribedGroup;
import io.moldau.wire.message.HeartbeatRequestData;
import io.moldau.wire.message.HeartbeatResponseData;
import io.moldau.wire.message.JoinGroupRequestData;
import io.moldau.wire.message.JoinGroupResponseData;
import io.moldau.wire.message.LeaveGroupRequestData;
import io.moldau.wire.message.LeaveGroupResponseData;
import io.moldau.wire.message.ListGroupsResponseData;
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
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;

/// Serves the groups this node coordinates: finds the shard of a group, runs the request in it, and says what to say
/// when the shard is elsewhere or not loaded yet.
///
/// Thread-safe; replies come on any thread, often the caller's before the call returns.
public final class GroupCoordinator {

    private final CoordinatorRuntime<GroupShard> runtime;
    private final Supplier<MetadataImage> image;
    private final Time time;
    private final Executor executor;
    private final TransactionVerification verification;
    private final int defaultPartitions;

    /// @param executor for what takes longer than an operation of a shard may
    /// @param verification asks whether offsets belong to a transaction
    /// @param defaultPartitions `offsets.topic.num.partitions`, for as long as the topic does not exist
    public GroupCoordinator(
            CoordinatorRuntime<GroupShard> runtime,
            Supplier<MetadataImage> image,
            Time time,
            Executor executor,
            TransactionVerification verification,
            int defaultPartitions) {
        this.runtime = runtime;
        this.image = image;
        this.time = time;
        this.executor = executor;
        this.verification = verification;
        this.defaultPartitions = defaultPartitions;
    }

    /// The partition of [OffsetsTopic#NAME] whose leader coordinates the group.
    public int partitionFor(String groupId) {
        var topic = image.get().topics().topic(OffsetsTopic.NAME);
        int partitions = topic == null || topic.partitions().isEmpty()
                ? defaultPartitions
                : topic.partitions().size();
        return OffsetsTopic.partitionFor(groupId, partitions);
    }

    CoordinatorRuntime<GroupShard> runtime() {
        return runtime;
    }

    // ---- members ----

    public void join(MemberContext context, JoinGroupRequestData request, Reply<JoinGroupResponseData> reply) {
        if (request.groupId().isEmpty()) {
            reply.complete(joinError(request.memberId(), Errors.INVALID_GROUP_ID));
            return;
        }
        submit(
                request.groupId(),
                shard -> shard.join(context, request, reply, this::resolve, time.milliseconds()),
                error -> reply.complete(joinError(request.memberId(), error)));
    }

    public void sync(SyncGroupRequestData request, Reply<SyncGroupResponseData> reply) {
        if (request.groupId().isEmpty()) {
            reply.complete(syncError(Errors.INVALID_GROUP_ID));
            return;
        }
        submit(
                request.groupId(),
                shard -> shard.sync(request, reply, time.milliseconds()),
                error -> reply.complete(syncError(error)));
    }

    public void heartbeat(HeartbeatRequestData request, Reply<HeartbeatResponseData> reply) {
        if (request.groupId().isEmpty()) {
            reply.complete(new HeartbeatResponseData().setErrorCode(Errors.INVALID_GROUP_ID.code()));
            return;
        }
        submit(request.groupId(), shard -> shard.heartbeat(request, reply), error -> {
            // While it loads, the member is as alive as it was; an error would make it leave and join.
            var told = error == Errors.COORDINATOR_LOAD_IN_PROGRESS ? Errors.NONE : error;
            reply.complete(new HeartbeatResponseData().setErrorCode(told.code()));
        });
    }

    /// The members in `request.members()`, whatever the version.
    public void leave(LeaveGroupRequestData request, Reply<LeaveGroupResponseData> reply) {
        if (request.groupId().isEmpty()) {
            reply.complete(new LeaveGroupResponseData().setErrorCode(Errors.INVALID_GROUP_ID.code()));
            return;
        }
        submit(
                request.groupId(),
                shard -> shard.leave(request, reply, time.milliseconds()),
                error -> reply.complete(new LeaveGroupResponseData().setErrorCode(error.code())));
    }

    public void consumerHeartbeat(
            MemberContext context,
            ConsumerGroupHeartbeatRequestData request,
            Reply<ConsumerGroupHeartbeatResponseData> reply) {
        if (image.get().features().groupVersion() < 1) {
            reply.complete(ConsumerGroups.error(Errors.UNSUPPORTED_VERSION, null));
            return;
        }
        submit(
                request.groupId(),
                shard -> shard.consumerHeartbeat(context, request, reply, this::resolve, time.milliseconds()),
                error -> reply.complete(ConsumerGroups.error(error, null)));
    }

    /// Looks up what expressions stand for, and tells the shard that asked.
    private void resolve(RegexQuestion question) {
        executor.execute(() -> {
            var answers = TopicRegexes.resolve(question.regexes(), image.get(), time.milliseconds());
            submit(
                    question.groupId(),
                    shard -> shard.onRegexesResolved(question.groupId(), answers),
                    // The shard is elsewhere by now, and whoever has it will ask anew.
                    error -> {});
        });
    }

    // ---- offsets ----

    /// Topics and partitions are known to exist, and carry their ids where they are known.
    public void commitOffsets(
            MemberContext context, OffsetCommitRequestData request, Reply<OffsetCommitResponseData> reply) {
        submit(
                request.groupId(),
                shard -> shard.commitOffsets(context, request, reply, time.milliseconds()),
                error -> reply.complete(CommittedOffsets.commitError(request, error)));
    }

    /// The same in a transaction: the offsets count when it is committed. Its coordinator has to know of them first.
    public void commitTransactionalOffsets(
            MemberContext context,
            String transactionalId,
            long producerId,
            short producerEpoch,
            OffsetCommitRequestData request,
            Reply<OffsetCommitResponseData> reply) {
        if (request.groupId().isEmpty()) {
            reply.complete(CommittedOffsets.commitError(request, Errors.INVALID_GROUP_ID));
            return;
        }
        int partition = partitionFor(request.groupId());
        verification.verifyOffsets(
                new TopicPartition(OffsetsTopic.NAME, partition),
                transactionalId,
                producerId,
                producerEpoch,
                context.apiVersion(),
                new TransactionVerification.OffsetsAnswer() {
                    @Override
                    public void verified(TransactionTerms terms) {
                        runtime.submit(
                                partition,
                                new Transaction(producerId, producerEpoch, terms),
                                shard -> shard.commitTransactionalOffsets(context, request, reply, time.milliseconds()),
                                error -> reply.complete(CommittedOffsets.commitError(request, error)));
                    }

                    @Override
                    public void refused(Errors error) {
                        var told = error == Errors.NETWORK_EXCEPTION
                                ? Errors.COORDINATOR_LOAD_IN_PROGRESS
                                : ClassicGroups.storeError(error);
                        reply.complete(CommittedOffsets.commitError(request, told));
                    }
                });
    }

    /// A transaction with offsets in this partition has ended; see [io.moldau.broker.transaction.MarkerWriter].
    public void endTransaction(int partition, TransactionEnd end, Consumer<Errors> done) {
        runtime.endTransaction(partition, end, done);
    }

    public void fetchOffsets(
            List<OffsetFetchRequestGroup> groups,
            boolean requireStable,
            Consumer<List<OffsetFetchResponseGroup>> reply) {
        Gather.<OffsetFetchRequestGroup, OffsetFetchResponseGroup>all(
                groups,
                (group, answer) -> submit(
                        group.groupId(),
                        shard -> shard.fetchOffsets(group, requireStable, answer),
                        error -> answer.complete(new OffsetFetchResponseGroup()
                                .setGroupId(group.groupId())
                                .setErrorCode(error.code()))),
                reply);
    }

    public void deleteOffsets(OffsetDeleteRequestData request, Reply<OffsetDeleteResponseData> reply) {
        if (request.groupId().isEmpty()) {
            reply.complete(new OffsetDeleteResponseData().setErrorCode(Errors.INVALID_GROUP_ID.code()));
            return;
        }
        submit(
                request.groupId(),
                shard -> shard.deleteOffsets(request, reply),
                error -> reply.complete(new OffsetDeleteResponseData().setErrorCode(error.code())));
    }

    // ---- administration ----

    public void describeConsumers(
            List<String> groupIds, Consumer<List<ConsumerGroupDescribeResponseData.DescribedGroup>> reply) {
        boolean enabled = image.get().features().groupVersion() >= 1;
        Gather.<String, ConsumerGroupDescribeResponseData.DescribedGroup>all(
                groupIds,
                (groupId, answer) -> {
                    Consumer<Errors> refused =
                            error -> answer.complete(new ConsumerGroupDescribeResponseData.DescribedGroup()
                                    .setGroupId(groupId)
                                    .setErrorCode(error.code()));
                    if (!enabled) {
                        refused.accept(Errors.UNSUPPORTED_VERSION);
                    } else if (groupId.isEmpty()) {
                        refused.accept(Errors.INVALID_GROUP_ID);
                    } else {
                        submit(
                                groupId,
                                shard -> answered(answer, shard.describer().consumer(groupId)),
                                refused);
                    }
                },
                reply);
    }

    /// @param reportsMissing see [GroupDescriber#classic]
    public void describe(List<String> groupIds, boolean reportsMissing, Consumer<List<DescribedGroup>> reply) {
        Gather.<String, DescribedGroup>all(
                groupIds,
                (groupId, answer) -> submit(
                        groupId,
                        shard -> answered(answer, shard.describer().classic(groupId, reportsMissing)),
                        error -> answer.complete(
                                new DescribedGroup().setGroupId(groupId).setErrorCode(error.code()))),
                reply);
    }

    public void delete(List<String> groupIds, Consumer<List<DeletableGroupResult>> reply) {
        Gather.<String, DeletableGroupResult>all(
                groupIds,
                (groupId, answer) -> submit(
                        groupId,
                        shard -> shard.deleteGroup(groupId, answer),
                        error -> answer.complete(GroupShard.deleteResult(groupId, error))),
                reply);
    }

    /// What one shard lists, or why it cannot.
    private record Listing(Errors error, List<ListedGroup> groups) {}

    /// The groups of all shards of this node. One that is still loading fails the list, for it would look complete.
    ///
    /// @param states in lower case; empty for all
    /// @param types in lower case; empty for all
    public void list(Set<String> states, Set<String> types, Reply<ListGroupsResponseData> reply) {
        Gather.<Integer, Listing>all(
                List.copyOf(runtime.partitions()),
                (partition, answer) -> runtime.submit(
                        partition,
                        shard -> answered(
                                answer,
                                new Listing(Errors.NONE, shard.describer().list(states, types))),
                        error -> answer.complete(new Listing(error, List.of()))),
                listings -> {
                    var groups = new ArrayList<ListedGroup>();
                    for (var listing : listings) {
                        if (listing.error() != Errors.NONE && listing.error() != Errors.NOT_COORDINATOR) {
                            reply.complete(new ListGroupsResponseData()
                                    .setErrorCode(listing.error().code()));
                            return;
                        }
                        groups.addAll(listing.groups());
                    }
                    reply.complete(new ListGroupsResponseData().setGroups(groups));
                });
    }

    /// The groups of all shards of this node, with their offsets. Each shard is read by itself, at its own moment.
    ///
    /// @param mostGroups no more than so many are named
    /// @param mostOffsets nor so many offsets, over all groups
    public void census(int mostGroups, int mostOffsets, Consumer<GroupCensus> reply) {
        Gather.<Integer, GroupCensus>all(
                List.copyOf(runtime.partitions()),
                (partition, answer) -> runtime.submit(
                        partition,
                        shard -> answered(answer, shard.census(mostGroups, mostOffsets)),
                        error -> answer.complete(
                                new GroupCensus(List.of(), 0, 0, error == Errors.NOT_COORDINATOR ? 0 : 1))),
                shards -> reply.accept(together(shards, mostGroups, mostOffsets)));
    }

    private static GroupCensus together(List<GroupCensus> shards, int mostGroups, int mostOffsets) {
        var groups = new ArrayList<GroupCensus.Group>();
        int groupsLeftOff = 0;
        int offsetsLeftOff = 0;
        int loading = 0;
        int room = mostOffsets;
        for (var shard : shards) {
            groupsLeftOff += shard.groupsLeftOff();
            offsetsLeftOff += shard.offsetsLeftOff();
            loading += shard.loadingShards();
            for (var group : shard.groups()) {
                if (groups.size() >= mostGroups) {
                    groupsLeftOff++;
                    continue;
                }
                var offsets = group.offsets();
                if (offsets.size() > room) {
                    offsetsLeftOff += offsets.size() - room;
                    offsets = offsets.subList(0, room);
                }
                room -= offsets.size();
                groups.add(new GroupCensus.Group(
                        group.groupId(), group.state(), group.protocolType(), group.members(), offsets));
            }
        }
        groups.sort(Comparator.comparing(GroupCensus.Group::groupId));
        return new GroupCensus(groups, groupsLeftOff, offsetsLeftOff, loading);
    }

    // ---- metadata ----

    /// This node leads the partition. Topics that went while its shard was elsewhere, or this node down, take their
    /// offsets with them once it is loaded.
    void elected(int partition, int leaderEpoch) {
        runtime.elected(
                partition,
                leaderEpoch,
                shard -> shard.removeOrphanedOffsets(name -> {
                    var topic = image.get().topics().topic(name);
                    return topic == null ? null : topic.id();
                }));
    }

    /// Topics of these names came, went, grew or moved.
    void onTopicsChanged(Set<String> names, boolean anyNew, long metadataOffset) {
        runtime.submitToAll(shard -> shard.onTopicsChanged(names, anyNew, metadataOffset));
    }

    /// Offsets of topics that are gone mean nothing to a topic that is created under the same name.
    void onTopicsDeleted(Map<String, Uuid> topics) {
        runtime.submitToAll(shard -> shard.onTopicsDeleted(topics));
    }

    private void submit(String groupId, Function<GroupShard, CoordinatorResult> operation, Consumer<Errors> refused) {
        runtime.submit(partitionFor(groupId), operation, refused);
    }

    private static <T> CoordinatorResult answered(Reply<T> reply, T response) {
        return CoordinatorResult.of(new Effect.Answer<>(reply, response));
    }
}
