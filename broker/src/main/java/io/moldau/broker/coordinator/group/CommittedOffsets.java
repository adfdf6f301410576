package io.moldau.broker.coordinator.group;

import io.moldau.broker.coordinator.runtime.Completion;
import io.moldau.broker.coordinator.runtime.CoordinatorResult;
import io.moldau.broker.coordinator.runtime.Reply;
import io.moldau.broker.coordinator.runtime.Timeline;
import io.moldau.broker.coordinator.runtime.TimelineMap;
import io.moldau.common.ApiException;
import io.moldau.common.Errors;
import io.moldau.common.TopicPartition;
import io.moldau.common.Uuid;
import io.moldau.wire.message.OffsetCommitRequestData;
import io.moldau.wire.message.OffsetCommitResponseData;
import io.moldau.wire.message.OffsetCommitResponseData.OffsetCommitResponsePartition;
import io.moldau.wire.message.OffsetCommitResponseData.OffsetCommitResponseTopic;
import io.moldau.wire.message.OffsetDeleteRequestData;
import io.moldau.wire.message.OffsetDeleteResponseData;
import io.moldau.wire.message.OffsetDeleteResponseData.OffsetDeleteResponsePartition;
import io.moldau.wire.message.OffsetDeleteResponseData.OffsetDeleteResponseTopic;
import io.moldau.wire.message.OffsetFetchRequestData.OffsetFetchRequestGroup;
import io.moldau.wire.message.OffsetFetchResponseData.OffsetFetchResponseGroup;
import io.moldau.wire.message.OffsetFetchResponseData.OffsetFetchResponsePartitions;
import io.moldau.wire.message.OffsetFetchResponseData.OffsetFetchResponseTopics;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/// The committed offsets of the groups of one shard. Owned by its [GroupShard]; pure.
///
/// Offsets committed in a transaction wait beside the others until the transaction ends (KIP-98); whoever asks for
/// stable offsets is told to come back meanwhile (KIP-447).
final class CommittedOffsets {

    /// From these versions on clients know GROUP_ID_NOT_FOUND and STALE_MEMBER_EPOCH.
    private static final int PRECISE_ERRORS_VERSION = 9;

    private static final int TXN_PRECISE_ERRORS_VERSION = 6;

    private static final long NO_PRODUCER = -1L;
    private static final long INVALID_OFFSET = -1L;
    private static final int NO_EPOCH = -1;

    /// An offset committed in a transaction that is open.
    ///
    /// @param order among the commits of the shard's log
    /// @param current whether nothing has been committed for the partition since
    private record Pending(CommittedOffset offset, long order, boolean current) {}

    private final Timeline timeline;
    private final GroupTable groups;
    private final ClassicGroups classic;
    private final GroupCoordinatorConfig config;
    private final Map<String, TimelineMap<TopicPartition, CommittedOffset>> offsets = new HashMap<>();

    /// Of each group, by the producers whose transactions are open.
    private final Map<String, Map<Long, TimelineMap<TopicPartition, Pending>>> pending = new HashMap<>();

    /// The groups a producer may have something pending in.
    private final Map<Long, Set<String>> groupsOfProducers = new HashMap<>();

    private long commits;

    CommittedOffsets(Timeline timeline, GroupTable groups, ClassicGroups classic, GroupCoordinatorConfig config) {
        this.timeline = timeline;
        this.groups = groups;
        this.classic = classic;
        this.config = config;
    }

    // ---- commit ----

    /// Topics and partitions are known to exist, and carry their ids where they are known.
    ///
    /// @param transactional whether it is TxnOffsetCommit that asks
    void commit(
            MemberContext context,
            OffsetCommitRequestData request,
            boolean transactional,
            Reply<OffsetCommitResponseData> reply,
            long nowMs,
            CoordinatorResult.Builder out) {
        Group.CommitCheck check;
        try {
            check = validateCommit(context, request, transactional, nowMs, out);
        } catch (ApiException refused) {
            out.answer(reply, commitError(request, refused.error()));
            return;
        }
        long expiry = request.retentionTimeMs() == -1 ? CommittedOffset.NO_EXPIRY : nowMs + request.retentionTimeMs();
        var response = new OffsetCommitResponseData();
        for (var topic : request.topics()) {
            var topicResponse =
                    new OffsetCommitResponseTopic().setName(topic.name()).setTopicId(topic.topicId());
            for (var partition : topic.partitions()) {
                var metadata = partition.committedMetadata() == null ? "" : partition.committedMetadata();
                var error = metadata.length() > config.offsetMetadataMaxBytes()
                        ? Errors.OFFSET_METADATA_TOO_LARGE
                        : check.refusal(topic.topicId(), partition.partitionIndex());
                if (error == Errors.NONE) {
                    out.write(GroupRecords.offset(
                            request.groupId(),
                            new TopicPartition(topic.name(), partition.partitionIndex()),
                            new CommittedOffset(
                                    partition.committedOffset(),
                                    partition.committedLeaderEpoch(),
                                    metadata,
                                    nowMs,
                                    expiry,
                                    topic.topicId())));
                }
                topicResponse
                        .partitions()
                        .add(new OffsetCommitResponsePartition()
                                .setPartitionIndex(partition.partitionIndex())
                                .setErrorCode(error.code()));
            }
            response.topics().add(topicResponse);
        }
        out.then(Completion.answer(reply, response, error -> commitError(request, commitStoreError(error))));
    }

