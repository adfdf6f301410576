package io.moldau.broker.api.data;

import io.moldau.broker.api.transaction.TransactionApis;
import io.moldau.broker.coordinator.transaction.IdleTransactions;
import io.moldau.broker.coordinator.transaction.ProducerIds;
import io.moldau.broker.metadata.HungUpBrokers;
import io.moldau.broker.net.EventLoops;
import io.moldau.broker.net.ListenerConfig;
import io.moldau.broker.net.NettyPeers;
import io.moldau.broker.net.NettyServer;
import io.moldau.broker.net.NetworkConfig;
import io.moldau.broker.net.PeerLimits;
import io.moldau.broker.net.PooledMemory;
import io.moldau.broker.replica.AlterPartitionSender;
import io.moldau.broker.replica.HostedPartition;
import io.moldau.broker.replica.LeaderState;
import io.moldau.broker.replica.Partition;
import io.moldau.broker.replica.PartitionChangesPublisher;
import io.moldau.broker.replica.PartitionRegistry;
import io.moldau.broker.replica.Replication;
import io.moldau.broker.replica.TailCache;
import io.moldau.broker.replica.TopicSettings;
import io.moldau.broker.replica.fetch.FetcherSettings;
import io.moldau.broker.replica.fetch.PeerLeaderEndpoint;
import io.moldau.broker.replica.fetch.ReplicaFetchers;
import io.moldau.broker.request.RequestMetrics;
import io.moldau.broker.request.RequestRouter;
import io.moldau.broker.transaction.TestVerification;
import io.moldau.common.Endpoint;
import io.moldau.common.FaultHandler;
import io.moldau.common.TopicPartition;
import io.moldau.common.Uuid;
import io.moldau.common.time.SystemTime;
import io.moldau.common.time.Time;
import io.moldau.common.time.TimerThread;
import io.moldau.log.LogConfig;
import io.moldau.log.LogMetrics;
import io.moldau.log.dir.LogDirs;
import io.moldau.log.dir.LogDirsConfig;
import io.moldau.log.storage.NioLogStorage;
import io.moldau.metadata.channel.NodeToController;
import io.moldau.metadata.controller.ControllerSettings;
import io.moldau.metadata.controller.op.AlterPartition;
import io.moldau.metadata.event.ThreadEventLoop;
import io.moldau.metadata.image.BrokerRegistration;
import io.moldau.metadata.image.MetadataDelta;
import io.moldau.metadata.image.MetadataImage;
import io.moldau.metadata.image.MetadataProvenance;
import io.moldau.metadata.image.TopicImage;
import io.moldau.metadata.image.loader.LoaderManifest;
import io.moldau.metadata.message.AllocateProducerIdsResponse;
import io.moldau.metadata.message.AlterPartitionRequest;
import io.moldau.metadata.message.AlterPartitionResponse;
import io.moldau.metadata.partition.LeaderRecoveryState;
import io.moldau.metadata.partition.PartitionRegistration;
import io.moldau.metadata.record.MetadataRecord;
import io.moldau.metadata.record.MetadataRecords;
import io.moldau.metadata.record.RegisterBrokerRecord;
import io.moldau.metadata.record.TopicRecord;
import io.moldau.wire.message.ApiVersionsRequestData;
import io.moldau.wire.message.ApiVersionsResponseData;
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
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/// Brokers over real sockets, disks and clocks, whose controller is this object: what it decides they hear of at once.
final class SocketCluster implements AutoCloseable {

    static final String TOPIC = "t";
    private static final String LISTENER = "PLAINTEXT";
    static final Uuid TOPIC_ID = new Uuid(5, 5);

    final FaultHandler.Recording faults = new FaultHandler.Recording();
    final Map<Integer, Member> members = new TreeMap<>();
    private final Time time = new SystemTime();
    private final Path directory;
    private final int minInsyncReplicas;
    private final AtomicLong producerIds = new AtomicLong(1000);
    private MetadataImage image = MetadataImage.EMPTY;
    private long nextBrokerEpoch = 100;

    SocketCluster(Path directory, int brokers, int partitions, int minInsyncReplicas) throws IOException {
        this.directory = directory;
        this.minInsyncReplicas = minInsyncReplicas;
        for (int id = 1; id <= brokers; id++) {
            start(id);
        }
        commit(List.of(MetadataRecords.of(TopicRecord.newBuilder()
                .setName(TOPIC)
                .setTopicId(MetadataRecords.id(TOPIC_ID))
                .build())));
        List<Integer> all = List.copyOf(members.keySet());
        for (int partition = 0; partition < partitions; partition++) {
            register(
                    partition,
                    new PartitionRegistration(
                            all,
                            all.stream().map(it -> Uuid.ZERO).toList(),
                            all,
                            List.of(),
                            List.of(),
                            List.of(),
                            List.of(),
                            all.get(partition % all.size()),
                            LeaderRecoveryState.RECOVERED,
                            0,
                            0));
        }
    }

