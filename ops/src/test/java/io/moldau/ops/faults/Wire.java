package io.moldau.ops.faults;

import io.moldau.broker.api.data.RawClient;
import io.moldau.common.Errors;
import io.moldau.common.Uuid;
import io.moldau.ops.chaos.cluster.Await;
import io.moldau.ops.faults.Fault.Told;
import io.moldau.wire.message.CreateTopicsRequestData;
import io.moldau.wire.message.CreateTopicsRequestData.CreatableTopic;
import io.moldau.wire.message.CreateTopicsRequestData.CreatableTopicConfig;
import io.moldau.wire.message.CreateTopicsResponseData;
import io.moldau.wire.message.FindCoordinatorRequestData;
import io.moldau.wire.message.FindCoordinatorResponseData;
import io.moldau.wire.message.InitProducerIdRequestData;
import io.moldau.wire.message.InitProducerIdResponseData;
import io.moldau.wire.message.JoinGroupRequestData;
import io.moldau.wire.message.JoinGroupRequestData.JoinGroupRequestProtocol;
import io.moldau.wire.message.JoinGroupResponseData;
import io.moldau.wire.message.OffsetCommitRequestData;
import io.moldau.wire.message.OffsetCommitRequestData.OffsetCommitRequestPartition;
import io.moldau.wire.message.OffsetCommitRequestData.OffsetCommitRequestTopic;
import io.moldau.wire.message.OffsetCommitResponseData;
import io.moldau.wire.message.ProduceRequestData;
import io.moldau.wire.message.ProduceRequestData.PartitionProduceData;
import io.moldau.wire.message.ProduceRequestData.TopicProduceData;
import io.moldau.wire.protocol.ApiKey;
import io.moldau.wire.protocol.HeapRecords;
import io.moldau.wire.protocol.Message;
import io.moldau.wire.record.BatchBuilder;
import java.io.DataInputStream;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/// Requests as a client without manners sends them, to a node of Moldau or of Kafka. Owned by the test's thread.
final class Wire implements AutoCloseable {

    /// Long ago, for topics that are particular about time.
    static final long LONG_AGO_MS = 1_700_000_000_000L;

    private static final Duration SOON = Duration.ofSeconds(30);

    private final InetSocketAddress address;
    private final RawClient client;

    /// Connects, and makes what the faults need.
    Wire(String bootstrap) {
        int colon = bootstrap.lastIndexOf(':');
        address =
                new InetSocketAddress(bootstrap.substring(0, colon), Integer.parseInt(bootstrap.substring(colon + 1)));
        client = new RawClient(address);
    }

    void prepare() {
        List<Told> made = List.of(
                createTopic("plain", 2),
                createTopic("a.b", 1),
                createTopic("narrow", 1, "min.insync.replicas", "2"),
                createTopic("compacted", 1, "cleanup.policy", "compact"),
                createTopic("strict", 1, "message.timestamp.before.max.ms", "1000"),
                createTopic("small", 1, "max.message.bytes", "300"));
        made.forEach(told -> {
            if (!told.code().equals(Errors.NONE.name())) {
                throw new IllegalStateException(told.text());
            }
        });
        // Kafka makes the topic of the groups when the first of them asks, and takes its time.
        untilNone(() -> call(
                ApiKey.FIND_COORDINATOR,
                3,
                new FindCoordinatorRequestData().setKey("any"),
                FindCoordinatorResponseData.class));
        untilNone(() ->
                call(ApiKey.JOIN_GROUP, 3, join("warm-up", "", "consumer", "range"), JoinGroupResponseData.class));
        untilNone(() -> produce("plain", 0, batch(0, "first")));
    }

    private static Told awaited(String what, Predicate<Told> condition, Supplier<Told> ask) {
        var last = new AtomicReference<>(new Told("", ""));
        Await.until(
                what,
                SOON,
                () -> {
                    last.set(ask.get());
                    return condition.test(last.get());
                },
                () -> Objects.requireNonNull(last.get()).text());
        return Objects.requireNonNull(last.get());
    }

    /// Asks until there is no error.
    static void untilNone(Supplier<Told> ask) {
        awaited("an answer without error", told -> told.code().equals(Errors.NONE.name()), ask);
    }

    /// Asks until there is an error.
    static Told untilAnError(Supplier<Told> ask) {
        return awaited("an error", told -> !told.code().equals(Errors.NONE.name()), ask);
    }

    <M extends Message> Told call(ApiKey api, int version, Message request, Class<M> type) {
        return told(answer(api, version, request, type));
    }

    <M extends Message> M answer(ApiKey api, int version, Message request, Class<M> type) {
        return client.call(api, version, request, type);
    }

    /// The first error in an answer, with all of the answer's text.
    static Told told(Message answer) {
        List<Errors> errors = new ArrayList<>();
        answer.errorCodes(code -> errors.add(Errors.forCode(code)));
        return new Told(
                errors.isEmpty() ? Errors.NONE.name() : errors.getFirst().name(), answer.toString());
    }

    /// A connection of its own, over which these bytes are sent.
    Told garbage(byte[] bytes) {
        try (var socket = new Socket(address.getAddress(), address.getPort())) {
            socket.setSoTimeout(20_000);
            socket.getOutputStream().write(bytes);
            return new Told(socket.getInputStream().read() < 0 ? Fault.CLOSED : "(an answer)", "");
        } catch (IOException e) {
            return new Told(Fault.CLOSED, e.toString());
        }
    }

    /// A frame with a header of version 1, an empty tag section where a newer one has it, and nothing behind it.
    Told frame(int apiKey, int version) {
        return garbage(header(apiKey, version));
    }

