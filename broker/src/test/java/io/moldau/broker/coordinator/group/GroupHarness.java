package io.moldau.broker.coordinator.group;

import io.moldau.broker.coordinator.group.consumer.TopicRegexes;
import io.moldau.broker.coordinator.runtime.Completion;
import io.moldau.broker.coordinator.runtime.CoordinatorRecord;
import io.moldau.broker.coordinator.runtime.CoordinatorResult;
import io.moldau.broker.coordinator.runtime.Effect;
import io.moldau.broker.coordinator.runtime.TimerEvent;
import io.moldau.common.Errors;
import io.moldau.common.Uuid;
import io.moldau.metadata.image.MetadataDelta;
import io.moldau.metadata.image.MetadataImage;
import io.moldau.metadata.image.MetadataProvenance;
import io.moldau.metadata.record.MetadataRecord;
import io.moldau.metadata.record.MetadataRecords;
import io.moldau.metadata.record.PartitionRecord;
import io.moldau.metadata.record.RemoveTopicRecord;
import io.moldau.metadata.record.TopicRecord;
import io.moldau.wire.message.ConsumerGroupHeartbeatRequestData;
import io.moldau.wire.message.ConsumerGroupHeartbeatResponseData;
import io.moldau.wire.message.DeleteGroupsResponseData.DeletableGroupResult;
import io.moldau.wire.message.HeartbeatRequestData;
import io.moldau.wire.message.HeartbeatResponseData;
import io.moldau.wire.message.JoinGroupRequestData;
import io.moldau.wire.message.JoinGroupRequestData.JoinGroupRequestProtocol;
import io.moldau.wire.message.JoinGroupResponseData;
import io.moldau.wire.message.LeaveGroupRequestData;
import io.moldau.wire.message.LeaveGroupRequestData.MemberIdentity;
import io.moldau.wire.message.LeaveGroupResponseData;
import io.moldau.wire.message.OffsetCommitRequestData;
import io.moldau.wire.message.OffsetCommitRequestData.OffsetCommitRequestPartition;
import io.moldau.wire.message.OffsetCommitRequestData.OffsetCommitRequestTopic;
import io.moldau.wire.message.OffsetCommitResponseData;
import io.moldau.wire.message.OffsetDeleteRequestData;
import io.moldau.wire.message.OffsetDeleteRequestData.OffsetDeleteRequestPartition;
import io.moldau.wire.message.OffsetDeleteRequestData.OffsetDeleteRequestTopic;
import io.moldau.wire.message.OffsetDeleteResponseData;
import io.moldau.wire.message.OffsetFetchRequestData.OffsetFetchRequestGroup;
import io.moldau.wire.message.OffsetFetchRequestData.OffsetFetchRequestTopics;
import io.moldau.wire.message.OffsetFetchResponseData.OffsetFetchResponseGroup;
import io.moldau.wire.message.SyncGroupRequestData;
import io.moldau.wire.message.SyncGroupRequestData.SyncGroupRequestAssignment;
import io.moldau.wire.message.SyncGroupResponseData;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/// Drives one [GroupShard] by hand: a clock that only the test moves, a log that is a list, commits that can be held
/// back or refused.
final class GroupHarness {

    static final String GROUP = "g";
    static final int SESSION_MS = 10_000;
    static final int REBALANCE_MS = 60_000;
    static final int CONSUMER_SESSION_MS = 45_000;
    static final int CONSUMER_HEARTBEAT_MS = 5_000;

    private record Pending(long sequence, List<Completion> completions) {}

    private record Armed(TimerEvent event, long deadlineMs) {}

    private final GroupCoordinatorConfig config;
    private final SplittableRandom random;
    private final GroupSurroundings surroundings;
    private MetadataImage image = MetadataImage.EMPTY;
    private final List<RegexQuestion> regexQuestions = new ArrayList<>();
    private GroupShard shard;
    private long nowMs = 1_000_000L;
    private long sequence = 1;
    private boolean holding;
    private @Nullable Errors refusal;
    private final List<Group.Type> rebalances = new ArrayList<>();
    private final List<CoordinatorRecord> log = new ArrayList<>();
    private final ArrayDeque<Pending> pending = new ArrayDeque<>();
    private final Map<Object, Armed> timers = new LinkedHashMap<>();
    private String groupId = GROUP;

