package io.moldau.ops.faults;

import io.moldau.common.Uuid;
import io.moldau.ops.faults.Fault.Told;
import io.moldau.wire.message.AlterPartitionReassignmentsRequestData;
import io.moldau.wire.message.AlterPartitionReassignmentsRequestData.ReassignablePartition;
import io.moldau.wire.message.AlterPartitionReassignmentsRequestData.ReassignableTopic;
import io.moldau.wire.message.AlterPartitionReassignmentsResponseData;
import io.moldau.wire.message.CreatePartitionsRequestData;
import io.moldau.wire.message.CreatePartitionsRequestData.CreatePartitionsTopic;
import io.moldau.wire.message.CreatePartitionsResponseData;
import io.moldau.wire.message.CreateTopicsRequestData.CreatableReplicaAssignment;
import io.moldau.wire.message.DeleteGroupsRequestData;
import io.moldau.wire.message.DeleteGroupsResponseData;
import io.moldau.wire.message.DeleteRecordsRequestData;
import io.moldau.wire.message.DeleteRecordsRequestData.DeleteRecordsPartition;
import io.moldau.wire.message.DeleteRecordsRequestData.DeleteRecordsTopic;
import io.moldau.wire.message.DeleteRecordsResponseData;
import io.moldau.wire.message.DeleteTopicsRequestData;
import io.moldau.wire.message.DeleteTopicsRequestData.DeleteTopicState;
import io.moldau.wire.message.DeleteTopicsResponseData;
import io.moldau.wire.message.DescribeConfigsRequestData;
import io.moldau.wire.message.DescribeConfigsRequestData.DescribeConfigsResource;
import io.moldau.wire.message.DescribeConfigsResponseData;
import io.moldau.wire.message.ElectLeadersRequestData;
import io.moldau.wire.message.ElectLeadersResponseData;
import io.moldau.wire.message.FetchRequestData;
import io.moldau.wire.message.FetchRequestData.FetchPartition;
import io.moldau.wire.message.FetchRequestData.FetchTopic;
import io.moldau.wire.message.FetchResponseData;
import io.moldau.wire.message.HeartbeatRequestData;
import io.moldau.wire.message.HeartbeatResponseData;
import io.moldau.wire.message.IncrementalAlterConfigsRequestData;
import io.moldau.wire.message.IncrementalAlterConfigsRequestData.AlterConfigsResource;
import io.moldau.wire.message.IncrementalAlterConfigsRequestData.AlterableConfig;
import io.moldau.wire.message.IncrementalAlterConfigsResponseData;
import io.moldau.wire.message.JoinGroupResponseData;
import io.moldau.wire.message.ListOffsetsRequestData;
import io.moldau.wire.message.ListOffsetsRequestData.ListOffsetsPartition;
import io.moldau.wire.message.ListOffsetsRequestData.ListOffsetsTopic;
import io.moldau.wire.message.ListOffsetsResponseData;
import io.moldau.wire.message.OffsetCommitRequestData;
import io.moldau.wire.message.OffsetCommitRequestData.OffsetCommitRequestPartition;
import io.moldau.wire.message.OffsetCommitRequestData.OffsetCommitRequestTopic;
import io.moldau.wire.message.OffsetCommitResponseData;
import io.moldau.wire.message.RemoveRaftVoterRequestData;
import io.moldau.wire.message.RemoveRaftVoterResponseData;
import io.moldau.wire.message.SaslHandshakeRequestData;
import io.moldau.wire.message.SaslHandshakeResponseData;
import io.moldau.wire.message.SyncGroupRequestData;
import io.moldau.wire.message.SyncGroupResponseData;
import io.moldau.wire.message.UnregisterBrokerRequestData;
import io.moldau.wire.message.UnregisterBrokerResponseData;
import io.moldau.wire.message.UpdateFeaturesRequestData;
import io.moldau.wire.message.UpdateFeaturesRequestData.FeatureUpdateKey;
import io.moldau.wire.message.UpdateFeaturesResponseData;
import io.moldau.wire.protocol.ApiKey;
import io.moldau.wire.record.BatchBuilder;
import io.moldau.wire.record.Compression;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// What clients ask for that cannot be. The answer tells the code and, where the protocol has room, what is wrong with
/// what; `moldau explain error` says of each code what it means and what to do; connections that end without an answer
/// are counted, and `moldau doctor` tells of them.
final class ProtocolFaults {

