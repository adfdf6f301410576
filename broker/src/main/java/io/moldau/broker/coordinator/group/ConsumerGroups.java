package io.moldau.broker.coordinator.group;

import io.moldau.broker.coordinator.group.consumer.ConsumerGroupMember;
import io.moldau.broker.coordinator.group.consumer.ConsumerGroupRecords;
import io.moldau.broker.coordinator.group.consumer.CurrentAssignment;
import io.moldau.broker.coordinator.group.consumer.MemberState;
import io.moldau.broker.coordinator.group.consumer.PartitionEpochs;
import io.moldau.broker.coordinator.group.consumer.ResolvedRegex;
import io.moldau.broker.coordinator.runtime.Completion;
import io.moldau.broker.coordinator.runtime.CoordinatorResult;
import io.moldau.broker.coordinator.runtime.Reply;
import io.moldau.common.ApiException;
import io.moldau.common.Errors;
import io.moldau.common.Uuid;
import io.moldau.wire.message.ConsumerGroupHeartbeatRequestData;
import io.moldau.wire.message.ConsumerGroupHeartbeatRequestData.TopicPartitions;
import io.moldau.wire.message.ConsumerGroupHeartbeatResponseData;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.random.RandomGenerator;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/// The consumer protocol (KIP-848): what heartbeats, time-outs and changes of topics do to the groups of one shard.
/// Owned by its [GroupShard]; pure. Groups change by replay alone.
final class ConsumerGroups {

    /// The first version of ConsumerGroupHeartbeat in which members choose their ids themselves.
    private static final short OWN_MEMBER_ID_VERSION = 1;

    private final GroupTable groups;
    private final ConsumerGroupConfig config;
    private final GroupSurroundings surroundings;
    private final ConsumerGroupMemory memory;
    private final ConsumerGroupPlanner planner;
    private final GroupMigration migration;
    private final RandomGenerator random;

    ConsumerGroups(
            GroupTable groups,
            ConsumerGroupConfig config,
            GroupSurroundings surroundings,
            ConsumerGroupMemory memory,
            ConsumerGroupPlanner planner,
            GroupMigration migration,
            RandomGenerator random) {
        this.groups = groups;
        this.config = config;
        this.surroundings = surroundings;
        this.memory = memory;
        this.planner = planner;
        this.migration = migration;
        this.random = random;
    }

    // ---- heartbeat ----

    /// @param regexes where expressions are looked up
    /// @throws ApiException what the member is told instead
    void heartbeat(
            MemberContext context,
            ConsumerGroupHeartbeatRequestData request,
            Reply<ConsumerGroupHeartbeatResponseData> reply,
            Reply<RegexQuestion> regexes,
            long nowMs,
            CoordinatorResult.Builder out) {
        validate(context, request);
        var response = switch (request.memberEpoch()) {
            case CurrentAssignment.LEAVING, CurrentAssignment.LEFT_STATIC -> leave(request, nowMs, out);
            default -> stay(context, request, regexes, nowMs, out);
        };
        out.then(Completion.answer(reply, response, error -> error(ClassicGroups.storeError(error), null)));
    }

    static ConsumerGroupHeartbeatResponseData error(Errors error, @Nullable String message) {
        return new ConsumerGroupHeartbeatResponseData()
                .setErrorCode(error.code())
                .setErrorMessage(message == null ? error.defaultMessage() : message);
    }

    private void validate(MemberContext context, ConsumerGroupHeartbeatRequestData request) {
        int epoch = request.memberEpoch();
        boolean mayBeNameless = context.apiVersion() < OWN_MEMBER_ID_VERSION && epoch == CurrentAssignment.JOINING;
        require(mayBeNameless || !request.memberId().isBlank(), "MemberId must not be empty.");
        require(!request.groupId().isBlank(), "GroupId must not be empty.");
        require(request.instanceId() == null || !request.instanceId().isBlank(), "InstanceId must not be empty.");
        require(request.rackId() == null || !request.rackId().isBlank(), "RackId must not be empty.");
        if (epoch == CurrentAssignment.JOINING) {
            require(request.rebalanceTimeoutMs() != -1, "Who joins must say its RebalanceTimeoutMs.");
            var owned = request.topicPartitions();
            require(owned != null && owned.isEmpty(), "Who joins must own nothing: TopicPartitions must be empty.");
            require(
                    request.subscribedTopicNames() != null || request.subscribedTopicRegex() != null,
                    "Who joins must subscribe: SubscribedTopicNames or SubscribedTopicRegex must be given.");
        } else {
            require(epoch >= CurrentAssignment.LEFT_STATIC, "There is no MemberEpoch " + epoch + ".");
            require(
                    epoch != CurrentAssignment.LEFT_STATIC || request.instanceId() != null,
                    "Only a static member comes back: InstanceId must be given.");
        }
        var assignor = request.serverAssignor();
        if (assignor != null && config.assignor(assignor) == null) {
            throw new ApiException(
                    Errors.UNSUPPORTED_ASSIGNOR,
                    "There is no assignor " + assignor + " here, only "
                            + config.assignors().stream().map(it -> it.name()).collect(Collectors.joining(", ")) + ".");
        }
    }