    GroupHarness() {
        this(GroupCoordinatorConfig.DEFAULTS.withInitialRebalanceDelayMs(0), 1L);
    }

    GroupHarness(GroupCoordinatorConfig config, long seed) {
        this(config, seed, 0);
    }

    /// @param assignmentIntervalMs of consumer groups
    GroupHarness(GroupCoordinatorConfig config, long seed, int assignmentIntervalMs) {
        this.config = config;
        this.random = new SplittableRandom(seed);
        this.surroundings = new GroupSurroundings(
                () -> image,
                GroupSettings.fixed(CONSUMER_SESSION_MS, CONSUMER_HEARTBEAT_MS, assignmentIntervalMs),
                rebalances::add);
        this.shard = new GroupShard(config, random.split(), surroundings);
        shard.timeline().writeAt(sequence);
    }

    /// Of which kind the groups were that divided their partitions anew, in order.
    List<Group.Type> rebalances() {
        return rebalances;
    }

    GroupShard shard() {
        return shard;
    }

    List<CoordinatorRecord> log() {
        return log;
    }

    long nowMs() {
        return nowMs;
    }

    // ---- topics ----

    /// Creates the topic, or gives it more partitions.
    Uuid topic(String name, int partitions) {
        return topic(name, partitions, true);
    }

    /// @param told whether the shard hears of it
    Uuid topic(String name, int partitions, boolean told) {
        var existing = image.topics().topic(name);
        var id = existing == null ? Uuid.random(random) : existing.id();
        var records = new ArrayList<MetadataRecord>();
        if (existing == null) {
            records.add(MetadataRecords.of(TopicRecord.newBuilder()
                    .setName(name)
                    .setTopicId(MetadataRecords.id(id))
                    .build()));
        }
        for (int i = existing == null ? 0 : existing.partitions().size(); i < partitions; i++) {
            records.add(MetadataRecords.of(PartitionRecord.newBuilder()
                    .setPartitionId(i)
                    .setTopicId(MetadataRecords.id(id))
                    .addReplicas(1)
                    .addIsr(1)
                    .setLeader(1)
                    .addDirectories(MetadataRecords.id(new Uuid(60, 1)))
                    .build()));
        }
        change(records);
        if (told) {
            run(shard.onTopicsChanged(Set.of(name), existing == null, image.offset()));
        }
        return id;
    }

    void deleteTopic(String name) {
        var id = Objects.requireNonNull(image.topics().topic(name)).id();
        change(List.of(MetadataRecords.of(RemoveTopicRecord.newBuilder()
                .setTopicId(MetadataRecords.id(id))
                .build())));
        run(shard.onTopicsDeleted(Map.of(name, id)));
        run(shard.onTopicsChanged(Set.of(name), false, image.offset()));
    }

    private void change(List<MetadataRecord> records) {
        var delta = new MetadataDelta(image);
        delta.replayAll(records);
        image = delta.apply(new MetadataProvenance(image.offset() + 1, 1, 0));
    }

    MetadataImage image() {
        return image;
    }

    // ---- consumer protocol ----

    ConsumerGroup consumerGroup() {
        return Objects.requireNonNull(shard.consumerGroup(groupId), "no consumer group " + groupId);
    }

    /// Who has said nothing yet and wants to join.
    ConsumerGroupHeartbeatRequestData joining(String memberId, String... topics) {
        return new ConsumerGroupHeartbeatRequestData()
                .setGroupId(groupId)
                .setMemberId(memberId)
                .setMemberEpoch(0)
                .setRebalanceTimeoutMs(REBALANCE_MS)
                .setSubscribedTopicNames(List.of(topics))
                .setTopicPartitions(List.of());
    }

    /// A heartbeat that says nothing new.
    ConsumerGroupHeartbeatRequestData beat(String memberId, int epoch) {
        return new ConsumerGroupHeartbeatRequestData()
                .setGroupId(groupId)
                .setMemberId(memberId)
                .setMemberEpoch(epoch);
    }

    Answer<ConsumerGroupHeartbeatResponseData> heartbeat(ConsumerGroupHeartbeatRequestData request, int version) {
        var answer = new Answer<ConsumerGroupHeartbeatResponseData>();
        run(shard.consumerHeartbeat(context(version), request, answer, regexQuestions::add, nowMs));
        return answer;
    }

