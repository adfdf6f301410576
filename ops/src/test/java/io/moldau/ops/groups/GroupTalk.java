package io.moldau.ops.groups;

import io.moldau.broker.api.data.RawClient;
import io.moldau.common.Errors;
import io.moldau.common.Uuid;
import io.moldau.ops.chaos.cluster.Await;
import io.moldau.wire.message.ConsumerGroupDescribeRequestData;
import io.moldau.wire.message.ConsumerGroupDescribeResponseData;
import io.moldau.wire.message.ConsumerGroupHeartbeatRequestData;
import io.moldau.wire.message.ConsumerGroupHeartbeatResponseData;
import io.moldau.wire.message.DeleteGroupsRequestData;
import io.moldau.wire.message.DeleteGroupsResponseData;
import io.moldau.wire.message.DescribeGroupsRequestData;
import io.moldau.wire.message.DescribeGroupsResponseData;
import io.moldau.wire.message.DescribeGroupsResponseData.DescribedGroup;
import io.moldau.wire.message.DescribeGroupsResponseData.DescribedGroupMember;
import io.moldau.wire.message.HeartbeatRequestData;
import io.moldau.wire.message.JoinGroupRequestData;
import io.moldau.wire.message.JoinGroupRequestData.JoinGroupRequestProtocol;
import io.moldau.wire.message.JoinGroupResponseData;
import io.moldau.wire.message.JoinGroupResponseData.JoinGroupResponseMember;
import io.moldau.wire.message.LeaveGroupRequestData;
import io.moldau.wire.message.LeaveGroupRequestData.MemberIdentity;
import io.moldau.wire.message.ListGroupsRequestData;
import io.moldau.wire.message.ListGroupsResponseData;
import io.moldau.wire.message.MetadataRequestData;
import io.moldau.wire.message.MetadataRequestData.MetadataRequestTopic;
import io.moldau.wire.message.MetadataResponseData;
import io.moldau.wire.message.OffsetCommitRequestData;
import io.moldau.wire.message.OffsetCommitRequestData.OffsetCommitRequestPartition;
import io.moldau.wire.message.OffsetCommitRequestData.OffsetCommitRequestTopic;
import io.moldau.wire.message.OffsetDeleteRequestData;
import io.moldau.wire.message.OffsetDeleteRequestData.OffsetDeleteRequestPartition;
import io.moldau.wire.message.OffsetDeleteRequestData.OffsetDeleteRequestTopic;
import io.moldau.wire.message.OffsetFetchRequestData;
import io.moldau.wire.message.OffsetFetchRequestData.OffsetFetchRequestGroup;
import io.moldau.wire.message.OffsetFetchRequestData.OffsetFetchRequestTopic;
import io.moldau.wire.message.OffsetFetchRequestData.OffsetFetchRequestTopics;
import io.moldau.wire.message.OffsetFetchResponseData;
import io.moldau.wire.message.SyncGroupRequestData;
import io.moldau.wire.message.SyncGroupRequestData.SyncGroupRequestAssignment;
import io.moldau.wire.message.SyncGroupResponseData;
import io.moldau.wire.protocol.ApiKey;
import io.moldau.wire.protocol.Message;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/// What a group's members and others ask of one node, and what it answers, as a text in which ids of members are the
/// names that they have in the story. Owned by the thread that tells the story.
final class GroupTalk implements AutoCloseable {

    private static final Pattern ERROR = Pattern.compile("errorCode=(-?\\d+)");
    private static final Pattern UNKNOWN_ID =
            Pattern.compile("[\\w.]+-[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}");
    private static final Duration SOON = Duration.ofSeconds(30);

    private final InetSocketAddress address;
    private final String group;
    private final Map<String, RawClient> connections = new HashMap<>();
    /// By id, longer ones first: one may begin another.
    private final Map<String, String> names =
            new TreeMap<>(Comparator.comparing((String id) -> -id.length()).thenComparing(Comparator.naturalOrder()));
    private final Map<String, String> ids = new HashMap<>();
    private final List<String> lines = new ArrayList<>();

    GroupTalk(String bootstrap, String group) {
        int colon = bootstrap.lastIndexOf(':');
        address =
                new InetSocketAddress(bootstrap.substring(0, colon), Integer.parseInt(bootstrap.substring(colon + 1)));
        this.group = group;
    }

    String group() {
        return group;
    }

    int port() {
        return address.getPort();
    }

