package io.moldau.sim;

import io.moldau.broker.api.data.DataApis;
import io.moldau.broker.api.data.FetchSessions;
import io.moldau.broker.api.data.ReadReplicas;
import io.moldau.broker.api.group.GroupApis;
import io.moldau.broker.api.transaction.TransactionApis;
import io.moldau.broker.api.transaction.WriteTxnMarkersHandler;
import io.moldau.broker.coordinator.group.GroupCoordinator;
import io.moldau.broker.coordinator.group.GroupEvents;
import io.moldau.broker.coordinator.group.GroupMetadataPublisher;
import io.moldau.broker.coordinator.group.GroupRecordDecoder;
import io.moldau.broker.coordinator.group.GroupSettings;
import io.moldau.broker.coordinator.group.GroupShard;
import io.moldau.broker.coordinator.group.GroupSurroundings;
import io.moldau.broker.coordinator.group.OffsetsTopic;
import io.moldau.broker.coordinator.log.PartitionCoordinatorLog;
import io.moldau.broker.coordinator.runtime.CoordinatorMetrics;
import io.moldau.broker.coordinator.runtime.CoordinatorRuntime;
import io.moldau.broker.coordinator.runtime.KeyHash;
import io.moldau.broker.coordinator.runtime.RecordDecoder;
import io.moldau.broker.coordinator.transaction.ProducerIds;
import io.moldau.broker.coordinator.transaction.TransactionCoordinator;
import io.moldau.broker.coordinator.transaction.TransactionCoordinatorConfig;
import io.moldau.broker.coordinator.transaction.TransactionMetadataPublisher;
import io.moldau.broker.coordinator.transaction.TransactionMetrics;
import io.moldau.broker.coordinator.transaction.TransactionRecordDecoder;
import io.moldau.broker.coordinator.transaction.TransactionsTopic;
import io.moldau.broker.lifecycle.BrokerRegistrar;
import io.moldau.broker.lifecycle.BrokerRegistrar.BrokerTiming;
import io.moldau.broker.lifecycle.RegistrationGate;
import io.moldau.broker.metadata.HungUpBrokers;
import io.moldau.broker.metadata.MetadataCache;
import io.moldau.broker.replica.AlterPartitionSender;
import io.moldau.broker.replica.LeaderState;
import io.moldau.broker.replica.PartitionChangesPublisher;
import io.moldau.broker.replica.PartitionRegistry;
import io.moldau.broker.replica.Replication;
import io.moldau.broker.replica.StrayLogs;
import io.moldau.broker.replica.TailCache;
import io.moldau.broker.replica.fetch.FetcherSettings;
import io.moldau.broker.replica.fetch.ReplicaFetchers;
import io.moldau.broker.request.RequestRouter;
import io.moldau.broker.transaction.CoordinatorQuestions;
import io.moldau.broker.transaction.MarkerWriter;
import io.moldau.broker.transaction.TransactionVerification;
import io.moldau.common.FaultHandler;
import io.moldau.common.TopicPartition;
import io.moldau.common.Uuid;
import io.moldau.common.time.Timer;
import io.moldau.log.LogMetrics;
import io.moldau.log.clean.CleanerConfig;
import io.moldau.log.dir.LogDirs;
import io.moldau.log.dir.LogDirsConfig;
import io.moldau.log.storage.SimulatedStorage;
import io.moldau.metadata.channel.LocalNodeToController;
import io.moldau.metadata.channel.MetadataFetchService;
import io.moldau.metadata.channel.MetadataFetcher;
import io.moldau.metadata.channel.NodeToController;
import io.moldau.metadata.controller.ConfigValidator;
import io.moldau.metadata.controller.ControllerMetrics;
import io.moldau.metadata.controller.ControllerSettings;
import io.moldau.metadata.controller.QuorumController;
import io.moldau.metadata.controller.TopicConfigDescriber;
import io.moldau.metadata.image.BrokerRegistration;
import io.moldau.metadata.image.FeaturesImage;
import io.moldau.metadata.image.TopicImage;
import io.moldau.metadata.image.loader.MetadataLoader;
import io.moldau.metadata.message.RegisterBrokerRequest;
import io.moldau.metadata.partition.PartitionRegistration;
import io.moldau.metadata.quorum.SimulatedQuorum;
import io.moldau.metadata.record.EndpointRecord;
import io.moldau.metadata.record.FeatureRange;
import io.moldau.metadata.record.MetadataRecords;
import io.moldau.wire.message.AddPartitionsToTxnRequestData;
import io.moldau.wire.message.WriteTxnMarkersRequestData;
import io.moldau.wire.protocol.ApiKey;
import io.moldau.wire.protocol.ByteBufferReadable;
import io.moldau.wire.record.Compression;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/// A machine with a disk, and the processes of one node that run on it one after the other. Puts the parts of a node
/// together as [io.moldau.broker.Node] does, with simulated threads, network, quorum and disk.
final class SimulatedNode extends Machine {

