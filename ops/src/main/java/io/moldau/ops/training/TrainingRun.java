package io.moldau.ops.training;

import io.moldau.broker.Node;
import io.moldau.broker.config.NodeConfig;
import io.moldau.common.Errors;
import io.moldau.ops.AdministeredNode;
import io.moldau.ops.client.RawClient;
import io.moldau.ops.logging.LoggingProvider;
import io.moldau.wire.message.ApiVersionsRequestData;
import io.moldau.wire.message.ApiVersionsResponseData;
import io.moldau.wire.message.CreateTopicsRequestData;
import io.moldau.wire.message.CreateTopicsResponseData;
import io.moldau.wire.message.FetchRequestData;
import io.moldau.wire.message.FetchResponseData;
import io.moldau.wire.message.InitProducerIdRequestData;
import io.moldau.wire.message.InitProducerIdResponseData;
import io.moldau.wire.message.ListOffsetsRequestData;
import io.moldau.wire.message.ListOffsetsResponseData;
import io.moldau.wire.message.MetadataRequestData;
import io.moldau.wire.message.MetadataResponseData;
import io.moldau.wire.message.ProduceRequestData;
import io.moldau.wire.message.ProduceResponseData;
import io.moldau.wire.protocol.ApiKey;
import io.moldau.wire.protocol.HeapRecords;
import io.moldau.wire.record.BatchBuilder;
import java.io.IOException;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/// Starts a node on free ports of the loopback interface, lets a client use it, and stops it.
///
/// The build runs it once with `-XX:AOTCacheOutput`: the classes it loads and links come out of the cache in every
/// later start. It fails where an answer is not the expected one, so that a cache is never made of a broken node.
final class TrainingRun {

    private static final String TOPIC = "training";
    private static final int BATCHES = 50;
    private static final Duration READY_TIMEOUT = Duration.ofSeconds(30);

    private TrainingRun() {}

    /// @param words the folder for the node's data, which must not exist yet
    public static void main(String[] words) throws IOException, InterruptedException {
        LoggingProvider.use();
        var config = NodeConfig.fromProperties(Map.of(
                "listeners",
                "PLAINTEXT://127.0.0.1:0",
                "admin.listener",
                "http://127.0.0.1:0",
                "log.dirs",
                Path.of(words[0]).toAbsolutePath().toString()));
        try (var node = AdministeredNode.start(config, "training")) {
            node.node().awaitReady(READY_TIMEOUT);
            try (var client = new RawClient(clientPort(node.node()))) {
                use(client);
            }
            node.dialItself().join();
            scrape(URI.create(Objects.requireNonNull(node.adminUrl())));
        }
    }

    /// By hand, so that no HTTP client gets into the cache.
    private static void scrape(URI admin) throws IOException {
        for (String path : List.of("/ready", "/metrics")) {
            try (var socket = new Socket(admin.getHost(), admin.getPort())) {
                var request = "GET " + path + " HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n";
                socket.getOutputStream().write(request.getBytes(StandardCharsets.US_ASCII));
                var answer = new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
                if (!answer.startsWith("HTTP/1.1 200")) {
                    throw new IllegalStateException(
                            path + " answered " + answer.lines().findFirst());
                }
            }
        }
    }

    private static void use(RawClient client) throws IOException {
        client.call(ApiKey.API_VERSIONS, new ApiVersionsRequestData(), ApiVersionsResponseData.class);
        createTopic(client);
        var described =
                client.call(ApiKey.METADATA, new MetadataRequestData().setTopics(null), MetadataResponseData.class);
        var topic = described.topics().stream()
                .filter(one -> TOPIC.equals(one.name()))
                .findFirst()
                .orElseThrow(() -> new IllegalStateException("The node does not know the topic it created."));
        produce(client, topic);
        fetch(client, topic);
        listOffsets(client);
    }