    private Group.CommitCheck validateCommit(
            MemberContext context,
            OffsetCommitRequestData request,
            boolean transactional,
            long nowMs,
            CoordinatorResult.Builder out) {
        var group = groups.find(request.groupId());
        if (group == null) {
            if (request.generationIdOrMemberEpoch() >= 0) {
                // Older clients don't know the more precise error.
                int precise = transactional ? TXN_PRECISE_ERRORS_VERSION : PRECISE_ERRORS_VERSION;
                throw new ApiException(
                        context.apiVersion() >= precise ? Errors.GROUP_ID_NOT_FOUND : Errors.ILLEGAL_GENERATION,
                        "There is no group " + request.groupId() + ".");
            }
            groups.getOrCreate(request.groupId(), nowMs);
            return Group.CommitCheck.ANY;
        }
        var check = group.validateOffsetCommit(
                request.memberId(),
                request.groupInstanceId(),
                request.generationIdOrMemberEpoch(),
                transactional,
                context.apiVersion());
        if (!transactional
                && group instanceof ClassicGroup it
                && (it.is(ClassicGroupState.STABLE) || it.is(ClassicGroupState.PREPARING_REBALANCE))) {
            classic.keepAlive(it, request.memberId(), out); // A commit is as good a sign of life as a heartbeat.
        }
        return check;
    }

    static OffsetCommitResponseData commitError(OffsetCommitRequestData request, Errors error) {
        var response = new OffsetCommitResponseData();
        for (var topic : request.topics()) {
            var topicResponse =
                    new OffsetCommitResponseTopic().setName(topic.name()).setTopicId(topic.topicId());
            for (var partition : topic.partitions()) {
                topicResponse
                        .partitions()
                        .add(new OffsetCommitResponsePartition()
                                .setPartitionIndex(partition.partitionIndex())
                                .setErrorCode(error.code()));
            }
            response.topics().add(topicResponse);
        }
        return response;
    }

    /// What a client is told when its commit could not be stored.
    private static Errors commitStoreError(Errors error) {
        return switch (error) {
            case MESSAGE_TOO_LARGE, RECORD_LIST_TOO_LARGE, INVALID_FETCH_SIZE -> Errors.INVALID_COMMIT_OFFSET_SIZE;
            default -> ClassicGroups.storeError(error);
        };
    }

    // ---- fetch ----

    /// @param committedOnly whether to show the committed state; else the latest, of which the caller then waits until
    ///     it is committed
    /// @param requireStable whether partitions with an open transaction get UNSTABLE_OFFSET_COMMIT
    OffsetFetchResponseGroup fetch(OffsetFetchRequestGroup request, boolean committedOnly, boolean requireStable) {
        var response = new OffsetFetchResponseGroup().setGroupId(request.groupId());
        var group = committedOnly ? groups.map().committed(request.groupId()) : groups.find(request.groupId());
        var ofGroup = group == null || group.isDead() ? null : offsets.get(request.groupId());
        if (group != null) {
            try {
                group.validateOffsetFetch(request.memberId(), request.memberEpoch());
            } catch (ApiException refused) {
                return response.setErrorCode(refused.error().code());
            }
        }
        if (request.topics() == null) {
            return ofGroup == null ? response : fetchAll(response, ofGroup, committedOnly, requireStable);
        }
        for (var topic : request.topics()) {
            var topicResponse =
                    new OffsetFetchResponseTopics().setName(topic.name()).setTopicId(topic.topicId());
            for (int index : topic.partitionIndexes()) {
                var partition = new TopicPartition(topic.name(), index);
                var offset =
                        ofGroup == null ? null : committedOnly ? ofGroup.committed(partition) : ofGroup.get(partition);
                topicResponse.partitions().add(row(request.groupId(), partition, offset, requireStable));
            }
            response.topics().add(topicResponse);
        }
        return response;
    }