    private static byte[] header(int apiKey, int version) {
        byte[] id = "raw".getBytes(StandardCharsets.UTF_8);
        var frame = ByteBuffer.allocate(4 + 2 + 2 + 4 + 2 + id.length + 1);
        frame.putInt(frame.capacity() - 4)
                .putShort((short) apiKey)
                .putShort((short) version)
                .putInt(1)
                .putShort((short) id.length)
                .put(id)
                .put((byte) 0);
        return frame.array();
    }

    /// ApiVersions in a version that does not exist: its answer comes in version 0.
    Told versions(int version) {
        try (var socket = new Socket(address.getAddress(), address.getPort());
                var in = new DataInputStream(socket.getInputStream())) {
            socket.setSoTimeout(20_000);
            socket.getOutputStream().write(header(ApiKey.API_VERSIONS.id(), version));
            in.readInt();
            in.readInt();
            return new Told(Errors.forCode(in.readShort()).name(), "");
        } catch (IOException e) {
            return new Told(Fault.CLOSED, e.toString());
        }
    }

    // ---- Topics.

    static CreatableTopic topic(String name, int partitions, String... settings) {
        List<CreatableTopicConfig> configs = new ArrayList<>();
        for (int i = 0; i < settings.length; i += 2) {
            configs.add(new CreatableTopicConfig().setName(settings[i]).setValue(settings[i + 1]));
        }
        return new CreatableTopic()
                .setName(name)
                .setNumPartitions(partitions)
                .setReplicationFactor((short) 1)
                .setConfigs(configs);
    }

    Told createTopic(String name, int partitions, String... settings) {
        return createTopics(topic(name, partitions, settings));
    }

    Told createTopics(CreatableTopic... topics) {
        return call(
                ApiKey.CREATE_TOPICS,
                7,
                new CreateTopicsRequestData().setTopics(List.of(topics)).setTimeoutMs(20_000),
                CreateTopicsResponseData.class);
    }

    // ---- Records.

    static ByteBuffer batch(long timestamp, String value) {
        return new BatchBuilder()
                .append(timestamp == 0 ? LONG_AGO_MS : timestamp, null, value.getBytes(StandardCharsets.UTF_8))
                .build();
    }

    static ByteBuffer batch(long producerId, int epoch, int sequence) {
        return new BatchBuilder()
                .producer(producerId, (short) epoch, sequence)
                .append(LONG_AGO_MS, null, new byte[] {1})
                .build();
    }

    /// Kafka fetches a block of them first, and tells to wait.
    long producerId() {
        var id = new AtomicLong();
        untilNone(() -> {
            var given = answer(
                    ApiKey.INIT_PRODUCER_ID,
                    3,
                    new InitProducerIdRequestData().setTransactionalId(null).setTransactionTimeoutMs(60_000),
                    InitProducerIdResponseData.class);
            id.set(given.producerId());
            return told(given);
        });
        return id.get();
    }

    Told produce(String topic, int partition, ByteBuffer records) {
        return produce(9, -1, topic, partition, records);
    }

    Told produce(int version, int acks, String topic, int partition, ByteBuffer records) {
        return call(
                ApiKey.PRODUCE,
                version,
                new ProduceRequestData()
                        .setAcks((short) acks)
                        .setTimeoutMs(20_000)
                        .setTopicData(List.of(new TopicProduceData()
                                .setName(topic)
                                .setTopicId(Uuid.ZERO)
                                .setPartitionData(List.of(new PartitionProduceData()
                                        .setIndex(partition)
                                        .setRecords(HeapRecords.of(records)))))),
                io.moldau.wire.message.ProduceResponseData.class);
    }

    // ---- Groups.

    static JoinGroupRequestData join(String group, String member, String type, String protocol) {
        return new JoinGroupRequestData()
                .setGroupId(group)
                .setSessionTimeoutMs(30_000)
                .setRebalanceTimeoutMs(30_000)
                .setMemberId(member)
                .setProtocolType(type)
                .setProtocols(
                        List.of(new JoinGroupRequestProtocol().setName(protocol).setMetadata(new byte[] {0, 0})));
    }

    /// Somebody who has joined.
    JoinGroupResponseData member(String group) {
        return member(group, null);
    }

    JoinGroupResponseData member(String group, @Nullable String instance) {
        JoinGroupRequestData request = join(group, "", "consumer", "range").setGroupInstanceId(instance);
        JoinGroupResponseData first = answer(ApiKey.JOIN_GROUP, 5, request, JoinGroupResponseData.class);
        return first.errorCode() == Errors.MEMBER_ID_REQUIRED.code()
                ? answer(ApiKey.JOIN_GROUP, 5, request.setMemberId(first.memberId()), JoinGroupResponseData.class)
                : first;
    }

    /// A commit of somebody who is no member of the group.
    Told commit(String group, String topic, long offset) {
        return call(
                ApiKey.OFFSET_COMMIT,
                8,
                new OffsetCommitRequestData()
                        .setGroupId(group)
                        .setGenerationIdOrMemberEpoch(-1)
                        .setTopics(List.of(new OffsetCommitRequestTopic()
                                .setName(topic)
                                .setPartitions(List.of(new OffsetCommitRequestPartition()
                                        .setPartitionIndex(0)
                                        .setCommittedOffset(offset))))),
                OffsetCommitResponseData.class);
    }

    String address() {
        return address.getHostString() + ":" + address.getPort();
    }

    /// Another connection to the same node.
    Wire another() {
        return new Wire(address());
    }

    int send(ApiKey api, int version, Message request) {
        return client.send(api, version, request);
    }

    @Override
    public void close() {
        client.close();
    }
}