    private static final byte TOPIC = 2;
    private static final byte BROKER = 4;
    private static final byte LOGGER = 8;
    private static final int FIRST_MAGIC = 16;

    private static final Map<String, Ask> ASKS = new LinkedHashMap<>();
    private static final List<Fault> ALL = new ArrayList<>();

    /// The same of Moldau and of Kafka.
    @FunctionalInterface
    interface Ask {
        Told of(Wire wire) throws Exception;
    }

    private ProtocolFaults() {}

    static List<Fault> all() {
        return ALL;
    }

    /// By the fault's id.
    static Map<String, Ask> asks() {
        return ASKS;
    }

    private static void answer(String id, String staged, String code, List<String> words, Ask ask) {
        ASKS.put(id, ask);
        ALL.add(new Fault(id, staged, code, "the answer, `explain error " + code + "`", words, stages -> {
            Told told = ask.of(stages.node().wire());
            return new Told(told.code(), told.text() + "\n" + stages.moldau("explain", "error", told.code()));
        }));
    }

    private static void closed(String id, String staged, List<String> words, Ask ask) {
        ASKS.put(id, ask);
        ALL.add(new Fault(id, staged, Fault.CLOSED, "`doctor --node URL`", words, stages -> {
            Told told = ask.of(stages.node().wire());
            return new Told(told.code(), stages.node().doctor());
        }));
    }

    static {
        topics();
        configs();
        records();
        reads();
        groups();
        connections();
    }

    // ---- Topics and the cluster.