    ConsumerGroupHeartbeatResponseData heartbeat(ConsumerGroupHeartbeatRequestData request) {
        return heartbeat(request, 1).get();
    }

    Errors errorOf(ConsumerGroupHeartbeatRequestData request) {
        return Errors.forCode(heartbeat(request).errorCode());
    }

    /// What expressions are to be looked up.
    List<RegexQuestion> regexQuestions() {
        return regexQuestions;
    }

    /// Looks them up.
    void answerRegexes() {
        for (var question : List.copyOf(regexQuestions)) {
            regexQuestions.remove(question);
            run(shard.onRegexesResolved(question.groupId(), TopicRegexes.resolve(question.regexes(), image, nowMs)));
        }
    }

    ClassicGroup group() {
        return Objects.requireNonNull(shard.group(groupId), "no group " + groupId);
    }

    /// The group that requests name from here on.
    GroupHarness inGroup(String id) {
        groupId = id;
        return this;
    }

    // ---- the shell's part ----

    void run(CoordinatorResult result) {
        for (var effect : result.effects()) {
            switch (effect) {
                case Effect.Answer<?> answer -> deliver(answer);
                case Effect.Schedule(TimerEvent event, long delayMs) ->
                    timers.put(event.key(), new Armed(event, nowMs + delayMs));
                case Effect.Cancel(Object key) -> timers.remove(key);
            }
        }
        if (!result.records().isEmpty() && refusal != null) {
            var error = refusal;
            refusal = null;
            shard.timeline().revertTo(sequence - 1);
            for (var completion : result.completions()) {
                run(completion.onFailed(error, nowMs));
            }
            return;
        }
        long written = sequence;
        if (!result.records().isEmpty()) {
            for (var record : result.records()) {
                log.add(reread(record));
                if (result.replay()) {
                    shard.replay(-1L, (short) -1, record);
                }
            }
            sequence++;
            shard.timeline().writeAt(sequence);
        }
        if (!result.records().isEmpty() || !pending.isEmpty()) {
            pending.addLast(new Pending(written, result.completions()));
            if (!holding) {
                commitAll();
            }
        } else {
            complete(result.completions());
        }
    }

    private static <T> void deliver(Effect.Answer<T> answer) {
        answer.reply().complete(answer.response());
    }

    private void complete(List<Completion> completions) {
        for (var completion : completions) {
            run(completion.onCommitted(nowMs));
        }
    }

    /// From here on nothing is committed until [#commitAll].
    void holdCommits() {
        holding = true;
    }

    void commitAll() {
        holding = false;
        for (var head = pending.poll(); head != null; head = pending.poll()) {
            shard.timeline().commitUpTo(head.sequence());
            complete(head.completions());
        }
    }

    /// The next write fails.
    void refuseNextWrite(Errors error) {
        refusal = error;
    }

    /// What comes back from the log, so that every test also tests the records' bytes.
    private static CoordinatorRecord reread(CoordinatorRecord record) {
        var value = record.encodedValue();
        return Objects.requireNonNull(new GroupRecordDecoder()
                .decode(ByteBuffer.wrap(record.encodedKey()), value == null ? null : ByteBuffer.wrap(value)));
    }

    /// Lets time pass; what falls due on the way happens in order.
    void advance(long ms) {
        long until = nowMs + ms;
        while (true) {
            var next = timers.entrySet().stream()
                    .filter(entry -> entry.getValue().deadlineMs() <= until)
                    .min((a, b) ->
                            Long.compare(a.getValue().deadlineMs(), b.getValue().deadlineMs()));
            if (next.isEmpty()) {
                nowMs = until;
                return;
            }
            timers.remove(next.get().getKey());
            nowMs = Math.max(nowMs, next.get().getValue().deadlineMs());
            run(shard.onTimer(next.get().getValue().event(), nowMs));
        }
    }

    boolean hasTimer(Object key) {
        return timers.containsKey(key);
    }

    /// As after a fail-over: a new shard that knows nothing but the log.
    void restart() {
        run(shard.onUnloaded(Errors.NOT_COORDINATOR));
        pending.clear();
        timers.clear();
        shard = replayed();
        shard.timeline().writeAt(sequence);
        run(shard.onLoaded(nowMs));
    }