    private OffsetFetchResponseGroup fetchAll(
            OffsetFetchResponseGroup response,
            TimelineMap<TopicPartition, CommittedOffset> ofGroup,
            boolean committedOnly,
            boolean requireStable) {
        var byTopic = new LinkedHashMap<String, OffsetFetchResponseTopics>();
        var entries = committedOnly ? ofGroup.committedEntries() : ofGroup.entries();
        for (var entry : entries) {
            byTopic.computeIfAbsent(entry.getKey().topic(), name -> new OffsetFetchResponseTopics().setName(name))
                    .partitions()
                    .add(row(response.groupId(), entry.getKey(), entry.getValue(), requireStable));
        }
        response.topics().addAll(byTopic.values());
        return response;
    }

    private OffsetFetchResponsePartitions row(
            String groupId, TopicPartition partition, @Nullable CommittedOffset offset, boolean requireStable) {
        var row = new OffsetFetchResponsePartitions()
                .setPartitionIndex(partition.partition())
                .setCommittedOffset(INVALID_OFFSET)
                .setCommittedLeaderEpoch(NO_EPOCH)
                .setMetadata("");
        if (requireStable && isPending(groupId, partition)) {
            return row.setErrorCode(Errors.UNSTABLE_OFFSET_COMMIT.code());
        }
        if (offset == null) {
            return row;
        }
        return row.setCommittedOffset(offset.offset())
                .setCommittedLeaderEpoch(offset.leaderEpoch())
                .setMetadata(offset.metadata());
    }

    // ---- delete and expire ----

    void delete(OffsetDeleteRequestData request, Reply<OffsetDeleteResponseData> reply, CoordinatorResult.Builder out) {
        var group = groups.find(request.groupId());
        if (group == null || group.isDead()) {
            out.answer(reply, new OffsetDeleteResponseData().setErrorCode(Errors.GROUP_ID_NOT_FOUND.code()));
            return;
        }
        if (group instanceof ClassicGroup it && !it.is(ClassicGroupState.EMPTY) && !it.usesConsumerProtocol()) {
            // What the members of other protocols read cannot be known, so nothing of a live one is deleted.
            out.answer(reply, new OffsetDeleteResponseData().setErrorCode(Errors.NON_EMPTY_GROUP.code()));
            return;
        }
        var response = new OffsetDeleteResponseData();
        for (var topic : request.topics()) {
            boolean inUse = group.isSubscribedTo(topic.name());
            var topicResponse = new OffsetDeleteResponseTopic().setName(topic.name());
            for (var partition : topic.partitions()) {
                var key = new TopicPartition(topic.name(), partition.partitionIndex());
                if (!inUse && isKnown(request.groupId(), key)) {
                    out.write(GroupRecords.offsetTombstone(request.groupId(), key));
                }
                topicResponse
                        .partitions()
                        .add(new OffsetDeleteResponsePartition()
                                .setPartitionIndex(partition.partitionIndex())
                                .setErrorCode((inUse ? Errors.GROUP_SUBSCRIBED_TO_TOPIC : Errors.NONE).code()));
            }
            response.topics().add(topicResponse);
        }
        out.then(Completion.answer(
                reply,
                response,
                error -> new OffsetDeleteResponseData()
                        .setErrorCode(ClassicGroups.storeError(error).code())));
    }

    /// Tombstones for everything the group has committed or is committing.
    void deleteAll(String groupId, CoordinatorResult.Builder out) {
        var ofGroup = offsets.get(groupId);
        if (ofGroup != null) {
            for (var partition : ofGroup.keys()) {
                out.write(GroupRecords.offsetTombstone(groupId, partition));
            }
        }
        var alsoPending = new LinkedHashSet<TopicPartition>();
        pendingOf(groupId).values().forEach(ofProducer -> alsoPending.addAll(ofProducer.keys()));
        for (var partition : alsoPending) {
            if (ofGroup == null || !ofGroup.containsKey(partition)) {
                out.write(GroupRecords.offsetTombstone(groupId, partition));
            }
        }
    }

