package io.moldau.broker.api.data;

import io.moldau.broker.api.transaction.TransactionApis;
import io.moldau.broker.coordinator.transaction.IdleTransactions;
import io.moldau.broker.coordinator.transaction.ProducerIds;
import io.moldau.broker.net.EventLoops;
import io.moldau.broker.net.ListenerConfig;
import io.moldau.broker.net.NettyServer;
import io.moldau.broker.net.NetworkConfig;
import io.moldau.broker.net.PooledMemory;
import io.moldau.broker.replica.HostedPartition;
import io.moldau.broker.replica.Partition;
import io.moldau.broker.replica.PartitionChangesPublisher;
import io.moldau.broker.replica.PartitionRegistry;
import io.moldau.broker.replica.TailCache;
import io.moldau.broker.replica.TopicSettings;
import io.moldau.broker.request.RequestMetrics;
import io.moldau.broker.request.RequestRouter;
import io.moldau.broker.transaction.TestVerification;
import io.moldau.common.FaultHandler;
import io.moldau.common.TopicPartition;
import io.moldau.common.Uuid;
import io.moldau.common.time.HashedWheelTimer;
import io.moldau.common.time.SystemTime;
import io.moldau.common.time.Time;
import io.moldau.log.LogConfig;
import io.moldau.log.LogMetrics;
import io.moldau.log.dir.LogDirs;
import io.moldau.log.dir.LogDirsConfig;
import io.moldau.log.storage.LogStorage;
import io.moldau.log.storage.NioLogStorage;
import io.moldau.metadata.channel.NodeToController;
import io.moldau.metadata.image.MetadataDelta;
import io.moldau.metadata.image.MetadataImage;
import io.moldau.metadata.image.MetadataProvenance;
import io.moldau.metadata.image.TopicImage;
import io.moldau.metadata.image.loader.LoaderManifest;
import io.moldau.metadata.message.AllocateProducerIdsResponse;
import io.moldau.metadata.partition.PartitionRegistration;
import io.moldau.metadata.record.MetadataRecords;
import io.moldau.metadata.record.PartitionRecord;
import io.moldau.metadata.record.RemoveTopicRecord;
import io.moldau.metadata.record.TopicRecord;
import io.moldau.wire.message.ApiVersionsRequestData;
import io.moldau.wire.message.ApiVersionsResponseData;
import io.moldau.wire.message.CreateTopicsRequestData;
import io.moldau.wire.message.CreateTopicsResponseData;
import io.moldau.wire.message.MetadataRequestData;
import io.moldau.wire.message.MetadataResponseData;
import io.moldau.wire.protocol.ApiKey;
import java.io.IOException;
import java.lang.reflect.Proxy;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicLong;

/// A node reduced to what the data APIs need: real event loops, real logs, metadata written by hand. It also
/// answers ApiVersions, Metadata and CreateTopics, so that simple clients find their way.
public final class DataNode implements AutoCloseable {

    static final int NODE_ID = 1;
    static final String LISTENER = "PLAINTEXT";

    private final Random random = new Random(42);
    private final LogDirs logs;
    private final EventLoops loops;
    private final NettyServer server;
    private final ExecutorService diskThreads = Executors.newFixedThreadPool(
            2, Thread.ofPlatform().name("disk-", 0).daemon(true).factory());
    private final PartitionChangesPublisher publisher;
    private final Map<String, TopicSettings> settings = new ConcurrentHashMap<>();
    private final InetSocketAddress address;
    final PartitionRegistry partitions;
    final FetchSessions sessions;
    final TailCache tails;
    final FaultHandler.Recording faults = new FaultHandler.Recording();
    private volatile MetadataImage image = MetadataImage.EMPTY;

    DataNode(Path directory) throws IOException {
        this(directory, NetworkConfig.DEFAULTS, 0, RequestMetrics.NONE, 1000);
    }

    DataNode(Path directory, NetworkConfig network, int port, RequestMetrics metrics, int sessionSlots)
            throws IOException {
        this(directory, new NioLogStorage(), network, port, metrics, sessionSlots);
    }