    /// A shard with what the log says.
    GroupShard replayed() {
        var other = new GroupShard(config, random.split(), surroundings);
        for (var record : log) {
            other.replay(-1L, (short) -1, record);
        }
        return other;
    }

    // ---- requests ----

    static MemberContext context(int version) {
        return new MemberContext("client", "/127.0.0.1", (short) version);
    }

    JoinGroupRequestData joinRequest(String memberId) {
        return new JoinGroupRequestData()
                .setGroupId(groupId)
                .setMemberId(memberId)
                .setSessionTimeoutMs(SESSION_MS)
                .setRebalanceTimeoutMs(REBALANCE_MS)
                .setProtocolType("consumer")
                .setProtocols(new ArrayList<>(List.of(protocol("range", "m"))));
    }

    static JoinGroupRequestProtocol protocol(String name, String... topics) {
        return new JoinGroupRequestProtocol().setName(name).setMetadata(subscription(topics));
    }

    /// A version 0 subscription.
    static byte[] subscription(String... topics) {
        var out = ByteBuffer.allocate(1024).putShort((short) 0).putInt(topics.length);
        for (var topic : topics) {
            out.putShort((short) topic.length()).put(topic.getBytes(StandardCharsets.UTF_8));
        }
        out.putInt(-1);
        var bytes = new byte[out.position()];
        out.get(0, bytes);
        return bytes;
    }

    Answer<JoinGroupResponseData> join(String memberId) {
        return join(joinRequest(memberId), 9);
    }

    Answer<JoinGroupResponseData> join(JoinGroupRequestData request, int version) {
        var answer = new Answer<JoinGroupResponseData>();
        run(shard.join(context(version), request, answer, regexQuestions::add, nowMs));
        return answer;
    }

    /// Joins without an id, and again with the one given.
    Answer<JoinGroupResponseData> joinTwice() {
        return join(join("").get().memberId());
    }

    Answer<SyncGroupResponseData> sync(String memberId, int generation, Map<String, String> assignments) {
        var bytes = new LinkedHashMap<String, byte[]>();
        assignments.forEach((member, text) -> bytes.put(member, text.getBytes(StandardCharsets.UTF_8)));
        return syncBytes(memberId, generation, bytes);
    }

    Answer<SyncGroupResponseData> syncBytes(String memberId, int generation, Map<String, byte[]> assignments) {
        return sync(new SyncGroupRequestData()
                .setGroupId(groupId)
                .setMemberId(memberId)
                .setGenerationId(generation)
                .setAssignments(assignments.entrySet().stream()
                        .map(entry -> new SyncGroupRequestAssignment()
                                .setMemberId(entry.getKey())
                                .setAssignment(entry.getValue()))
                        .toList()));
    }

    Answer<SyncGroupResponseData> sync(SyncGroupRequestData request) {
        var answer = new Answer<SyncGroupResponseData>();
        run(shard.sync(request, answer, nowMs));
        return answer;
    }

    Errors heartbeat(String memberId, int generation) {
        return heartbeat(memberId, generation, null);
    }

    Errors heartbeat(String memberId, int generation, @Nullable String instanceId) {
        var answer = new Answer<HeartbeatResponseData>();
        run(shard.heartbeat(
                new HeartbeatRequestData()
                        .setGroupId(groupId)
                        .setMemberId(memberId)
                        .setGenerationId(generation)
                        .setGroupInstanceId(instanceId),
                answer));
        return Errors.forCode(answer.get().errorCode());
    }

    Answer<LeaveGroupResponseData> leave(String memberId) {
        return leave(new MemberIdentity().setMemberId(memberId));
    }

    Answer<LeaveGroupResponseData> leave(MemberIdentity... members) {
        var answer = new Answer<LeaveGroupResponseData>();
        run(shard.leave(new LeaveGroupRequestData().setGroupId(groupId).setMembers(List.of(members)), answer, nowMs));
        return answer;
    }

    OffsetCommitRequestData commitRequest(String memberId, int generation, String topic, int partition, long offset) {
        return new OffsetCommitRequestData()
                .setGroupId(groupId)
                .setMemberId(memberId)
                .setGenerationIdOrMemberEpoch(generation)
                .setTopics(List.of(new OffsetCommitRequestTopic()
                        .setName(topic)
                        .setPartitions(List.of(new OffsetCommitRequestPartition()
                                .setPartitionIndex(partition)
                                .setCommittedOffset(offset)
                                .setCommittedLeaderEpoch(3)
                                .setCommittedMetadata("note")))));
    }