    /// Tombstones for the group's offsets whose time is over (KIP-211).
    ///
    /// @return whether nothing remains
    boolean expire(Group group, long nowMs, CoordinatorResult.Builder out) {
        var ofGroup = offsets.get(group.groupId());
        if (ofGroup == null || ofGroup.size() == 0) {
            return !isAnythingPending(group.groupId());
        }
        boolean allExpired = !isAnythingPending(group.groupId());
        for (var entry : ofGroup.entries()) {
            if (isExpired(group, entry.getKey(), entry.getValue(), nowMs)
                    && !isPending(group.groupId(), entry.getKey())) {
                out.write(GroupRecords.offsetTombstone(group.groupId(), entry.getKey()));
            } else {
                allExpired = false;
            }
        }
        return allExpired;
    }

    private boolean isExpired(Group group, TopicPartition partition, CommittedOffset offset, long nowMs) {
        return switch (group) {
            case ClassicGroup it -> isExpired(it, partition, offset, nowMs);
            case ConsumerGroup it ->
                !it.isSubscribedTo(partition.topic())
                        && offset.isExpired(offset.commitTimestampMs(), config.offsetsRetentionMs(), nowMs);
        };
    }

    private boolean isExpired(ClassicGroup group, TopicPartition partition, CommittedOffset offset, long nowMs) {
        long retentionMs = config.offsetsRetentionMs();
        if (group.protocolType() == null) {
            // A consumer that assigns partitions to itself: it may be anywhere, so only its commits count.
            return offset.isExpired(offset.commitTimestampMs(), retentionMs, nowMs);
        }
        if (group.is(ClassicGroupState.EMPTY)) {
            long emptySinceMs = group.stateSinceMs() == -1 ? offset.commitTimestampMs() : group.stateSinceMs();
            return offset.isExpired(emptySinceMs, retentionMs, nowMs);
        }
        return group.is(ClassicGroupState.STABLE)
                && group.usesConsumerProtocol()
                && group.subscribedTopics() != null
                && !group.isSubscribedTo(partition.topic())
                && offset.isExpired(offset.commitTimestampMs(), retentionMs, nowMs);
    }

    /// Tombstones for the offsets of topics that are gone. Offsets in a topic that was created again under the same
    /// name stay; where an offset does not say which of the two it means, it goes.
    ///
    /// @param topics the ids by name
    void onTopicsDeleted(Map<String, Uuid> topics, CoordinatorResult.Builder out) {
        offsets.forEach((groupId, ofGroup) -> ofGroup.forEach((partition, offset) -> {
            var deleted = topics.get(partition.topic());
            if (deleted != null
                    && (offset.topicId().equals(Uuid.ZERO) || offset.topicId().equals(deleted))) {
                out.write(GroupRecords.offsetTombstone(groupId, partition));
            }
        }));
    }

    /// Tombstones for the offsets of topics that went while nobody coordinated the groups here.
    ///
    /// @param currentId the id of a topic that exists, or null
    void removeOrphans(Function<String, @Nullable Uuid> currentId, CoordinatorResult.Builder out) {
        offsets.forEach((groupId, ofGroup) -> ofGroup.forEach((partition, offset) -> {
            var id = currentId.apply(partition.topic());
            boolean other =
                    !offset.topicId().equals(Uuid.ZERO) && !offset.topicId().equals(id);
            if (id == null || other) {
                out.write(GroupRecords.offsetTombstone(groupId, partition));
            }
        }));
    }

    // ---- replay ----

    /// @param offset null for a tombstone
    void replay(long producerId, String groupId, TopicPartition partition, @Nullable CommittedOffset offset) {
        if (offset == null) {
            remove(groupId, partition);
        } else if (producerId == NO_PRODUCER) {
            put(groupId, partition, offset, ++commits);
        } else {
            groupsOfProducers.computeIfAbsent(producerId, id -> new HashSet<>()).add(groupId);
            pending.computeIfAbsent(groupId, id -> new HashMap<>())
                    .computeIfAbsent(producerId, id -> new TimelineMap<>(timeline))
                    .put(partition, new Pending(offset, ++commits, true));
        }
    }

    void replayEndTransaction(long producerId, boolean committed) {
        var groupIds = groupsOfProducers.get(producerId);
        if (groupIds == null) {
            return;
        }
        for (var groupId : List.copyOf(groupIds)) {
            var ofProducer = pendingOf(groupId).get(producerId);
            if (ofProducer == null) {
                continue;
            }
            for (var entry : ofProducer.entries()) {
                ofProducer.remove(entry.getKey());
                var it = entry.getValue();
                if (committed && it.current()) {
                    put(groupId, entry.getKey(), it.offset(), it.order());
                }
            }
        }
        forgetUnused(producerId);
    }