    static final String LISTENER = "PLAINTEXT";
    static final Uuid CLUSTER = new Uuid(1, 2);
    static final BrokerTiming TIMING = new BrokerTiming(400, 3_000, 600_000);

    /// As new clusters of the reference have them.
    private static final Map<String, Short> FEATURES = Map.of(
            FeaturesImage.METADATA_VERSION, (short) 33,
            FeaturesImage.ELIGIBLE_LEADER_REPLICAS, (short) 1,
            FeaturesImage.TRANSACTION_VERSION, (short) 2);

    private static final long MAX_LAG_MS = 1_500;
    private static final Path DISK = Path.of("/disk");
    private static final int PORT = 9092;
    private static final int REQUEST_TIMEOUT_MS = 2_000;

    private final SimulatedCluster cluster;
    private final Scenario scenario;
    private final SplittableRandom random;
    private final SimulatedStorage disk;
    private @Nullable Process process;

    SimulatedNode(SimulatedCluster cluster, int id) {
        super(cluster.scheduler(), "node-" + id, id);
        this.cluster = cluster;
        this.scenario = cluster.scenario();
        this.random = cluster.scheduler().split();
        this.disk = new SimulatedStorage(this, random.split());
    }

    /// Null while no process runs.
    @Nullable
    Process process() {
        return process;
    }

    boolean isRunning() {
        return process != null;
    }

    SimulatedStorage disk() {
        return disk;
    }

    void start() {
        if (process == null) {
            cluster.network().powered(id());
            process = new Process();
        }
    }

    /// What becomes of the machine with its process.
    enum End {
        /// kill -9: the operating system lives, and tells the peers.
        KILLED,
        /// Everything that was not forced to the disk is gone.
        POWER_LOST_CLEAN,
        /// The same, but some of it had been written by chance, not all in one piece.
        POWER_LOST_TORN
    }

    void crash(End end) {
        if (process == null) {
            return;
        }
        process = null;
        endLife();
        if (scenario.isController(id())) {
            cluster.quorum().crash(id());
        }
        switch (end) {
            case KILLED -> disk.killProcess();
            case POWER_LOST_CLEAN -> disk.cutPower(SimulatedStorage.Unforced.LOST);
            case POWER_LOST_TORN -> disk.cutPower(SimulatedStorage.Unforced.RANDOM);
        }
        cluster.network().ended(id(), end != End.KILLED);
    }

    /// Ends the process in order, if the controller gives its leave.
    void stop() {
        Process running = process;
        if (running == null) {
            return;
        }
        running.stop();
    }

    private void stopped(Process stopping) {
        if (process == stopping) {
            process = null;
            endLife();
            disk.killProcess();
            cluster.network().ended(id(), false);
            cluster.nodeStopped(this);
        }
    }

    /// The controller as the server side of a connection sees it.
    static final class LocalController extends ForwardingController {
        private final Machine machine;

        LocalController(NodeToController controller, Machine machine) {
            super(controller);
            this.machine = machine;
        }

        long deadline(long timeoutMs) {
            return machine.nanoseconds() + TimeUnit.MILLISECONDS.toNanos(timeoutMs);
        }
    }

    /// The broker part of a process.
    record Broker(
            Uuid incarnation,
            LogDirs logDirs,
            MetadataCache cache,
            PartitionRegistry partitions,
            BrokerRegistrar registrar,
            MetadataLoader loader,
            MetadataFetcher fetcher,
            CoordinatorRuntime<GroupShard> groups,
            TransactionCoordinator transactions,
            ReplicaFetchers fetchers,
            RequestRouter router) {}

    /// What a leader's node knows of other brokers.
    record KnownBrokers(MetadataCache cache) implements LeaderState.Eligibility {
        boolean isActive(int brokerId) {
            BrokerRegistration broker = cache.image().cluster().broker(brokerId);
            return broker != null && broker.isActive();
        }

        @Override
        public boolean isEligible(int brokerId, long brokerEpoch) {
            BrokerRegistration broker = cache.image().cluster().broker(brokerId);
            return broker != null && broker.isActive() && broker.epoch() == brokerEpoch;
        }