    /// Takes in what was told elsewhere.
    void lines(List<String> others) {
        lines.addAll(others);
    }

    List<String> lines() {
        return List.copyOf(lines);
    }

    Member member(String name) {
        return new Member(name, null);
    }

    Member staticMember(String name, String instance) {
        return new Member(name, instance);
    }

    // ---- others than members ----

    void describe(int version) {
        tell("describe", version, described(version));
    }

    private DescribedGroup described(int version) {
        var group = call(
                        "admin", ApiKey.DESCRIBE_GROUPS, version, request(this.group), DescribeGroupsResponseData.class)
                .groups()
                .getFirst();
        group.members().sort(Comparator.comparing((DescribedGroupMember member) -> nameOf(member.memberId())));
        return group;
    }

    private static DescribeGroupsRequestData request(String group) {
        return new DescribeGroupsRequestData().setGroups(List.of(group));
    }

    /// Waits; what is seen on the way is not told.
    void await(String state) {
        Await.until(
                state,
                SOON,
                () -> described(4).groupState().equals(state),
                () -> described(4).toString());
        lines.add("the group is " + state);
    }

    void awaitConsumer(String state) {
        Await.until(
                state,
                SOON,
                () -> call(
                                "admin",
                                ApiKey.CONSUMER_GROUP_DESCRIBE,
                                1,
                                new ConsumerGroupDescribeRequestData().setGroupIds(List.of(group)),
                                ConsumerGroupDescribeResponseData.class)
                        .groups()
                        .getFirst()
                        .groupState()
                        .equals(state),
                () -> "");
        lines.add("the group is " + state);
    }

    void await(int members) {
        Await.until(
                members + " members",
                SOON,
                () -> described(4).members().size() == members,
                () -> described(4).toString());
        lines.add("the group has members: " + members);
    }

    /// Until everybody is shown the group. Whoever gets an id in a new group may have it, from
    /// Apache Kafka, some milliseconds before that.
    private void awaitListed() {
        Await.until(
                "group " + group + " is listed",
                SOON,
                () -> listed(5, List.of(), List.of()).groups().stream()
                        .anyMatch(listed -> listed.groupId().equals(group)),
                () -> "");
    }

    private ListGroupsResponseData listed(int version, List<String> states, List<String> types) {
        return call(
                "admin",
                ApiKey.LIST_GROUPS,
                version,
                new ListGroupsRequestData().setStatesFilter(states).setTypesFilter(types),
                ListGroupsResponseData.class);
    }

    void list(int version, List<String> states, List<String> types) {
        var listed = listed(version, states, types);
        listed.groups().removeIf(other -> !other.groupId().equals(group));
        tell("list " + states + " " + types, version, listed);
    }

    void delete() {
        delete(group);
    }

    void delete(String... groups) {
        var answer = call(
                "admin",
                ApiKey.DELETE_GROUPS,
                2,
                new DeleteGroupsRequestData().setGroupsNames(List.of(groups)),
                DeleteGroupsResponseData.class);
        answer.results().sort(Comparator.comparing(DeleteGroupsResponseData.DeletableGroupResult::groupId));
        tell("delete " + List.of(groups), 2, answer);
    }

    void deleteOffsets(String... topics) {
        ask(
                "admin",
                "delete offsets of " + List.of(topics),
                ApiKey.OFFSET_DELETE,
                0,
                new OffsetDeleteRequestData()
                        .setGroupId(group)
                        .setTopics(Arrays.stream(topics)
                                .map(topic -> new OffsetDeleteRequestTopic()
                                        .setName(topic)
                                        .setPartitions(
                                                List.of(new OffsetDeleteRequestPartition().setPartitionIndex(0))))
                                .toList()));
    }

    /// By somebody who is no member.
    void commit(String topic, long offset) {
        commit("outsider", 8, "", null, -1, topic, offset, "");
    }

    void commit(
            String who,
            int version,
            String memberId,
            @Nullable String instance,
            int generation,
            String topic,
            long offset,
            @Nullable String metadata) {
        ask(
                who,
                "commit " + topic + " " + offset + " in generation " + generation,
                ApiKey.OFFSET_COMMIT,
                version,
                new OffsetCommitRequestData()
                        .setGroupId(group)
                        .setMemberId(memberId)
                        .setGroupInstanceId(instance)
                        .setGenerationIdOrMemberEpoch(generation)
                        .setTopics(List.of(new OffsetCommitRequestTopic()
                                .setName(topic)
                                .setPartitions(List.of(new OffsetCommitRequestPartition()
                                        .setPartitionIndex(0)
                                        .setCommittedOffset(offset)
                                        .setCommittedLeaderEpoch(-1)
                                        .setCommittedMetadata(metadata))))));
    }