    private static void topics() {
        answer(
                "topic-name-invalid",
                "CreateTopics with the name `bad name`",
                "INVALID_TOPIC_EXCEPTION",
                List.of("bad name", "1 to 249"),
                wire -> wire.createTopic("bad name", 1));
        answer(
                "topic-name-collides",
                "CreateTopics of `a_b` where there is `a.b`",
                "INVALID_TOPIC_EXCEPTION",
                List.of("a_b", "a.b"),
                wire -> wire.createTopic("a_b", 1));
        answer(
                "topic-exists",
                "CreateTopics of a topic that is there",
                "TOPIC_ALREADY_EXISTS",
                List.of("plain", "topics alter"),
                wire -> wire.createTopic("plain", 1));
        answer(
                "replication-above-brokers",
                "CreateTopics with three replicas on one broker",
                "INVALID_REPLICATION_FACTOR",
                List.of("3", "moldau brokers"),
                wire -> wire.createTopics(Wire.topic("wide", 1).setReplicationFactor((short) 3)));
        answer(
                "partitions-zero",
                "CreateTopics with no partitions",
                "INVALID_PARTITIONS",
                List.of("at least 1 partition"),
                wire -> wire.createTopic("none", 0));
        answer(
                "topic-key-typo",
                "CreateTopics with `retention.mss`",
                "INVALID_CONFIG",
                List.of("retention.mss", "retention.ms", "configs show"),
                wire -> wire.createTopic("odd", 1, "retention.mss", "1"));
        answer(
                "topic-value-wrong",
                "CreateTopics with `retention.ms=soon`",
                "INVALID_CONFIG",
                List.of("soon", "retention.ms"),
                wire -> wire.createTopic("odd", 1, "retention.ms", "soon"));
        answer(
                "topic-assigned-to-nobody",
                "CreateTopics with a replica on broker 7, which is not there",
                "INVALID_REPLICA_ASSIGNMENT",
                List.of("7", "moldau brokers"),
                wire -> wire.createTopics(Wire.topic("lost", -1)
                        .setReplicationFactor((short) -1)
                        .setAssignments(List.of(new CreatableReplicaAssignment()
                                .setPartitionIndex(0)
                                .setBrokerIds(List.of(7))))));
        answer(
                "topic-twice-in-a-request",
                "CreateTopics that names a topic twice",
                "INVALID_REQUEST",
                List.of("twins", "newer version"),
                wire -> wire.createTopics(Wire.topic("twins", 1), Wire.topic("twins", 2)));
        answer(
                "partitions-fewer",
                "CreatePartitions from two to one",
                "INVALID_PARTITIONS",
                List.of("2", "never taken away"),
                wire -> createPartitions(wire, "plain", 1));
        answer(
                "partitions-of-nothing",
                "CreatePartitions of a topic that is not there",
                "UNKNOWN_TOPIC_OR_PARTITION",
                List.of("topics list"),
                wire -> createPartitions(wire, "absent", 3));
        answer(
                "delete-nothing",
                "DeleteTopics of a topic that is not there",
                "UNKNOWN_TOPIC_OR_PARTITION",
                List.of("topics list"),
                wire -> wire.call(
                        ApiKey.DELETE_TOPICS,
                        6,
                        new DeleteTopicsRequestData()
                                .setTopics(List.of(new DeleteTopicState().setName("absent")))
                                .setTimeoutMs(20_000),
                        DeleteTopicsResponseData.class));
        answer(
                "reassign-to-nobody",
                "AlterPartitionReassignments to broker 7, which is not there",
                "INVALID_REPLICA_ASSIGNMENT",
                List.of("7", "moldau brokers"),
                wire -> reassign(wire, "plain", List.of(7)));
        answer(
                "reassign-nothing",
                "AlterPartitionReassignments of a partition that is not there",
                "UNKNOWN_TOPIC_OR_PARTITION",
                List.of("topics list"),
                wire -> reassign(wire, "absent", List.of(1)));
        answer(
                "cancel-no-reassignment",
                "a reassignment is cancelled where there is none",
                "NO_REASSIGNMENT_IN_PROGRESS",
                List.of("being reassigned"),
                wire -> reassign(wire, "plain", null));
        answer(
                "election-not-needed",
                "ElectLeaders where the preferred replica leads",
                "ELECTION_NOT_NEEDED",
                List.of("leader"),
                wire -> elect(wire, "plain"));
        answer(
                "election-of-nothing",
                "ElectLeaders of a partition that is not there",
                "UNKNOWN_TOPIC_OR_PARTITION",
                List.of("topics list"),
                wire -> elect(wire, "absent"));
        answer(
                "unregister-nobody",
                "UnregisterBroker of broker 7, which is not there",
                "BROKER_ID_NOT_REGISTERED",
                List.of("7", "moldau brokers"),
                wire -> wire.call(
                        ApiKey.UNREGISTER_BROKER,
                        0,
                        new UnregisterBrokerRequestData().setBrokerId(7),
                        UnregisterBrokerResponseData.class));
        answer(
                "feature-level-unknown",
                "UpdateFeatures of `metadata.version` to level 999",
                "INVALID_UPDATE_VERSION",
                List.of("999", "metadata.version"),
                wire -> wire.call(
                        ApiKey.UPDATE_FEATURES,
                        1,
                        new UpdateFeaturesRequestData()
                                .setTimeoutMs(20_000)
                                .setFeatureUpdates(List.of(new FeatureUpdateKey()
                                        .setFeature("metadata.version")
                                        .setMaxVersionLevel((short) 999)
                                        .setUpgradeType((byte) 1))),
                        UpdateFeaturesResponseData.class));
        answer(
                "voter-of-a-fixed-quorum",
                "RemoveRaftVoter where `controller.quorum.voters` fixes the voters",
                "UNSUPPORTED_VERSION",
                List.of("--bootstrap-controller"),
                wire -> wire.call(
                        ApiKey.REMOVE_RAFT_VOTER,
                        0,
                        new RemoveRaftVoterRequestData()
                                .setClusterId(null)
                                .setVoterId(7)
                                .setVoterDirectoryId(new Uuid(1, 2)),
                        RemoveRaftVoterResponseData.class));
    }

    private static Told createPartitions(Wire wire, String topic, int count) {
        return wire.call(
                ApiKey.CREATE_PARTITIONS,
                3,
                new CreatePartitionsRequestData()
                        .setTopics(List.of(new CreatePartitionsTopic()
                                .setName(topic)
                                .setCount(count)
                                .setAssignments(null)))
                        .setTimeoutMs(20_000),
                CreatePartitionsResponseData.class);
    }

    private static Told reassign(Wire wire, String topic, @Nullable List<Integer> replicas) {
        return wire.call(
                ApiKey.ALTER_PARTITION_REASSIGNMENTS,
                0,
                new AlterPartitionReassignmentsRequestData()
                        .setTimeoutMs(20_000)
                        .setTopics(List.of(new ReassignableTopic()
                                .setName(topic)
                                .setPartitions(List.of(new ReassignablePartition()
                                        .setPartitionIndex(0)
                                        .setReplicas(replicas))))),
                AlterPartitionReassignmentsResponseData.class);
    }