    /// What is pending is final as soon as nobody can take the change back.
    private void forgetUnused(long producerId) {
        var groupIds = groupsOfProducers.get(producerId);
        if (groupIds == null) {
            return;
        }
        groupIds.removeIf(groupId -> {
            var ofGroup = pendingOf(groupId);
            var ofProducer = ofGroup.get(producerId);
            if (ofProducer != null && !ofProducer.isUnused()) {
                return false;
            }
            if (ofProducer != null) {
                ofGroup.remove(producerId);
            }
            if (ofGroup.isEmpty()) {
                pending.remove(groupId);
            }
            return true;
        });
        if (groupIds.isEmpty()) {
            groupsOfProducers.remove(producerId);
        }
    }

    /// The last commit of a partition in the log is the one that counts, whenever its transaction ends.
    private void put(String groupId, TopicPartition partition, CommittedOffset offset, long order) {
        offsets.computeIfAbsent(groupId, id -> new TimelineMap<>(timeline)).put(partition, offset);
        for (var ofProducer : pendingOf(groupId).values()) {
            var it = ofProducer.get(partition);
            if (it != null && it.current() && it.order() < order) {
                ofProducer.put(partition, new Pending(it.offset(), it.order(), false));
            }
        }
    }

    private Map<Long, TimelineMap<TopicPartition, Pending>> pendingOf(String groupId) {
        return pending.getOrDefault(groupId, Map.of());
    }

    private void remove(String groupId, TopicPartition partition) {
        var ofGroup = offsets.get(groupId);
        if (ofGroup != null) {
            ofGroup.remove(partition);
            if (ofGroup.isUnused()) {
                offsets.remove(groupId);
            }
        }
        // A deleted offset must not come back when the transaction that was committing it ends.
        for (var ofProducer : pendingOf(groupId).values()) {
            ofProducer.remove(partition);
        }
    }

    // ---- lookups ----

    @Nullable
    CommittedOffset get(String groupId, TopicPartition partition) {
        var ofGroup = offsets.get(groupId);
        return ofGroup == null ? null : ofGroup.get(partition);
    }

    /// Every latest offset of the group.
    Map<TopicPartition, CommittedOffset> of(String groupId) {
        var all = new HashMap<TopicPartition, CommittedOffset>();
        var ofGroup = offsets.get(groupId);
        if (ofGroup != null) {
            ofGroup.forEach(all::put);
        }
        return all;
    }

    /// The committed offsets of a group, by topic and partition.
    List<GroupCensus.Offset> committed(String groupId) {
        var ofGroup = offsets.get(groupId);
        if (ofGroup == null) {
            return List.of();
        }
        var found = new ArrayList<GroupCensus.Offset>();
        for (var entry : ofGroup.committedEntries()) {
            var partition = entry.getKey();
            var offset = entry.getValue();
            found.add(new GroupCensus.Offset(
                    partition.topic(),
                    partition.partition(),
                    offset.offset(),
                    offset.commitTimestampMs(),
                    offset.metadata()));
        }
        found.sort(Comparator.comparing(GroupCensus.Offset::topic).thenComparingInt(GroupCensus.Offset::partition));
        return found;
    }

    /// How many offsets the shard holds.
    int size() {
        int sum = 0;
        for (var ofGroup : offsets.values()) {
            sum += ofGroup.size();
        }
        return sum;
    }

    /// Forgets the maps that have emptied out.
    void compact() {
        offsets.values().removeIf(TimelineMap::isUnused);
        for (long producerId : List.copyOf(groupsOfProducers.keySet())) {
            forgetUnused(producerId);
        }
    }

    private boolean isKnown(String groupId, TopicPartition partition) {
        return get(groupId, partition) != null || isPending(groupId, partition);
    }

    private boolean isPending(String groupId, TopicPartition partition) {
        for (var ofProducer : pendingOf(groupId).values()) {
            if (ofProducer.containsKey(partition)) {
                return true;
            }
        }
        return false;
    }

    private boolean isAnythingPending(String groupId) {
        for (var ofProducer : pendingOf(groupId).values()) {
            if (ofProducer.size() > 0) {
                return true;
            }
        }
        return false;
    }

    /// How many producers have a transaction open here, or had one a moment ago.
    int openTransactions() {
        return groupsOfProducers.size();
    }
}