    /// @param topic null for all
    void fetch(int version, @Nullable String topic) {
        var answer = call(
                "outsider", ApiKey.OFFSET_FETCH, version, fetchRequest(version, topic), OffsetFetchResponseData.class);
        answer.topics().sort(Comparator.comparing(OffsetFetchResponseData.OffsetFetchResponseTopic::name));
        for (var one : answer.groups()) {
            one.topics().sort(Comparator.comparing(OffsetFetchResponseData.OffsetFetchResponseTopics::name));
        }
        tell("fetch " + topic, version, answer);
    }

    /// With the id that the node has for the topic, or one that it cannot know.
    void fetchById(String topic) {
        ask(
                "outsider",
                "fetch " + topic + " by id",
                ApiKey.OFFSET_FETCH,
                10,
                fetchRequest(
                        "",
                        -1,
                        new OffsetFetchRequestTopics()
                                .setTopicId(topicId(topic))
                                .setPartitionIndexes(List.of(0, 9))));
    }

    /// As a member of a consumer group would (KIP-848).
    void fetchAs(String memberId, int epoch, String topic) {
        ask(
                "outsider",
                "fetch in epoch " + epoch,
                ApiKey.OFFSET_FETCH,
                9,
                fetchRequest(
                        memberId,
                        epoch,
                        new OffsetFetchRequestTopics().setName(topic).setPartitionIndexes(List.of(0))));
    }

    private OffsetFetchRequestData fetchRequest(String memberId, int epoch, OffsetFetchRequestTopics topic) {
        return new OffsetFetchRequestData()
                .setGroups(List.of(new OffsetFetchRequestGroup()
                        .setGroupId(group)
                        .setMemberId(memberId.isEmpty() ? null : memberId)
                        .setMemberEpoch(epoch)
                        .setTopics(List.of(topic))));
    }

    void commitById(String topic, long offset) {
        ask(
                "outsider",
                "commit " + topic + " by id",
                ApiKey.OFFSET_COMMIT,
                10,
                new OffsetCommitRequestData()
                        .setGroupId(group)
                        .setGenerationIdOrMemberEpoch(-1)
                        .setTopics(List.of(new OffsetCommitRequestTopic()
                                .setTopicId(topicId(topic))
                                .setPartitions(List.of(new OffsetCommitRequestPartition()
                                        .setPartitionIndex(0)
                                        .setCommittedOffset(offset)
                                        .setCommittedMetadata(""))))));
    }

    Uuid topicId(String topic) {
        var answer = call(
                "admin",
                ApiKey.METADATA,
                12,
                new MetadataRequestData()
                        .setTopics(List.of(new MetadataRequestTopic().setName(topic)))
                        .setAllowAutoTopicCreation(false),
                MetadataResponseData.class);
        Uuid id = answer.topics().getFirst().topicId();
        id = id.equals(Uuid.ZERO) ? new Uuid(7, 7) : id;
        ids.put(id.toString(), topic);
        return id;
    }

    private OffsetFetchRequestData fetchRequest(int version, @Nullable String topic) {
        if (version < 8) {
            return new OffsetFetchRequestData()
                    .setGroupId(group)
                    .setTopics(
                            topic == null
                                    ? null
                                    : List.of(new OffsetFetchRequestTopic()
                                            .setName(topic)
                                            .setPartitionIndexes(List.of(0, 9))));
        }
        return new OffsetFetchRequestData()
                .setGroups(List.of(new OffsetFetchRequestGroup()
                        .setGroupId(group)
                        .setTopics(
                                topic == null
                                        ? null
                                        : List.of(new OffsetFetchRequestTopics()
                                                .setName(topic)
                                                .setPartitionIndexes(List.of(0, 9))))));
    }

    // ---- the wire ----

    void ask(String who, String what, ApiKey api, int version, Message request) {
        tell(who + ": " + what, version, call(who, api, version, request, Message.class));
    }

    private <M extends Message> M call(String who, ApiKey api, int version, Message request, Class<M> type) {
        return connection(who).call(api, version, request, type);
    }