    private static int clientPort(Node node) {
        return node.listeners().stream()
                .filter(listener -> !node.config().isControllerListener(listener.listenerName()))
                .findFirst()
                .orElseThrow(() -> new IllegalStateException("The node has no listener for clients."))
                .port();
    }

    private static void createTopic(RawClient client) throws IOException {
        var topic = new CreateTopicsRequestData.CreatableTopic()
                .setName(TOPIC)
                .setNumPartitions(1)
                .setReplicationFactor((short) 1);
        var answer = client.call(
                ApiKey.CREATE_TOPICS,
                new CreateTopicsRequestData().setTopics(List.of(topic)).setTimeoutMs(10_000),
                CreateTopicsResponseData.class);
        expectNone("CreateTopics", answer.topics().getFirst().errorCode());
    }

    private static void produce(RawClient client, MetadataResponseData.MetadataResponseTopic topic) throws IOException {
        var producer = client.call(
                ApiKey.INIT_PRODUCER_ID,
                new InitProducerIdRequestData().setTransactionalId(null).setTransactionTimeoutMs(60_000),
                InitProducerIdResponseData.class);
        expectNone("InitProducerId", producer.errorCode());
        var value = "a value".repeat(20).getBytes(StandardCharsets.UTF_8);
        for (int i = 0; i < BATCHES; i++) {
            var batch = new BatchBuilder()
                    .producer(producer.producerId(), producer.producerEpoch(), i)
                    .append(1_700_000_000_000L + i, null, value)
                    .build();
            var partition =
                    new ProduceRequestData.PartitionProduceData().setIndex(0).setRecords(HeapRecords.of(batch));
            var data = new ProduceRequestData.TopicProduceData()
                    .setTopicId(topic.topicId())
                    .setPartitionData(List.of(partition));
            var answer = client.call(
                    ApiKey.PRODUCE,
                    new ProduceRequestData()
                            .setAcks((short) -1)
                            .setTimeoutMs(10_000)
                            .setTopicData(List.of(data)),
                    ProduceResponseData.class);
            expectNone(
                    "Produce",
                    answer.responses()
                            .getFirst()
                            .partitionResponses()
                            .getFirst()
                            .errorCode());
        }
    }

    private static void fetch(RawClient client, MetadataResponseData.MetadataResponseTopic topic) throws IOException {
        for (int i = 0; i < BATCHES; i++) {
            var partition = new FetchRequestData.FetchPartition()
                    .setPartition(0)
                    .setFetchOffset(i)
                    .setPartitionMaxBytes(1 << 20);
            var data = new FetchRequestData.FetchTopic()
                    .setTopicId(topic.topicId())
                    .setPartitions(List.of(partition));
            var request = new FetchRequestData()
                    .setMaxWaitMs(100)
                    .setMinBytes(1)
                    .setMaxBytes(1 << 20)
                    .setSessionEpoch(-1)
                    .setTopics(List.of(data));
            var answer = client.call(ApiKey.FETCH, request, FetchResponseData.class);
            expectNone(
                    "Fetch",
                    answer.responses().getFirst().partitions().getFirst().errorCode());
        }
    }

    private static void listOffsets(RawClient client) throws IOException {
        var partition = new ListOffsetsRequestData.ListOffsetsPartition()
                .setPartitionIndex(0)
                .setTimestamp(-1);
        var topic = new ListOffsetsRequestData.ListOffsetsTopic().setName(TOPIC).setPartitions(List.of(partition));
        var answer = client.call(
                ApiKey.LIST_OFFSETS,
                new ListOffsetsRequestData().setReplicaId(-1).setTopics(List.of(topic)),
                ListOffsetsResponseData.class);
        expectNone(
                "ListOffsets",
                answer.topics().getFirst().partitions().getFirst().errorCode());
    }

    private static void expectNone(String api, short code) {
        if (code != Errors.NONE.code()) {
            throw new IllegalStateException(api + " was answered with " + Errors.forCode(code) + ".");
        }
    }
}