        @Override
        public boolean isStale(int brokerId, long brokerEpoch) {
            BrokerRegistration broker = cache.image().cluster().broker(brokerId);
            return broker != null && broker.epoch() > brokerEpoch;
        }
    }

    /// One run of the node.
    final class Process implements SimulatedNetwork.Server {

        private final FaultHandler faults =
                (where, fault) -> cluster.fail("a fault at " + name() + " in " + where + ": " + fault, fault);
        private final @Nullable QuorumController controller;
        private final @Nullable MetadataFetchService fetches;
        private final @Nullable SimulatedQuorum member;
        private final @Nullable LocalController local;
        private final @Nullable Broker broker;
        private boolean stopping;

        Process() {
            if (scenario.isController(id())) {
                SimulatedQuorum reopened = cluster.quorum().reopen(id());
                QuorumController made = newController(reopened);
                MetadataFetchService service =
                        new MetadataFetchService(CLUSTER, reopened, thread("metadata fetches"), SimulatedNode.this);
                member = reopened;
                controller = made;
                fetches = service;
                local = new LocalController(
                        new LocalNodeToController(CLUSTER, reopened, made, service, SimulatedNode.this),
                        SimulatedNode.this);
                reopened.start(made);
            } else {
                member = null;
                controller = null;
                fetches = null;
                local = null;
            }
            broker = scenario.isBroker(id()) ? newBroker() : null;
            if (broker != null) {
                broker.fetcher().start();
                broker.registrar().start();
            }
        }

        private SimulatedExecutor thread(String name) {
            return SimulatedExecutor.thread(SimulatedNode.this, name);
        }

        private QuorumController newController(SimulatedQuorum of) {
            var settings = new ControllerSettings(
                    1,
                    Scenario.REPLICAS,
                    true,
                    false,
                    Scenario.MIN_IN_SYNC,
                    scenario.forcing() == Scenario.Forcing.COMMITS,
                    TIMING.sessionMs(),
                    500,
                    new ControllerSettings.LeaderBalance(true, 4_000),
                    LISTENER,
                    FEATURES);
            return new QuorumController(
                    id(),
                    CLUSTER,
                    settings,
                    of,
                    thread("controller"),
                    SimulatedNode.this,
                    random.split(),
                    ConfigValidator.acceptAll(),
                    TopicConfigDescriber.none(),
                    ControllerMetrics.NONE,
                    faults,
                    (listener, timeoutMs) ->
                            cluster.network().probe(SimulatedNode.this, cluster.nodeOf(listener.host()), timeoutMs));
        }