    private static Told elect(Wire wire, String topic) {
        return wire.call(
                ApiKey.ELECT_LEADERS,
                2,
                new ElectLeadersRequestData()
                        .setTimeoutMs(20_000)
                        .setTopicPartitions(List.of(new ElectLeadersRequestData.TopicPartitions()
                                .setTopic(topic)
                                .setPartitions(List.of(0)))),
                ElectLeadersResponseData.class);
    }

    // ---- Settings while it runs.

    private static void configs() {
        answer(
                "configs-of-no-topic",
                "DescribeConfigs of a topic that is not there",
                "UNKNOWN_TOPIC_OR_PARTITION",
                List.of("absent", "topics list"),
                wire -> describe(wire, TOPIC, "absent"));
        answer(
                "configs-of-another-broker",
                "DescribeConfigs of broker 7, asked of broker 1",
                "INVALID_REQUEST",
                List.of("7", "Send the request to broker 7"),
                wire -> describe(wire, BROKER, "7"));
        answer(
                "configs-of-no-kind",
                "DescribeConfigs of resource type 99",
                "INVALID_REQUEST",
                List.of("99", "4 (broker)"),
                wire -> describe(wire, (byte) 99, "x"));
        answer(
                "config-key-typo",
                "IncrementalAlterConfigs of `retention.mss`",
                "INVALID_CONFIG",
                List.of("retention.mss", "retention.ms"),
                wire -> alter(wire, resource(TOPIC, "plain", "retention.mss", "1")));
        answer(
                "config-read-only",
                "IncrementalAlterConfigs of `node.id` of a running broker",
                "INVALID_REQUEST",
                List.of("node.id"),
                wire -> alter(wire, resource(BROKER, "1", "node.id", "2")));
        answer(
                "config-resource-twice",
                "IncrementalAlterConfigs that names a topic twice",
                "INVALID_REQUEST",
                List.of("at most once"),
                wire -> alter(
                        wire,
                        resource(TOPIC, "plain", "retention.ms", "1"),
                        resource(TOPIC, "plain", "retention.ms", "2")));
        answer(
                "config-without-value",
                "IncrementalAlterConfigs that sets a key to nothing",
                "INVALID_REQUEST",
                List.of("retention.ms"),
                wire -> alter(wire, resource(TOPIC, "plain", "retention.ms", null)));
        answer(
                "logger-unknown",
                "IncrementalAlterConfigs of the level of a logger that is not there",
                "INVALID_CONFIG",
                List.of("no.such.Logger"),
                wire -> alter(wire, resource(LOGGER, "1", "no.such.Logger", "DEBUG")));
    }

    private static Told describe(Wire wire, byte type, String name) {
        return wire.call(
                ApiKey.DESCRIBE_CONFIGS,
                4,
                new DescribeConfigsRequestData()
                        .setResources(List.of(new DescribeConfigsResource()
                                .setResourceType(type)
                                .setResourceName(name)
                                .setConfigurationKeys(null))),
                DescribeConfigsResponseData.class);
    }

    private static AlterConfigsResource resource(byte type, String name, String key, @Nullable String value) {
        return new AlterConfigsResource()
                .setResourceType(type)
                .setResourceName(name)
                .setConfigs(List.of(new AlterableConfig().setName(key).setValue(value)));
    }

    private static Told alter(Wire wire, AlterConfigsResource... resources) {
        return wire.call(
                ApiKey.INCREMENTAL_ALTER_CONFIGS,
                1,
                new IncrementalAlterConfigsRequestData().setResources(List.of(resources)),
                IncrementalAlterConfigsResponseData.class);
    }

    // ---- Writing.