    DataNode(
            Path directory,
            LogStorage storage,
            NetworkConfig network,
            int port,
            RequestMetrics metrics,
            int sessionSlots)
            throws IOException {
        Time time = new SystemTime();
        logs = LogDirs.open(List.of(directory), storage, time, LogDirsConfig.defaults(random), LogMetrics.NONE);
        loops = new EventLoops(network.eventLoops(), time);
        var memory = new PooledMemory(loops.allocator());
        tails = new TailCache(memory, 32 << 20, 256 << 10);
        partitions = new PartitionRegistry(NODE_ID, logs, () -> image, time, tails, faults);
        publisher = new PartitionChangesPublisher(
                partitions, (of, topic) -> settings.getOrDefault(topic, new TopicSettings(LogConfig.DEFAULTS, 1)));
        sessions = new FetchSessions(sessionSlots, random);
        RequestRouter.Builder router = RequestRouter.builder().metrics(metrics);
        DataApis.register(
                router,
                new DataApis.Services(
                        partitions,
                        sessions,
                        diskThreads,
                        memory,
                        time,
                        55 << 20,
                        ReadReplicas.LEADER_ONLY,
                        TestVerification.withoutCoordinator(partitions)));
        TransactionApis.register(
                router,
                IdleTransactions.coordinator(
                        new ProducerIds(NODE_ID, () -> 1L, controller()),
                        () -> image,
                        time,
                        new HashedWheelTimer(0, () -> {}),
                        diskThreads),
                group -> new TopicPartition("__consumer_offsets", 0));
        router.on(ApiKey.API_VERSIONS, ApiVersionsRequestData.class, (context, request) -> {
            var response = new ApiVersionsResponseData();
            for (ApiKey api : List.of(
                    ApiKey.PRODUCE,
                    ApiKey.FETCH,
                    ApiKey.LIST_OFFSETS,
                    ApiKey.METADATA,
                    ApiKey.API_VERSIONS,
                    ApiKey.INIT_PRODUCER_ID,
                    ApiKey.OFFSET_FOR_LEADER_EPOCH,
                    ApiKey.DELETE_RECORDS)) {
                response.apiKeys()
                        .add(new ApiVersionsResponseData.ApiVersion()
                                .setApiKey(api.id())
                                .setMinVersion(api.lowestVersion())
                                .setMaxVersion(api.highestVersion()));
            }
            context.respond(response);
        });
        router.on(ApiKey.METADATA, MetadataRequestData.class, (context, request) -> context.respond(metadata(request)));
        router.on(ApiKey.CREATE_TOPICS, CreateTopicsRequestData.class, (context, request) -> {
            var response = new CreateTopicsResponseData();
            for (CreateTopicsRequestData.CreatableTopic topic : request.topics()) {
                Uuid id = createTopic(topic.name(), topic.numPartitions());
                response.topics()
                        .add(new CreateTopicsResponseData.CreatableTopicResult()
                                .setName(topic.name())
                                .setTopicId(id));
            }
            context.respond(response);
        });
        server = new NettyServer(network, loops, router.build(), metrics);
        address = server.bind(new ListenerConfig(LISTENER, "PLAINTEXT", "127.0.0.1", port));
    }

    /// Gives out blocks of ten producer ids.
    private static NodeToController controller() {
        var next = new AtomicLong(1000);
        return (NodeToController) Proxy.newProxyInstance(
                DataNode.class.getClassLoader(),
                new Class<?>[] {NodeToController.class},
                (proxy, method, arguments) -> {
                    if (!method.getName().equals("allocateProducerIds")) {
                        throw new UnsupportedOperationException(method.getName());
                    }
                    return CompletableFuture.supplyAsync(() -> AllocateProducerIdsResponse.newBuilder()
                            .setFirstProducerId(next.getAndAdd(10))
                            .setCount(10)
                            .build());
                });
    }