    private static void require(boolean condition, String message) {
        if (!condition) {
            throw new ApiException(Errors.INVALID_REQUEST, message);
        }
    }

    private ConsumerGroupHeartbeatResponseData stay(
            MemberContext context,
            ConsumerGroupHeartbeatRequestData request,
            Reply<RegexQuestion> regexes,
            long nowMs,
            CoordinatorResult.Builder out) {
        boolean joins = request.memberEpoch() == CurrentAssignment.JOINING;
        var draft = draft(request.groupId(), joins, out);
        requireRoom(draft.group(), request.memberId());
        var memberId = request.memberId().isEmpty() ? Uuid.random(random).toString() : request.memberId();
        var owned = owned(request.topicPartitions());
        var before = planner.admit(draft, memberId, request.memberEpoch(), request.instanceId(), owned, joins, false);
        var metadata = before.metadata()
                .updated(
                        request.instanceId(),
                        request.rackId(),
                        context.clientId(),
                        context.clientHost(),
                        request.subscribedTopicNames(),
                        request.subscribedTopicRegex(),
                        request.rebalanceTimeoutMs(),
                        request.serverAssignor(),
                        null);
        var member = planner.progress(draft, before, metadata, owned, regexes, nowMs);
        keepAlive(request.groupId(), member, out);
        var response = new ConsumerGroupHeartbeatResponseData()
                .setMemberId(memberId)
                .setMemberEpoch(member.epoch())
                .setHeartbeatIntervalMs(surroundings.settings().heartbeatIntervalMs(request.groupId()));
        // Who says all of this has joined, or has lost an answer, and is told all.
        boolean saysAll = request.rebalanceTimeoutMs() != -1
                && (request.subscribedTopicNames() != null || request.subscribedTopicRegex() != null)
                && owned != null;
        if (saysAll
                || !member.current().assigned().samePartitions(before.current().assigned())) {
            response.setAssignment(assignment(member.current().assigned()));
        }
        return response;
    }

    /// The group as the request finds it: one that is founded by it, or comes over from the classic protocol, is not
    /// there yet.
    ///
    /// @throws ApiException GROUP_ID_NOT_FOUND
    private GroupDraft draft(String groupId, boolean joins, CoordinatorResult.Builder out) {
        return switch (groups.find(groupId)) {
            case ConsumerGroup group -> new GroupDraft(group, out);
            case ClassicGroup group when joins -> migration.toConsumer(group, out);
            case null -> {
                if (joins) {
                    yield new GroupDraft(ConsumerGroup.empty(groupId), out);
                }
                throw notFound(groupId);
            }
            default -> throw notFound(groupId);
        };
    }

    static ApiException notFound(String groupId) {
        return new ApiException(Errors.GROUP_ID_NOT_FOUND, "There is no consumer group " + groupId + ".");
    }

    /// @throws ApiException GROUP_MAX_SIZE_REACHED
    void requireRoom(ConsumerGroup group, String memberId) {
        if (group.size() >= config.maxSize() && group.members().get(memberId) == null) {
            throw new ApiException(
                    Errors.GROUP_MAX_SIZE_REACHED,
                    "Group " + group.groupId() + " has " + config.maxSize() + " members, as many as it may have.");
        }
    }

    private static @Nullable Map<Uuid, Set<Integer>> owned(@Nullable List<TopicPartitions> topics) {
        if (topics == null) {
            return null;
        }
        var owned = new TreeMap<Uuid, Set<Integer>>();
        for (var topic : topics) {
            owned.computeIfAbsent(topic.topicId(), id -> new TreeSet<>()).addAll(topic.partitions());
        }
        return owned;
    }

    private static ConsumerGroupHeartbeatResponseData.Assignment assignment(PartitionEpochs partitions) {
        var topics = new ArrayList<ConsumerGroupHeartbeatResponseData.TopicPartitions>();
        partitions
                .byTopic()
                .forEach((topic, epochs) -> topics.add(new ConsumerGroupHeartbeatResponseData.TopicPartitions()
                        .setTopicId(topic)
                        .setPartitions(List.copyOf(epochs.keySet()))));
        return new ConsumerGroupHeartbeatResponseData.Assignment().setTopicPartitions(topics);
    }

    /// Puts off the end of the member's session.
    void keepAlive(String groupId, ConsumerGroupMember member, CoordinatorResult.Builder out) {
        var classic = member.metadata().classic();
        out.schedule(
                new GroupTimer.SessionTimeout(groupId, member.id()),
                classic == null ? surroundings.settings().sessionTimeoutMs(groupId) : classic.sessionTimeoutMs());
    }

    // ---- leave ----