    private RawClient connection(String who) {
        return connections.computeIfAbsent(who, ignored -> new RawClient(address));
    }

    void tell(String what, int version, Object answer) {
        lines.add(what + " (v" + version + ") -> " + readable(answer.toString()));
    }

    private String readable(String text) {
        for (var name : names.entrySet()) {
            text = text.replace(name.getKey(), "<" + name.getValue() + ">");
        }
        for (var id : ids.entrySet()) {
            text = text.replace(id.getKey(), "id of " + id.getValue());
        }
        text = UNKNOWN_ID.matcher(text).replaceAll("<somebody>");
        return ERROR.matcher(text)
                .replaceAll(match ->
                        Errors.forCode(Short.parseShort(match.group(1))).name());
    }

    private String nameOf(String memberId) {
        return names.getOrDefault(memberId, memberId);
    }

    @Override
    public void close() {
        connections.values().forEach(RawClient::close);
    }

    /// Somebody in the group, with a connection. Its settings may be changed as the story goes on.
    final class Member {

        private final String name;
        private final @Nullable String instance;
        private int version = 9;
        private int sessionMs = 20_000;
        private int rebalanceMs = 20_000;
        private String type = "consumer";
        private List<String> protocols = List.of("range");
        private String metadata = "";
        private String id = "";
        private int generation = -1;
        private List<String> others = List.of();
        private int due;

        private Member(String name, @Nullable String instance) {
            this.name = name;
            this.instance = instance;
        }

        Member version(int value) {
            version = value;
            return this;
        }

        Member session(int value) {
            sessionMs = value;
            return this;
        }

        Member rebalance(int value) {
            rebalanceMs = value;
            return this;
        }

        Member type(String value) {
            type = value;
            return this;
        }

        Member protocols(String... values) {
            protocols = List.of(values);
            return this;
        }

        Member metadata(String value) {
            metadata = value;
            return this;
        }

        Member subscribed(String topic) {
            var name = topic.getBytes(StandardCharsets.UTF_8);
            var bytes = ByteBuffer.allocate(14 + name.length)
                    .putShort((short) 0)
                    .putInt(1)
                    .putShort((short) name.length)
                    .put(name)
                    .putInt(-1)
                    .putShort((short) 0);
            // Carried as Latin-1 so that each byte stays what it is.
            metadata = new String(bytes.array(), 0, 12 + name.length, StandardCharsets.ISO_8859_1);
            return this;
        }

        Member id(String value) {
            id = value;
            return this;
        }

        Member generation(int value) {
            generation = value;
            return this;
        }

        String id() {
            return id;
        }

        int generation() {
            return generation;
        }

        /// Joins with what it has, twice if it is told to come back with the id it was given.
        void enter() {
            if (id.isEmpty() && instance == null && version >= 4) {
                join();
            }
            join();
        }

        /// Asks for an id, and with it to join; does not wait for that.
        void startOrRegister() {
            if (id.isEmpty() && instance == null && version >= 4) {
                join();
            }
            startJoin();
        }

        void join() {
            startJoin();
            heardOfJoin();
        }

        void startJoin() {
            due = connection(name)
                    .send(
                            ApiKey.JOIN_GROUP,
                            version,
                            new JoinGroupRequestData()
                                    .setGroupId(group)
                                    .setSessionTimeoutMs(sessionMs)
                                    .setRebalanceTimeoutMs(rebalanceMs)
                                    .setMemberId(id)
                                    .setGroupInstanceId(instance)
                                    .setProtocolType(type)
                                    .setProtocols(protocols.stream()
                                            .map(protocol -> new JoinGroupRequestProtocol()
                                                    .setName(protocol)
                                                    .setMetadata(metadata.getBytes(StandardCharsets.ISO_8859_1)))
                                            .toList()));
        }

        void heardOfJoin() {
            var answer = connection(name).receive(ApiKey.JOIN_GROUP, version, due, JoinGroupResponseData.class);
            if (!answer.memberId().isEmpty()) {
                id = answer.memberId();
                names.put(id, name);
            }
            if (answer.errorCode() == 0) {
                generation = answer.generationId();
            }
            others = answer.members().stream()
                    .map(JoinGroupResponseMember::memberId)
                    .toList();
            answer.members().sort(Comparator.comparing((JoinGroupResponseMember member) -> nameOf(member.memberId())));
            tell(name + ": join", version, answer);
            if (answer.errorCode() == Errors.MEMBER_ID_REQUIRED.code()) {
                awaitListed();
            }
        }