    private MetadataResponseData metadata(MetadataRequestData request) {
        MetadataImage now = image;
        var response = new MetadataResponseData().setClusterId("test").setControllerId(NODE_ID);
        response.brokers()
                .add(new MetadataResponseData.MetadataResponseBroker()
                        .setNodeId(NODE_ID)
                        .setHost("127.0.0.1")
                        .setPort(address.getPort()));
        List<String> names = new ArrayList<>();
        if (request.topics() == null) {
            now.topics().topics().forEach(topic -> names.add(topic.name()));
        } else {
            request.topics().forEach(topic -> names.add(Objects.requireNonNull(topic.name())));
        }
        for (String name : names) {
            TopicImage topic = now.topics().topic(name);
            var of = new MetadataResponseData.MetadataResponseTopic().setName(name);
            if (topic == null) {
                of.setErrorCode((short) 3);
            } else {
                of.setTopicId(topic.id());
                topic.partitions()
                        .forEach((number, partition) -> of.partitions()
                                .add(new MetadataResponseData.MetadataResponsePartition()
                                        .setPartitionIndex(number)
                                        .setLeaderId(partition.leader())
                                        .setLeaderEpoch(partition.leaderEpoch())
                                        .setReplicaNodes(partition.replicas())
                                        .setIsrNodes(partition.isr())));
            }
            response.topics().add(of);
        }
        return response;
    }

    InetSocketAddress address() {
        return address;
    }

    String bootstrap() {
        return "127.0.0.1:" + address.getPort();
    }

    NettyServer server() {
        return server;
    }

    Uuid createTopic(String name, int partitionCount) {
        return createTopic(name, partitionCount, new TopicSettings(LogConfig.DEFAULTS, 1));
    }

    synchronized Uuid createTopic(String name, int partitionCount, TopicSettings topicSettings) {
        settings.put(name, topicSettings);
        Uuid id = Uuid.random(random);
        var delta = new MetadataDelta(image);
        delta.replay(MetadataRecords.of(TopicRecord.newBuilder()
                .setName(name)
                .setTopicId(MetadataRecords.id(id))
                .build()));
        for (int i = 0; i < partitionCount; i++) {
            delta.replay(MetadataRecords.of(PartitionRecord.newBuilder()
                    .setTopicId(MetadataRecords.id(id))
                    .setPartitionId(i)
                    .addReplicas(NODE_ID)
                    .addIsr(NODE_ID)
                    .setLeader(NODE_ID)
                    .setLeaderEpoch(0)
                    .build()));
        }
        publish(delta);
        return id;
    }

    /// Says that a partition has another registration now.
    synchronized void change(String topic, int partition, PartitionRegistration registration) {
        Uuid id = Objects.requireNonNull(image.topics().topic(topic)).id();
        var delta = new MetadataDelta(image);
        delta.replay(MetadataRecords.of(registration.toRecord(MetadataRecords.id(id), partition)));
        publish(delta);
    }

    /// Says that a partition has another registration now, and its topic other settings, in one step.
    void change(String topic, int partition, PartitionRegistration registration, TopicSettings topicSettings) {
        settings.put(topic, topicSettings);
        change(topic, partition, registration);
    }

    synchronized void deleteTopic(String name) {
        Uuid id = Objects.requireNonNull(image.topics().topic(name)).id();
        var delta = new MetadataDelta(image);
        delta.replay(MetadataRecords.of(RemoveTopicRecord.newBuilder()
                .setTopicId(MetadataRecords.id(id))
                .build()));
        publish(delta);
    }

    private void publish(MetadataDelta delta) {
        var provenance = new MetadataProvenance(image.offset() + 1, 1, 0);
        image = delta.apply(provenance);
        publisher.onMetadataUpdate(delta, image, new LoaderManifest.LogDelta(provenance, 1, 0));
    }

    Partition partition(String topic, int number) {
        return ((HostedPartition.Online) partitions.get(new TopicPartition(topic, number))).partition();
    }

    PartitionRegistration registration(String topic, int number) {
        return Objects.requireNonNull(partitions.registration(new TopicPartition(topic, number)));
    }

    @Override
    public void close() {
        server.close();
        diskThreads.close();
        partitions.close();
        loops.close();
        logs.close();
    }

    /// A node to measure the data path with: directory and port.
    public static void main(String[] arguments) throws Exception {
        var node = new DataNode(
                Path.of(arguments[0]),
                NetworkConfig.DEFAULTS,
                Integer.parseInt(arguments[1]),
                RequestMetrics.NONE,
                1000);
        Runtime.getRuntime().addShutdownHook(new Thread(node::close));
        Thread.currentThread().join();
    }
}