    private static void records() {
        answer(
                "produce-to-nothing",
                "Produce to a topic that is not there",
                "UNKNOWN_TOPIC_OR_PARTITION",
                List.of("topics create"),
                wire -> wire.produce("absent", 0, Wire.batch(0, "x")));
        answer(
                "produce-to-no-partition",
                "Produce to partition 9 of two",
                "UNKNOWN_TOPIC_OR_PARTITION",
                List.of("add partitions"),
                wire -> wire.produce("plain", 9, Wire.batch(0, "x")));
        answer(
                "record-too-large",
                "Produce of more than the topic's `max.message.bytes`",
                "MESSAGE_TOO_LARGE",
                List.of("300", "max.message.bytes=N"),
                wire -> wire.produce("small", 0, Wire.batch(0, "x".repeat(1000))));
        answer(
                "checksum-wrong",
                "Produce of a batch with a byte changed on its way",
                "CORRUPT_MESSAGE",
                List.of("checksum", "network card"),
                wire -> {
                    ByteBuffer batch = Wire.batch(0, "damaged");
                    int last = batch.limit() - 2;
                    return wire.produce("plain", 0, batch.put(last, (byte) ~batch.get(last)));
                });
        answer("record-format-old", "Produce of a batch in format 1", "INVALID_RECORD", List.of("version 2"), wire -> {
            ByteBuffer batch = Wire.batch(0, "old");
            return wire.produce("plain", 0, batch.put(FIRST_MAGIC, (byte) 1));
        });
        answer("two-batches", "Produce of two batches for one partition", "INVALID_RECORD", List.of("batch"), wire -> {
            ByteBuffer one = Wire.batch(0, "one");
            ByteBuffer two = Wire.batch(0, "two");
            return wire.produce(
                    "plain",
                    0,
                    ByteBuffer.allocate(one.remaining() + two.remaining())
                            .put(one)
                            .put(two)
                            .flip());
        });
        answer(
                "zstd-from-an-old-client",
                "Produce version 3 of records compressed with zstd",
                "UNSUPPORTED_COMPRESSION_TYPE",
                List.of("zstd", "newer client"),
                wire -> wire.produce(
                        3,
                        -1,
                        "plain",
                        0,
                        new BatchBuilder()
                                .compression(Compression.ZSTD)
                                .append(Wire.LONG_AGO_MS, null, new byte[100])
                                .build()));
        answer(
                "timestamp-out-of-range",
                "Produce of a record older than `message.timestamp.before.max.ms`",
                "INVALID_TIMESTAMP",
                List.of("clock", "message.timestamp.before.max.ms"),
                wire -> wire.produce("strict", 0, Wire.batch(0, "old")));
        answer(
                "compacted-without-key",
                "Produce of a record without a key to a compacted topic",
                "INVALID_RECORD",
                List.of("key"),
                wire -> wire.produce("compacted", 0, Wire.batch(0, "keyless")));
        answer(
                "sequence-gap",
                "Produce of sequence 5 after 0 by an idempotent producer",
                "OUT_OF_ORDER_SEQUENCE_NUMBER",
                List.of("5", "delivery.timeout.ms"),
                wire -> {
                    long producer = wire.producerId();
                    wire.produce("plain", 1, Wire.batch(producer, 0, 0));
                    return wire.produce("plain", 1, Wire.batch(producer, 0, 5));
                });
        answer(
                "producer-epoch-stale",
                "Produce in epoch 0 after epoch 1 of the same producer id",
                "INVALID_PRODUCER_EPOCH",
                List.of("epoch", "newer producer"),
                wire -> {
                    long producer = wire.producerId();
                    wire.produce("plain", 1, Wire.batch(producer, 1, 0));
                    return wire.produce("plain", 1, Wire.batch(producer, 0, 0));
                });
        answer(
                "acks-wrong",
                "Produce with acks=2",
                "INVALID_REQUIRED_ACKS",
                List.of("all, 1 or 0"),
                wire -> wire.produce(9, 2, "plain", 0, Wire.batch(0, "x")));
        answer(
                "delete-records-past-the-end",
                "DeleteRecords up to an offset that is not there yet",
                "OFFSET_OUT_OF_RANGE",
                List.of("reset-offsets"),
                wire -> deleteRecords(wire, "plain", 1_000_000));
        answer(
                "delete-records-of-a-compacted-topic",
                "DeleteRecords of a topic whose `cleanup.policy` is compact alone",
                "POLICY_VIOLATION",
                List.of("policy"),
                wire -> deleteRecords(wire, "compacted", 0));
    }

    private static Told deleteRecords(Wire wire, String topic, long offset) {
        return wire.call(
                ApiKey.DELETE_RECORDS,
                2,
                new DeleteRecordsRequestData()
                        .setTimeoutMs(20_000)
                        .setTopics(List.of(new DeleteRecordsTopic()
                                .setName(topic)
                                .setPartitions(List.of(new DeleteRecordsPartition()
                                        .setPartitionIndex(0)
                                        .setOffset(offset))))),
                DeleteRecordsResponseData.class);
    }