        void sync() {
            startSync();
            heardOfSync();
        }

        void startSync() {
            startSync(type, protocols.getFirst());
        }

        /// As the leader, if it was told of members, with an assignment for each of them.
        void startSync(@Nullable String protocolType, @Nullable String protocolName) {
            due = connection(name)
                    .send(
                            ApiKey.SYNC_GROUP,
                            5,
                            new SyncGroupRequestData()
                                    .setGroupId(group)
                                    .setGenerationId(generation)
                                    .setMemberId(id)
                                    .setGroupInstanceId(instance)
                                    .setProtocolType(protocolType)
                                    .setProtocolName(protocolName)
                                    .setAssignments(others.stream()
                                            .map(member -> new SyncGroupRequestAssignment()
                                                    .setMemberId(member)
                                                    .setAssignment(("in " + generation + " for " + nameOf(member))
                                                            .getBytes(StandardCharsets.UTF_8)))
                                            .toList()));
        }

        void heardOfSync() {
            var answer = connection(name).receive(ApiKey.SYNC_GROUP, 5, due, SyncGroupResponseData.class);
            tell(name + ": sync", 5, answer + " " + new String(answer.assignment(), StandardCharsets.UTF_8));
        }

        void beat() {
            ask(
                    name,
                    "beat in " + generation,
                    ApiKey.HEARTBEAT,
                    4,
                    new HeartbeatRequestData()
                            .setGroupId(group)
                            .setGenerationId(generation)
                            .setMemberId(id)
                            .setGroupInstanceId(instance));
        }

        void commit(String topic, long offset) {
            GroupTalk.this.commit(name, 8, id, instance, generation, topic, offset, "m");
        }

        void leave() {
            leave(5, this);
        }

        void leave(int version, Member... leaving) {
            var request = new LeaveGroupRequestData().setGroupId(group);
            if (version < 3) {
                request.setMemberId(leaving[0].id);
            } else {
                request.setMembers(Arrays.stream(leaving)
                        .map(member -> new MemberIdentity()
                                .setMemberId(member.id)
                                .setGroupInstanceId(member.instance)
                                .setReason("story"))
                        .collect(Collectors.toCollection(ArrayList::new)));
            }
            ask(
                    name,
                    Arrays.stream(leaving).map(member -> member.name).toList() + " leave",
                    ApiKey.LEAVE_GROUP,
                    version,
                    request);
        }
    }

    // ---- the consumer protocol (KIP-848) ----

    Reader reader(String id) {
        return new Reader(id);
    }

    void describeConsumer() {
        var group = call(
                        "admin",
                        ApiKey.CONSUMER_GROUP_DESCRIBE,
                        1,
                        new ConsumerGroupDescribeRequestData().setGroupIds(List.of(this.group)),
                        ConsumerGroupDescribeResponseData.class)
                .groups()
                .getFirst();
        group.setErrorMessage(group.errorMessage() == null ? null : "said");
        group.members()
                .sort(Comparator.comparing(
                        (ConsumerGroupDescribeResponseData.Member member) -> nameOf(member.memberId())));
        for (var member : group.members()) {
            member.setSubscribedTopicNames(
                    member.subscribedTopicNames().stream().sorted().toList());
            sort(member.assignment());
            sort(member.targetAssignment());
        }
        tell("describe consumer group", 1, group);
    }

    private static void sort(ConsumerGroupDescribeResponseData.Assignment assignment) {
        assignment.topicPartitions().sort(Comparator.comparing(topic -> topic.topicName()));
        assignment.topicPartitions().forEach(topic -> topic.partitions().sort(null));
    }

    /// A member by the consumer protocol, with the id that it gave itself.
    final class Reader {

        private final String id;
        private int epoch;
        private @Nullable String instance;
        private @Nullable String assignor;
        private @Nullable String regex;
        private @Nullable List<String> topics = List.of("w");
        private int rebalanceMs = 20_000;
        private int version = 1;
        private Map<Uuid, List<Integer>> assigned = Map.of();

        private Reader(String id) {
            this.id = id;
        }

        Reader instance(String value) {
            instance = value;
            return this;
        }

        Reader assignor(@Nullable String value) {
            assignor = value;
            return this;
        }

        Reader regex(@Nullable String value) {
            regex = value;
            return this;
        }