    Answer<OffsetCommitResponseData> commit(OffsetCommitRequestData request) {
        return commit(request, 9);
    }

    Answer<OffsetCommitResponseData> commit(OffsetCommitRequestData request, int version) {
        var answer = new Answer<OffsetCommitResponseData>();
        run(shard.commitOffsets(context(version), request, answer, nowMs));
        return answer;
    }

    Errors commitError(String memberId, int generation) {
        return errorOf(commit(commitRequest(memberId, generation, "t", 0, 7L)).get());
    }

    static Errors errorOf(OffsetCommitResponseData response) {
        return Errors.forCode(
                response.topics().getFirst().partitions().getFirst().errorCode());
    }

    Answer<OffsetFetchResponseGroup> fetch(boolean requireStable, String topic, Integer... partitions) {
        var answer = new Answer<OffsetFetchResponseGroup>();
        run(shard.fetchOffsets(
                new OffsetFetchRequestGroup()
                        .setGroupId(groupId)
                        .setTopics(List.of(new OffsetFetchRequestTopics()
                                .setName(topic)
                                .setPartitionIndexes(List.of(partitions)))),
                requireStable,
                answer));
        return answer;
    }

    Errors fetchError(@Nullable String memberId, int memberEpoch) {
        var answer = new Answer<OffsetFetchResponseGroup>();
        run(shard.fetchOffsets(
                new OffsetFetchRequestGroup()
                        .setGroupId(groupId)
                        .setMemberId(memberId)
                        .setMemberEpoch(memberEpoch)
                        .setTopics(null),
                false,
                answer));
        return Errors.forCode(answer.get().errorCode());
    }

    Answer<OffsetFetchResponseGroup> fetchAll() {
        var answer = new Answer<OffsetFetchResponseGroup>();
        run(shard.fetchOffsets(new OffsetFetchRequestGroup().setGroupId(groupId).setTopics(null), false, answer));
        return answer;
    }

    long committed(String topic, int partition) {
        return fetch(false, topic, partition)
                .get()
                .topics()
                .getFirst()
                .partitions()
                .getFirst()
                .committedOffset();
    }

    Answer<OffsetDeleteResponseData> deleteOffsets(String topic, int partition) {
        var answer = new Answer<OffsetDeleteResponseData>();
        run(shard.deleteOffsets(
                new OffsetDeleteRequestData()
                        .setGroupId(groupId)
                        .setTopics(List.of(new OffsetDeleteRequestTopic()
                                .setName(topic)
                                .setPartitions(
                                        List.of(new OffsetDeleteRequestPartition().setPartitionIndex(partition))))),
                answer));
        return answer;
    }

    Errors deleteError(String topic, int partition) {
        return Errors.forCode(deleteOffsets(topic, partition)
                .get()
                .topics()
                .getFirst()
                .partitions()
                .getFirst()
                .errorCode());
    }

    Errors deleteGroup() {
        var answer = new Answer<DeletableGroupResult>();
        run(shard.deleteGroup(groupId, answer));
        return Errors.forCode(answer.get().errorCode());
    }

    // ---- stories that many tests begin with ----

    /// A group in its first generation whose assignment every member has.
    ///
    /// @return the members' ids, the leader's first
    List<String> stableGroup(int size) {
        var ids = new ArrayList<String>();
        for (int i = 0; i < size; i++) {
            ids.add(join("").get().memberId());
        }
        var joins = ids.stream().map(this::join).toList();
        advance(0);
        joins.forEach(join -> expectNoError(join.get().errorCode()));
        int generation = joins.getFirst().get().generationId();
        var leader = joins.getFirst().get().leader();
        var assignments = new LinkedHashMap<String, String>();
        ids.forEach(id -> assignments.put(id, "for " + id));
        var syncs = ids.stream()
                .map(id -> sync(id, generation, id.equals(leader) ? assignments : Map.of()))
                .toList();
        syncs.forEach(sync -> expectNoError(sync.get().errorCode()));
        ids.remove(leader);
        ids.addFirst(leader);
        return ids;
    }

    private static void expectNoError(short code) {
        if (code != 0) {
            throw new AssertionError(Errors.forCode(code));
        }
    }
}