    // ---- Reading.

    private static void reads() {
        answer(
                "fetch-out-of-range",
                "Fetch from an offset past the end",
                "OFFSET_OUT_OF_RANGE",
                List.of("auto.offset.reset", "reset-offsets"),
                wire -> fetch(wire, 12, "plain", Uuid.ZERO, 1_000_000, -1, 0, -1));
        answer(
                "fetch-from-nothing",
                "Fetch from a topic that is not there",
                "UNKNOWN_TOPIC_OR_PARTITION",
                List.of("topics list"),
                wire -> fetch(wire, 12, "absent", Uuid.ZERO, 0, -1, 0, -1));
        answer(
                "fetch-by-an-old-topic-id",
                "Fetch by the id of a topic that is not there, as after it was deleted and made again",
                "UNKNOWN_TOPIC_ID",
                List.of("deleted and made again"),
                wire -> fetch(wire, 13, "", new Uuid(7, 7), 0, -1, 0, -1));
        answer(
                "fetch-session-unknown",
                "Fetch in a session that the broker does not know",
                "FETCH_SESSION_ID_NOT_FOUND",
                List.of("begins a new session"),
                wire -> fetch(wire, 12, "plain", Uuid.ZERO, 0, -1, 12_345, 7));
        answer(
                "leader-epoch-from-the-future",
                "Fetch with a newer leader epoch than the partition has",
                "UNKNOWN_LEADER_EPOCH",
                List.of("new metadata"),
                wire -> fetch(wire, 12, "plain", Uuid.ZERO, 0, 99, 0, -1));
        answer(
                "offsets-of-nothing",
                "ListOffsets of a partition that is not there",
                "UNKNOWN_TOPIC_OR_PARTITION",
                List.of("topics list"),
                wire -> wire.call(
                        ApiKey.LIST_OFFSETS,
                        7,
                        new ListOffsetsRequestData()
                                .setReplicaId(-1)
                                .setTopics(List.of(new ListOffsetsTopic()
                                        .setName("absent")
                                        .setPartitions(List.of(new ListOffsetsPartition()
                                                .setPartitionIndex(0)
                                                .setTimestamp(-1))))),
                        ListOffsetsResponseData.class));
    }

    private static Told fetch(
            Wire wire, int version, String topic, Uuid id, long offset, int leaderEpoch, int session, int epoch) {
        return wire.call(
                ApiKey.FETCH,
                version,
                new FetchRequestData()
                        .setMaxWaitMs(100)
                        .setMinBytes(1)
                        .setMaxBytes(1 << 20)
                        .setSessionId(session)
                        .setSessionEpoch(epoch)
                        .setTopics(List.of(new FetchTopic()
                                .setTopic(topic)
                                .setTopicId(id)
                                .setPartitions(List.of(new FetchPartition()
                                        .setPartition(0)
                                        .setFetchOffset(offset)
                                        .setCurrentLeaderEpoch(leaderEpoch)
                                        .setPartitionMaxBytes(1 << 20))))),
                FetchResponseData.class);
    }

    // ---- Groups.