        Reader topics(String... values) {
            topics = values.length == 0 ? null : List.of(values);
            return this;
        }

        Reader rebalance(int value) {
            rebalanceMs = value;
            return this;
        }

        Reader version(int value) {
            version = value;
            return this;
        }

        Reader epoch(int value) {
            epoch = value;
            return this;
        }

        int epoch() {
            return epoch;
        }

        /// Joins, or says everything anew.
        void join() {
            epoch = 0;
            assigned = Map.of();
            beat("join", rebalanceMs, topics, List.of());
        }

        void leave() {
            epoch = -1;
            beat("leave", -1, null, null);
        }

        void leaveForAWhile() {
            epoch = -2;
            beat("leave for a while", -1, null, null);
        }

        /// Says that it is there, and nothing new.
        void beat() {
            beat("beat", -1, null, null);
        }

        void subscribe(String... values) {
            topics = List.of(values);
            beat("subscribe to " + topics, -1, topics, null);
        }

        /// Says that it has what it was told to have.
        void own() {
            beat("own what is assigned", -1, null, assigned);
        }

        void own(String topic, Integer... partitions) {
            beat("own " + List.of(partitions) + " of " + topic, -1, null, Map.of(topicId(topic), List.of(partitions)));
        }

        /// Until it is given other partitions, or another epoch; only what it is told then is told here.
        void beatUntilNews() {
            int before = epoch;
            Await.until(
                    "news",
                    SOON,
                    () -> {
                        var answer = heard(-1, null, null);
                        boolean news = answer.errorCode() != 0
                                || answer.memberEpoch() != before
                                || answer.assignment() != null;
                        if (news) {
                            told("news", answer);
                        }
                        return news;
                    },
                    () -> "");
        }

        private void beat(String what, int rebalance, @Nullable List<String> subscribed, @Nullable Object owned) {
            @SuppressWarnings("unchecked")
            var partitions = owned instanceof Map<?, ?> map ? (Map<Uuid, List<Integer>>) map : null;
            told(what, heard(rebalance, subscribed, owned == null ? null : partitions == null ? Map.of() : partitions));
        }

        private ConsumerGroupHeartbeatResponseData heard(
                int rebalance, @Nullable List<String> subscribed, @Nullable Map<Uuid, List<Integer>> owned) {
            boolean isFull = rebalance >= 0;
            return call(
                    id,
                    ApiKey.CONSUMER_GROUP_HEARTBEAT,
                    version,
                    new ConsumerGroupHeartbeatRequestData()
                            .setGroupId(group)
                            .setMemberId(id)
                            .setMemberEpoch(epoch)
                            .setInstanceId(instance)
                            .setRebalanceTimeoutMs(rebalance)
                            .setSubscribedTopicNames(subscribed)
                            .setSubscribedTopicRegex(isFull ? regex : null)
                            .setServerAssignor(isFull ? assignor : null)
                            .setTopicPartitions(
                                    owned == null
                                            ? null
                                            : owned.entrySet().stream()
                                                    .map(topic ->
                                                            new ConsumerGroupHeartbeatRequestData.TopicPartitions()
                                                                    .setTopicId(topic.getKey())
                                                                    .setPartitions(topic.getValue()))
                                                    .toList()),
                    ConsumerGroupHeartbeatResponseData.class);
        }

        private void told(String what, ConsumerGroupHeartbeatResponseData answer) {
            var assignment = answer.assignment();
            if (answer.memberId() != null && !answer.memberId().equals(id)) {
                names.put(answer.memberId(), "the id it was given");
            }
            if (assignment != null) {
                assignment
                        .topicPartitions()
                        .sort(Comparator.comparing(
                                topic -> ids.getOrDefault(topic.topicId().toString(), "")));
                assigned = new HashMap<>();
                for (var topic : assignment.topicPartitions()) {
                    topic.partitions().sort(null);
                    assigned.put(topic.topicId(), topic.partitions());
                }
            }
            if (answer.errorCode() == 0 && epoch >= 0) {
                epoch = answer.memberEpoch();
            }
            answer.setErrorMessage(answer.errorMessage() == null ? null : "said");
            tell(id + ": " + what, version, answer);
        }

        void commit(String topic, int memberEpoch, long offset) {
            GroupTalk.this.commit(id, 9, id, instance, memberEpoch, topic, offset, "");
        }
    }
}