        private Broker newBroker() {
            LogDirs logDirs;
            try {
                // Made sound on this thread, not on threads of their own.
                logDirs = LogDirs.open(
                        List.of(DISK),
                        disk,
                        SimulatedNode.this,
                        new LogDirsConfig(
                                1_000, 300_000, 5_000, () -> 86_400_000, 600_000, 0, 3_600_000, false, random.split()),
                        LogMetrics.NONE);
                logDirs.logs().forEach(log -> log.open());
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
            var link = new ControllerLink(
                    cluster.network(), SimulatedNode.this, scenario.controllers(), cluster::controllerAt);
            var timer = thread("timer").asTimer();
            var background = SimulatedExecutor.pool(SimulatedNode.this, "background");
            var cache = new MetadataCache(timer);
            var memory = new HeapMemory();
            Uuid incarnation = Uuid.random(random);
            var registrar = new BrokerRegistrar(
                    TIMING,
                    link,
                    id(),
                    () -> registration(incarnation, logDirs.previousBrokerEpoch()),
                    thread("lifecycle"),
                    SimulatedNode.this);
            var alterPartition = new AlterPartitionSender(
                    id(), registrar::brokerEpoch, link, SimulatedNode.this, timer, background, faults);
            var partitions = new PartitionRegistry(
                    id(),
                    logDirs,
                    cache::image,
                    SimulatedNode.this,
                    new TailCache(memory, 1 << 20, 1 << 16),
                    faults,
                    new Replication(
                            alterPartition,
                            background,
                            TimeUnit.MILLISECONDS.toNanos(MAX_LAG_MS),
                            new KnownBrokers(cache)));
            var fetchers = new ReplicaFetchers(
                    partitions,
                    registrar::brokerEpoch,
                    (broker, host, port) -> new SimulatedEndpoint(cluster, SimulatedNode.this, broker),
                    new HungUpBrokers(cache::image, SimulatedNode.this),
                    new FetcherSettings(1, 1 << 20, 10 << 20, 500, 1_000, 3_000, 1, LISTENER),
                    SimulatedNode.this,
                    timer,
                    background,
                    faults);
            var runtime = new CoordinatorRuntime<>(
                    OffsetsTopic.NAME,
                    partition -> new GroupShard(
                            Scenario.GROUPS,
                            random.split(),
                            new GroupSurroundings(
                                    cache::image, GroupSettings.fixed(45_000, 5_000, 1_000), GroupEvents.NONE)),
                    coordinators(partitions, new GroupRecordDecoder(), timer, background));
            var requests = new SimulatedBrokerRequests(cluster, SimulatedNode.this, cache::image);
            var verification = new TransactionVerification(
                    new CoordinatorQuestions(
                            requests,
                            transactionalId -> transactionCoordinator(cache, transactionalId),
                            SimulatedNode.this,
                            timer,
                            background,
                            new CoordinatorQuestions.Patience(20, 100, REQUEST_TIMEOUT_MS)),
                    partitions,
                    () -> true);
            var groups = new GroupCoordinator(
                    runtime, cache::image, SimulatedNode.this, background, verification, Scenario.GROUP_PARTITIONS);
            var markers = new MarkerWriter(
                    partitions,
                    OffsetsTopic.NAME,
                    groups::endTransaction,
                    SimulatedNode.this,
                    timer,
                    background,
                    REQUEST_TIMEOUT_MS);
            requests.local(
                    ApiKey.WRITE_TXN_MARKERS,
                    (request, version, reply) -> markers.write((WriteTxnMarkersRequestData) request, reply::accept));
            var transactions = new TransactionCoordinator(
                    TransactionCoordinatorConfig.DEFAULTS,
                    new TransactionCoordinator.Services(
                            coordinators(partitions, new TransactionRecordDecoder(), timer, background),
                            new ProducerIds(id(), registrar::brokerEpoch, link),
                            requests,
                            cache::image,
                            TransactionMetrics.NONE,
                            REQUEST_TIMEOUT_MS,
                            Scenario.TRANSACTION_PARTITIONS));
            requests.local(
                    ApiKey.ADD_PARTITIONS_TO_TXN,
                    (request, version, reply) -> transactions.addPartitions(
                            (AddPartitionsToTxnRequestData) request, version, reply::accept));
            var loaderThread = thread("metadata loader");
            var loader = new MetadataLoader(
                    loaderThread,
                    SimulatedNode.this,
                    faults,
                    List.of(
                            cache,
                            new RegistrationGate(
                                    id(),
                                    incarnation,
                                    List.of(
                                            new StrayLogs(id(), logDirs),
                                            new PartitionChangesPublisher(
                                                    partitions, (image, topic) -> scenario.settings(topic)),
                                            fetchers,
                                            new GroupMetadataPublisher(id(), groups),
                                            new TransactionMetadataPublisher(id(), transactions))),
                            registrar,
                            cache.notifier()));
            var fetcher = new MetadataFetcher(
                    id(), CLUSTER, link, loader, cluster.scratch(id()), loaderThread, SimulatedNode.this);
            var routes = RequestRouter.builder();
            DataApis.register(
                    routes,
                    new DataApis.Services(
                            partitions,
                            new FetchSessions(1000, random.split()),
                            background,
                            memory,
                            SimulatedNode.this,
                            1 << 20,
                            ReadReplicas.LEADER_ONLY,
                            verification));
            routes.on(ApiKey.WRITE_TXN_MARKERS, WriteTxnMarkersRequestData.class, new WriteTxnMarkersHandler(markers));
            GroupApis.register(routes, groups, cache::image);
            TransactionApis.register(
                    routes, transactions, group -> new TopicPartition(OffsetsTopic.NAME, groups.partitionFor(group)));
            thread("maintenance")
                    .scheduleWithFixedDelay(
                            () -> logDirs.runMaintenance(milliseconds()), 500, 500, TimeUnit.MILLISECONDS);
            if (scenario.compacts()) {
                compact(logDirs);
            }
            thread("follower checks")
                    .scheduleWithFixedDelay(
                            partitions::checkFollowers, MAX_LAG_MS / 2, MAX_LAG_MS / 2, TimeUnit.MILLISECONDS);
            return new Broker(
                    incarnation,
                    logDirs,
                    cache,
                    partitions,
                    registrar,
                    loader,
                    fetcher,
                    runtime,
                    transactions,
                    fetchers,
                    routes.build());
        }

        /// In small memory at times, and given up in the middle at times.
        private void compact(LogDirs logDirs) {
            var chance = random.split();
            var cleaner = logDirs.cleaner();
            thread("cleaner")
                    .scheduleWithFixedDelay(
                            () -> {
                                var memory = new CleanerConfig(chance.nextBoolean() ? 200 : 1 << 20, 0.9, 32 << 10);
                                if (cleaner.cleanNext(memory, bytes -> chance.nextInt(8) > 0)) {
                                    cluster.log().note(SimulatedNode.this, "compacted", "");
                                }
                                if (!cleaner.uncleanable().isEmpty()) {
                                    cluster.fail(name() + " cannot compact " + cleaner.uncleanable(), null);
                                }
                            },
                            300,
                            300,
                            TimeUnit.MILLISECONDS);
        }

        private static int transactionCoordinator(MetadataCache cache, String transactionalId) {
            TopicImage topic = cache.image().topics().topic(TransactionsTopic.NAME);
            PartitionRegistration registration = topic == null
                    ? null
                    : topic.partition(KeyHash.partitionFor(
                            transactionalId, topic.partitions().size()));
            return registration == null ? PartitionRegistration.NO_LEADER : registration.leader();
        }

        private CoordinatorRuntime.Services coordinators(
                PartitionRegistry partitions, RecordDecoder decoder, Timer timer, SimulatedExecutor background) {
            return new CoordinatorRuntime.Services(
                    new PartitionCoordinatorLog(partitions),
                    decoder,
                    SimulatedNode.this,
                    timer,
                    background,
                    faults,
                    CoordinatorMetrics.NONE,
                    Compression.NONE,
                    1_000_000,
                    4_096,
                    5_000);
        }

        private RegisterBrokerRequest registration(Uuid incarnation, long previousBrokerEpoch) {
            return RegisterBrokerRequest.newBuilder()
                    .setClusterId(MetadataRecords.id(CLUSTER))
                    .setBrokerId(id())
                    .setIncarnationId(MetadataRecords.id(incarnation))
                    .addLogDirs(MetadataRecords.id(new Uuid(7, id())))
                    .setPreviousBrokerEpoch(previousBrokerEpoch)
                    .addEndpoints(EndpointRecord.newBuilder()
                            .setListener(LISTENER)
                            .setSecurityProtocol(LISTENER)
                            .setHost(name())
                            .setPort(PORT))
                    .addFeatures(FeatureRange.newBuilder()
                            .setName(FeaturesImage.METADATA_VERSION)
                            .setMinLevel(1)
                            .setMaxLevel(33))
                    .addFeatures(FeatureRange.newBuilder()
                            .setName(FeaturesImage.ELIGIBLE_LEADER_REPLICAS)
                            .setMinLevel(0)
                            .setMaxLevel(1))
                    .addFeatures(FeatureRange.newBuilder()
                            .setName(FeaturesImage.TRANSACTION_VERSION)
                            .setMinLevel(0)
                            .setMaxLevel(2))
                    .build();
        }

        SimulatedNode node() {
            return SimulatedNode.this;
        }

        @Nullable
        Broker broker() {
            return broker;
        }

        @Nullable
        QuorumController controller() {
            return controller;
        }

        @Nullable
        LocalController localController() {
            return local;
        }

        @Override
        public Machine machine() {
            return SimulatedNode.this;
        }

        @Override
        public SimulatedExecutor newConnectionThread() {
            return thread("connection");
        }

        /// Serves a request of the Kafka protocol.
        void serve(
                SimulatedNetwork.Exchange exchange,
                ApiKey api,
                short version,
                ByteBuffer body,
                String clientId,
                BiConsumer<@Nullable ByteBuffer, @Nullable Throwable> answer) {
            if (broker == null) {
                exchange.disconnect();
                return;
            }
            broker.router()
                    .dispatch(
                            new SimulatedRequest(exchange, api, version, clientId, nanoseconds(), answer),
                            new ByteBufferReadable(body.duplicate()));
        }

        private void stop() {
            if (stopping) {
                return;
            }
            stopping = true;
            if (broker == null) {
                closeController();
                stopped(this);
                return;
            }
            var parts = broker;
            parts.registrar().shutDown(true).thenRun(() -> {
                parts.groups().close();
                parts.transactions().close();
                parts.fetchers().close();
                parts.partitions().close();
                parts.logDirs().close(parts.registrar().brokerEpoch());
                closeController();
                stopped(this);
            });
        }

        private void closeController() {
            if (member != null && controller != null && fetches != null) {
                member.resign(0);
                controller.close();
                fetches.close();
                member.close();
            }
        }
    }
}