    private static void groups() {
        answer(
                "group-id-empty",
                "JoinGroup without a group id",
                "INVALID_GROUP_ID",
                List.of("group.id"),
                wire -> wire.call(
                        ApiKey.JOIN_GROUP, 5, Wire.join("", "", "consumer", "range"), JoinGroupResponseData.class));
        answer(
                "session-timeout-out-of-bounds",
                "JoinGroup with a session time-out of 1 ms",
                "INVALID_SESSION_TIMEOUT",
                List.of("group.min.session.timeout.ms"),
                wire -> wire.call(
                        ApiKey.JOIN_GROUP,
                        5,
                        Wire.join("hasty", "", "consumer", "range").setSessionTimeoutMs(1),
                        JoinGroupResponseData.class));
        answer(
                "member-id-required",
                "JoinGroup of a new member",
                "MEMBER_ID_REQUIRED",
                List.of("joins again"),
                wire -> wire.call(
                        ApiKey.JOIN_GROUP, 5, Wire.join("new", "", "consumer", "range"), JoinGroupResponseData.class));
        answer(
                "member-unknown-joins",
                "JoinGroup with a member id that the group does not know",
                "UNKNOWN_MEMBER_ID",
                List.of("max.poll.interval.ms", "explain group"),
                wire -> wire.call(
                        ApiKey.JOIN_GROUP,
                        5,
                        Wire.join("strange", "nobody-1", "consumer", "range"),
                        JoinGroupResponseData.class));
        answer(
                "member-unknown",
                "Heartbeat of a member that the group threw out",
                "UNKNOWN_MEMBER_ID",
                List.of("max.poll.interval.ms", "session.timeout.ms"),
                wire -> {
                    var member = wire.member("beats");
                    return heartbeat(wire, "beats", member.generationId(), "nobody-1");
                });
        answer(
                "generation-old",
                "Heartbeat in a generation that is over",
                "ILLEGAL_GENERATION",
                List.of("max.poll.records"),
                wire -> {
                    var member = wire.member("generations");
                    return heartbeat(wire, "generations", member.generationId() + 5, member.memberId());
                });
        answer(
                "group-protocol-type-differs",
                "JoinGroup of a group of consumers as something else",
                "INCONSISTENT_GROUP_PROTOCOL",
                List.of("partition.assignment.strategy"),
                wire -> {
                    wire.member("consumers");
                    return wire.call(
                            ApiKey.JOIN_GROUP,
                            3,
                            Wire.join("consumers", "", "connect", "range"),
                            JoinGroupResponseData.class);
                });
        answer(
                "group-protocol-differs",
                "SyncGroup that names another assignor than was agreed on",
                "INCONSISTENT_GROUP_PROTOCOL",
                List.of("partition.assignment.strategy"),
                wire -> {
                    var member = wire.member("assigned");
                    return wire.call(
                            ApiKey.SYNC_GROUP,
                            5,
                            new SyncGroupRequestData()
                                    .setGroupId("assigned")
                                    .setMemberId(member.memberId())
                                    .setGenerationId(member.generationId())
                                    .setProtocolType("consumer")
                                    .setProtocolName("sticky"),
                            SyncGroupResponseData.class);
                });
        answer(
                "group-has-members",
                "DeleteGroups of a group with a member",
                "NON_EMPTY_GROUP",
                List.of("Stop its consumers", "groups describe"),
                wire -> {
                    wire.member("busy");
                    return deleteGroup(wire, "busy");
                });
        answer(
                "group-unknown",
                "DeleteGroups of a group that is not there",
                "GROUP_ID_NOT_FOUND",
                List.of("groups list"),
                wire -> deleteGroup(wire, "absent"));
        answer(
                "commit-metadata-too-large",
                "OffsetCommit with a text longer than `offset.metadata.max.bytes`",
                "OFFSET_METADATA_TOO_LARGE",
                List.of("offset.metadata.max.bytes"),
                wire -> commit(wire, "plain", "", -1, "x".repeat(5000)));
        answer(
                "commit-by-nobody",
                "OffsetCommit of a member that the group does not know",
                "UNKNOWN_MEMBER_ID",
                List.of("explain group"),
                wire -> commit(wire, "plain", "nobody-1", 3, ""));
        answer(
                "commit-for-nothing",
                "OffsetCommit for a topic that is not there",
                "UNKNOWN_TOPIC_OR_PARTITION",
                List.of("topics list"),
                wire -> commit(wire, "absent", "", -1, ""));
        answer(
                "instance-id-twice",
                "Heartbeat of a static member whose `group.instance.id` another one uses now",
                "FENCED_INSTANCE_ID",
                List.of("group.instance.id"),
                wire -> {
                    var first = wire.member("statics", "one");
                    var second = wire.member("statics", "one");
                    return wire.call(
                            ApiKey.HEARTBEAT,
                            4,
                            new HeartbeatRequestData()
                                    .setGroupId("statics")
                                    .setMemberId(first.memberId())
                                    .setGroupInstanceId("one")
                                    .setGenerationId(second.generationId()),
                            HeartbeatResponseData.class);
                });
        answer(
                "rebalance-in-progress",
                "Heartbeat while another member joins",
                "REBALANCE_IN_PROGRESS",
                List.of("joins again by itself", "explain group"),
                wire -> {
                    var member = wire.member("moving");
                    wire.call(
                            ApiKey.SYNC_GROUP,
                            3,
                            new SyncGroupRequestData()
                                    .setGroupId("moving")
                                    .setMemberId(member.memberId())
                                    .setGenerationId(member.generationId()),
                            SyncGroupResponseData.class);
                    try (var other = wire.another()) {
                        // Its answer waits for the first member to join again.
                        var given = other.answer(
                                ApiKey.JOIN_GROUP,
                                5,
                                Wire.join("moving", "", "consumer", "range"),
                                JoinGroupResponseData.class);
                        other.send(ApiKey.JOIN_GROUP, 5, Wire.join("moving", given.memberId(), "consumer", "range"));
                        return Wire.untilAnError(
                                () -> heartbeat(wire, "moving", member.generationId(), member.memberId()));
                    }
                });
    }