    private ConsumerGroupHeartbeatResponseData leave(
            ConsumerGroupHeartbeatRequestData request, long nowMs, CoordinatorResult.Builder out) {
        var group = groups.consumer(request.groupId());
        if (group == null) {
            throw notFound(request.groupId());
        }
        var member = group.member(request.memberId(), request.instanceId());
        if (request.instanceId() != null && request.memberEpoch() == CurrentAssignment.LEFT_STATIC) {
            // It keeps its partitions until it is back under another id, or its session ends.
            var current = member.current();
            out.write(ConsumerGroupRecords.current(
                    group.groupId(),
                    member.id(),
                    new CurrentAssignment(
                            CurrentAssignment.LEFT_STATIC,
                            current.previousEpoch(),
                            current.state(),
                            current.assigned().inEpochZero(),
                            PartitionEpochs.NONE)));
        } else {
            remove(group, List.of(member), nowMs, out);
        }
        return new ConsumerGroupHeartbeatResponseData()
                .setMemberId(request.memberId())
                .setMemberEpoch(request.memberEpoch());
    }

    /// The members are out. If only members of the classic protocol are left, the group goes back to it.
    void remove(ConsumerGroup group, List<ConsumerGroupMember> leaving, long nowMs, CoordinatorResult.Builder out) {
        if (leaving.isEmpty()) {
            return;
        }
        if (migration.isDowngrade(group, leaving)) {
            migration.toClassic(group, leaving, nowMs, out);
        } else {
            planner.remove(new GroupDraft(group, out), leaving);
        }
    }

    // ---- time ----

    void onSessionTimeout(GroupTimer.SessionTimeout timer, long nowMs, CoordinatorResult.Builder out) {
        expire(timer.groupId(), timer.memberId(), nowMs, out);
    }

    void onRevocationTimeout(GroupTimer.RevocationTimeout timer, long nowMs, CoordinatorResult.Builder out) {
        var group = groups.consumer(timer.groupId());
        var member = group == null ? null : group.members().get(timer.memberId());
        if (member != null && member.epoch() == timer.memberEpoch()) {
            expire(timer.groupId(), timer.memberId(), nowMs, out);
        }
    }

    void onRejoinTimeout(GroupTimer.RejoinTimeout timer, long nowMs, CoordinatorResult.Builder out) {
        memory.hasRejoined(timer.groupId(), timer.memberId(), out);
        expire(timer.groupId(), timer.memberId(), nowMs, out);
    }

    void onFetchAssignmentTimeout(GroupTimer.FetchAssignmentTimeout timer, long nowMs, CoordinatorResult.Builder out) {
        expire(timer.groupId(), timer.memberId(), nowMs, out);
    }

    private void expire(String groupId, String memberId, long nowMs, CoordinatorResult.Builder out) {
        var group = groups.consumer(groupId);
        var member = group == null ? null : group.members().get(memberId);
        if (group != null && member != null) {
            remove(group, List.of(member), nowMs, out);
            // The log may refuse it for now; then the member's time ends once more.
            out.then(new Completion() {
                @Override
                public CoordinatorResult onCommitted(long now) {
                    return CoordinatorResult.NOTHING;
                }

                @Override
                public CoordinatorResult onFailed(Errors error, long now) {
                    var rest = new CoordinatorResult.Builder();
                    var still = groups.consumer(groupId);
                    if (still != null && still.members().get(memberId) != null) {
                        keepAlive(groupId, member, rest);
                    }
                    return rest.build();
                }
            });
        }
    }

    // ---- topics ----

    /// Topics came, went or grew.
    void onTopicsChanged(Set<String> names, boolean anyNew, long metadataOffset) {
        if (anyNew) {
            memory.newTopicsAt(metadataOffset);
        }
        for (var group : groups.map().values()) {
            if (group instanceof ConsumerGroup consumers && names.stream().anyMatch(consumers::isSubscribedTo)) {
                memory.topicsChanged(consumers.groupId());
            }
        }
    }

    void onRegexesResolved(String groupId, Map<String, ResolvedRegex> answers, CoordinatorResult.Builder out) {
        var group = groups.consumer(groupId);
        if (group != null) {
            planner.resolved(new GroupDraft(group, out), answers);
        }
    }

    // ---- life of the shard ----

    void onLoaded(CoordinatorResult.Builder out) {
        memory.newTopicsAt(surroundings.image().get().offset());
        for (var group : groups.map().values()) {
            if (group instanceof ConsumerGroup consumers) {
                for (var member : consumers.members().all()) {
                    keepAlive(consumers.groupId(), member, out);
                    if (member.current().is(MemberState.UNREVOKED_PARTITIONS) && !member.isClassic()) {
                        out.schedule(
                                new GroupTimer.RevocationTimeout(consumers.groupId(), member.id(), member.epoch()),
                                member.metadata().rebalanceTimeoutMs());
                    }
                }
            }
        }
    }

    /// The group is gone, or is one of the other protocol now.
    void forget(String groupId) {
        memory.forget(groupId);
    }
}