    synchronized Member start(int id) throws IOException {
        var member = new Member(id);
        members.put(id, member);
        commit(List.of(MetadataRecords.of(RegisterBrokerRecord.newBuilder()
                .setBrokerId(id)
                .setBrokerEpoch(nextBrokerEpoch++)
                .setFenced(false)
                .setRack("rack-" + id)
                .setIncarnationId(MetadataRecords.id(new Uuid(3, nextBrokerEpoch)))
                .addEndpoints(MetadataRecords.endpoint(
                        new Endpoint(LISTENER, "PLAINTEXT", "127.0.0.1", member.address.getPort())))
                .build())));
        return member;
    }

    /// The process is gone from one moment to the next, and the controller knows at once.
    void kill(int id) {
        Member victim = Objects.requireNonNull(members.get(id));
        victim.kill();
        synchronized (this) {
            members.remove(id);
            Objects.requireNonNull(image.topics().topic(TOPIC)).partitions().forEach((partition, before) -> {
                List<Integer> isr = before.isr().stream().filter(it -> it != id).toList();
                if (isr.isEmpty()) {
                    throw new AssertionError("nobody is left to lead partition " + partition);
                }
                boolean led = before.leader() == id;
                register(
                        partition,
                        new PartitionRegistration(
                                before.replicas(),
                                before.directories(),
                                isr,
                                List.of(),
                                List.of(),
                                List.of(),
                                List.of(),
                                led ? isr.getFirst() : before.leader(),
                                LeaderRecoveryState.RECOVERED,
                                before.leaderEpoch() + (led ? 1 : 0),
                                before.partitionEpoch() + 1));
            });
        }
    }

    private void register(int partition, PartitionRegistration registration) {
        commit(List.of(MetadataRecords.of(registration.toRecord(MetadataRecords.id(TOPIC_ID), partition))));
    }

    private synchronized void commit(List<MetadataRecord> records) {
        var delta = new MetadataDelta(image);
        delta.replayAll(records);
        image = delta.apply(new MetadataProvenance(image.offset() + 1, 1, 0));
        MetadataImage now = image;
        members.values().forEach(member -> member.loader.execute(() -> member.learn(now)));
    }

    synchronized PartitionRegistration registration(int partition) {
        return Objects.requireNonNull(image.topics().partition(new TopicPartition(TOPIC, partition)));
    }

    private synchronized AlterPartitionResponse alterPartition(AlterPartitionRequest request) {
        var result = new AlterPartition(ControllerSettings.DEFAULTS).plan(image, request);
        if (!result.records().isEmpty()) {
            commit(result.records());
        }
        return result.response();
    }

    private NodeToController controller() {
        return (NodeToController) Proxy.newProxyInstance(
                SocketCluster.class.getClassLoader(),
                new Class<?>[] {NodeToController.class},
                (proxy, method, arguments) -> switch (method.getName()) {
                    case "alterPartition" ->
                        CompletableFuture.supplyAsync(() -> alterPartition((AlterPartitionRequest) arguments[0]));
                    case "allocateProducerIds" ->
                        CompletableFuture.completedFuture(AllocateProducerIdsResponse.newBuilder()
                                .setFirstProducerId(producerIds.getAndAdd(10))
                                .setCount(10)
                                .build());
                    default -> throw new UnsupportedOperationException(method.getName());
                });
    }

    String bootstrap() {
        return String.join(
                ",",
                members.values().stream()
                        .map(member -> "127.0.0.1:" + member.address.getPort())
                        .toList());
    }

    /// One broker.
    final class Member implements LeaderState.Eligibility {
        final int id;
        final PartitionRegistry partitions;
        final InetSocketAddress address;
        final ThreadEventLoop loader;
        private final LogDirs logs;
        private final EventLoops loops;
        private final NettyServer server;
        private final ExecutorService diskThreads;
        private final TimerThread timer;
        private final PartitionChangesPublisher publisher;
        private final ReplicaFetchers fetchers;
        private final AlterPartitionSender isrChanges;
        private volatile MetadataImage known = MetadataImage.EMPTY;