    private static Told heartbeat(Wire wire, String group, int generation, String member) {
        return wire.call(
                ApiKey.HEARTBEAT,
                3,
                new HeartbeatRequestData().setGroupId(group).setMemberId(member).setGenerationId(generation),
                HeartbeatResponseData.class);
    }

    private static Told deleteGroup(Wire wire, String group) {
        return wire.call(
                ApiKey.DELETE_GROUPS,
                2,
                new DeleteGroupsRequestData().setGroupsNames(List.of(group)),
                DeleteGroupsResponseData.class);
    }

    private static Told commit(Wire wire, String topic, String member, int generation, String metadata) {
        return wire.call(
                ApiKey.OFFSET_COMMIT,
                8,
                new OffsetCommitRequestData()
                        .setGroupId("commits")
                        .setMemberId(member)
                        .setGenerationIdOrMemberEpoch(generation)
                        .setTopics(List.of(new OffsetCommitRequestTopic()
                                .setName(topic)
                                .setPartitions(List.of(new OffsetCommitRequestPartition()
                                        .setPartitionIndex(0)
                                        .setCommittedOffset(0)
                                        .setCommittedMetadata(metadata))))),
                OffsetCommitResponseData.class);
    }

    // ---- Connections.

    private static void connections() {
        answer(
                "api-versions-from-the-future",
                "ApiVersions version 99",
                "UNSUPPORTED_VERSION",
                List.of("versions this node serves"),
                wire -> wire.versions(99));
        answer(
                "sasl-without-sasl",
                "SaslHandshake at a PLAINTEXT listener",
                "ILLEGAL_SASL_STATE",
                List.of("security.protocol"),
                wire -> wire.call(
                        ApiKey.SASL_HANDSHAKE,
                        1,
                        new SaslHandshakeRequestData().setMechanism("PLAIN"),
                        SaslHandshakeResponseData.class));
        closed(
                "version-unknown",
                "Metadata version 99",
                List.of("bad request", "configs set logger"),
                wire -> wire.frame(ApiKey.METADATA.id(), 99));
        closed(
                "version-too-old",
                "Produce version 1, as from a client of ten years ago",
                List.of("bad request", "older than Kafka 2.1"),
                wire -> wire.frame(ApiKey.PRODUCE.id(), 1));
        closed("api-unknown", "API key 999", List.of("bad request"), wire -> wire.frame(999, 0));
        closed(
                "request-malformed",
                "a Metadata request that ends in its middle",
                List.of("bad request"),
                wire -> wire.frame(ApiKey.METADATA.id(), 1));
        closed(
                "frame-too-large",
                "a frame longer than `socket.request.max.bytes`",
                List.of("bad frame", "socket.request.max.bytes"),
                wire -> wire.garbage(ByteBuffer.allocate(8)
                        .putInt(Integer.MAX_VALUE)
                        .putInt(0)
                        .array()));
        closed(
                "http",
                "a browser or a health check comes to the Kafka port",
                List.of("bad frame", "HTTP"),
                wire -> wire.garbage("GET / HTTP/1.1\r\nHost: x\r\n\r\n".getBytes(StandardCharsets.US_ASCII)));
        closed(
                "tls-to-plaintext",
                "a client with security.protocol=SSL comes to a PLAINTEXT port",
                List.of("bad frame", "TLS", "security.protocol"),
                wire -> wire.garbage(
                        new byte[] {0x16, 0x03, 0x01, 0x00, (byte) 0xa5, 0x01, 0x00, 0x00, (byte) 0xa1, 3, 3}));
    }
}