        Member(int id) throws IOException {
            this.id = id;
            var random = new Random(id);
            logs = LogDirs.open(
                    List.of(directory.resolve("broker-" + id)),
                    new NioLogStorage(),
                    time,
                    LogDirsConfig.defaults(random),
                    LogMetrics.NONE);
            loops = new EventLoops(2, time);
            loader = new ThreadEventLoop("loader-" + id, time, faults);
            timer = new TimerThread("timer-" + id, time, faults);
            diskThreads = Executors.newFixedThreadPool(2);
            var memory = new PooledMemory(loops.allocator());
            isrChanges = new AlterPartitionSender(id, this::epoch, controller(), time, timer, diskThreads, faults);
            partitions = new PartitionRegistry(
                    id,
                    logs,
                    () -> known,
                    time,
                    new TailCache(memory, 32 << 20, 256 << 10),
                    faults,
                    new Replication(isrChanges, diskThreads, TimeUnit.SECONDS.toNanos(10), this));
            publisher = new PartitionChangesPublisher(
                    partitions, (of, topic) -> new TopicSettings(LogConfig.DEFAULTS, minInsyncReplicas));
            fetchers = new ReplicaFetchers(
                    partitions,
                    this::epoch,
                    PeerLeaderEndpoint.by(new NettyPeers(loops, diskThreads, "broker-" + id, PeerLimits.DEFAULTS)),
                    new HungUpBrokers(() -> MetadataImage.EMPTY, time),
                    FetcherSettings.defaults(LISTENER),
                    time,
                    timer,
                    diskThreads,
                    faults);
            RequestRouter.Builder router = RequestRouter.builder().metrics(RequestMetrics.NONE);
            DataApis.register(
                    router,
                    new DataApis.Services(
                            partitions,
                            new FetchSessions(100, random),
                            diskThreads,
                            memory,
                            time,
                            55 << 20,
                            ReadReplicas.rackAware(() -> known),
                            TestVerification.withoutCoordinator(partitions)));
            TransactionApis.register(
                    router,
                    IdleTransactions.coordinator(
                            new ProducerIds(id, this::epoch, controller()), () -> known, time, timer, diskThreads),
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
                        ApiKey.OFFSET_FOR_LEADER_EPOCH)) {
                    response.apiKeys()
                            .add(new ApiVersionsResponseData.ApiVersion()
                                    .setApiKey(api.id())
                                    .setMinVersion(api.lowestVersion())
                                    .setMaxVersion(api.highestVersion()));
                }
                context.respond(response);
            });
            router.on(
                    ApiKey.METADATA, MetadataRequestData.class, (context, request) -> context.respond(metadata(known)));
            server = new NettyServer(NetworkConfig.DEFAULTS, loops, router.build(), RequestMetrics.NONE);
            address = server.bind(new ListenerConfig(LISTENER, "PLAINTEXT", "127.0.0.1", 0));
        }

        private long epoch() {
            BrokerRegistration registration = known.cluster().broker(id);
            return registration == null ? -1 : registration.epoch();
        }

        @Override
        public boolean isEligible(int brokerId, long brokerEpoch) {
            BrokerRegistration broker = known.cluster().broker(brokerId);
            return broker != null && broker.isActive() && broker.epoch() == brokerEpoch;
        }

        @Override
        public boolean isStale(int brokerId, long brokerEpoch) {
            BrokerRegistration broker = known.cluster().broker(brokerId);
            return broker != null && broker.epoch() > brokerEpoch;
        }

        private void learn(MetadataImage next) {
            MetadataDelta delta = MetadataDelta.between(known, next);
            known = next;
            var manifest = new LoaderManifest.LogDelta(next.provenance(), 1, 0);
            publisher.onMetadataUpdate(delta, next, manifest);
            fetchers.onMetadataUpdate(delta, next, manifest);
        }

        Partition partition(int number) {
            return ((HostedPartition.Online) partitions.get(new TopicPartition(TOPIC, number))).partition();
        }

        void kill() {
            server.close();
            fetchers.close();
            isrChanges.close();
            loader.close();
            partitions.close();
            loops.close();
            timer.close();
            diskThreads.close();
            logs.abandon();
        }
    }

    private static MetadataResponseData metadata(MetadataImage now) {
        var response = new MetadataResponseData().setClusterId("test").setControllerId(-1);
        now.cluster().brokers().forEach(broker -> {
            Endpoint endpoint = Objects.requireNonNull(broker.listener(LISTENER));
            response.brokers()
                    .add(new MetadataResponseData.MetadataResponseBroker()
                            .setNodeId(broker.id())
                            .setHost(endpoint.host())
                            .setPort(endpoint.port())
                            .setRack(broker.rack()));
        });
        @Nullable TopicImage topic = now.topics().topic(TOPIC);
        if (topic != null) {
            var partitions = new ArrayList<MetadataResponseData.MetadataResponsePartition>();
            topic.partitions()
                    .forEach((number, partition) -> partitions.add(new MetadataResponseData.MetadataResponsePartition()
                            .setPartitionIndex(number)
                            .setLeaderId(partition.leader())
                            .setLeaderEpoch(partition.leaderEpoch())
                            .setReplicaNodes(partition.replicas())
                            .setIsrNodes(partition.isr())));
            response.topics()
                    .add(new MetadataResponseData.MetadataResponseTopic()
                            .setName(TOPIC)
                            .setTopicId(topic.id())
                            .setPartitions(partitions));
        }
        return response;
    }

    @Override
    public void close() {
        List.copyOf(members.values()).forEach(Member::kill);
        members.clear();
    }
}
