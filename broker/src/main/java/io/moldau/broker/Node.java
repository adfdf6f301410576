package io.moldau.broker;

import io.moldau.broker.api.data.DataApis;
import io.moldau.broker.api.data.FetchSessions;
import io.moldau.broker.api.data.ProducerIds;
import io.moldau.broker.api.data.ReadReplicas;
import io.moldau.broker.api.group.GroupApis;
import io.moldau.broker.config.ClusterKeys;
import io.moldau.broker.config.ConfigResolver;
import io.moldau.broker.config.GroupKeys;
import io.moldau.broker.config.KnownConfigValidator;
import io.moldau.broker.config.LogKeys;
import io.moldau.broker.config.MoldauKeys;
import io.moldau.broker.config.NetworkKeys;
import io.moldau.broker.config.NodeConfig;
import io.moldau.broker.config.ReplicationKeys;
import io.moldau.broker.config.TopicDefaultKeys;
import io.moldau.broker.config.TransactionKeys;
import io.moldau.broker.coordinator.group.GroupCoordinator;
import io.moldau.broker.coordinator.group.GroupMetadataPublisher;
import io.moldau.broker.coordinator.group.GroupRecordDecoder;
import io.moldau.broker.coordinator.group.GroupShard;
import io.moldau.broker.coordinator.group.OffsetsTopic;
import io.moldau.broker.coordinator.log.PartitionCoordinatorLog;
import io.moldau.broker.coordinator.runtime.CoordinatorRuntime;
import io.moldau.broker.lifecycle.BrokerRegistrar;
import io.moldau.broker.lifecycle.DataDirectories;
import io.moldau.broker.lifecycle.LateController;
import io.moldau.broker.lifecycle.RegistrationGate;
import io.moldau.broker.lifecycle.StartException;
import io.moldau.broker.metadata.ClusterView;
import io.moldau.broker.metadata.MetadataCache;
import io.moldau.broker.metadata.TopicCreator;
import io.moldau.broker.net.EventLoops;
import io.moldau.broker.net.ListenerConfig;
import io.moldau.broker.net.NettyServer;
import io.moldau.broker.net.NetworkConfig;
import io.moldau.broker.net.PooledMemory;
import io.moldau.broker.replica.PartitionChangesPublisher;
import io.moldau.broker.replica.PartitionRegistry;
import io.moldau.broker.replica.TailCache;
import io.moldau.broker.replica.TopicSettings;
import io.moldau.broker.request.RequestRouter;
import io.moldau.common.Endpoint;
import io.moldau.common.Uuid;
import io.moldau.common.time.Time;
import io.moldau.common.time.TimerThread;
import io.moldau.log.dir.LogDirs;
import io.moldau.metadata.MetadataQuorumConfig;
import io.moldau.metadata.MetadataQuorumNode;
import io.moldau.metadata.channel.ControllerChannels;
import io.moldau.metadata.channel.MetadataFetcher;
import io.moldau.metadata.channel.NodeToController;
import io.moldau.metadata.event.ThreadEventLoop;
import io.moldau.metadata.image.loader.MetadataLoader;
import io.moldau.metadata.message.RegisterBrokerRequest;
import io.moldau.metadata.record.FeatureRange;
import io.moldau.metadata.record.MetadataRecords;
import io.moldau.wire.record.Compression;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// One node in this process: opens the data directories, joins the metadata quorum, follows the metadata, and serves
/// clients once the controller lets it. The only place that makes services.
///
/// Start and stop belong to one thread; everything else may be called from any.
public final class Node implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(Node.class);

    private static final String METADATA_DIRECTORY = "__cluster_metadata";
    private static final long MAINTENANCE_INTERVAL_MS = 500;

    private final NodeConfig config;
    private final NodeServices services;
    private final BrokerSettings settings;
    private final Deque<Closing> closings = new ArrayDeque<>();
    private final AtomicBoolean stopped = new AtomicBoolean();

    private @Nullable Running running;

    /// Something to undo when the node stops, or when its start fails half-way.
    private record Closing(String what, AutoCloseable action) {}

    /// The parts of a node that are asked for after the start.
    private record Running(
            DataDirectories directories,
            MetadataQuorumNode quorum,
            MetadataCache cache,
            BrokerRegistrar registrar,
            LogDirs logDirs,
            GroupCoordinator groups,
            List<NettyServer> servers,
            List<Endpoint> listeners,
            CompletableFuture<Void> ready) {}

    private Node(NodeConfig config, NodeServices services) {
        this.config = config;
        this.services = services;
        this.settings = new BrokerSettings(config, Runtime.getRuntime().maxMemory());
    }

    /// Starts a node in this process with a real clock, disk and network. Returns when its listeners are bound;
    /// [#awaitReady] tells when it serves.
    ///
    /// @throws StartException with a message for the operator if the node cannot start
    public static Node start(NodeConfig config) {
        return start(config, NodeServices.real());
    }

    public static Node start(NodeConfig config, NodeServices services) {
        Node node = new Node(config, services);
        try {
            node.startAll();
            return node;
        } catch (IOException e) {
            node.closeAll();
            throw new StartException("The node cannot start: " + e.getMessage(), e);
        } catch (RuntimeException e) {
            node.closeAll();
            throw e;
        }
    }

    public NodeConfig config() {
        return config;
    }

    /// Where the node listens, with the ports it got.
    public List<Endpoint> listeners() {
        return running().listeners();
    }

    public String clusterId() {
        return running().directories().clusterId();
    }

    /// Whether this start gave the data directories their identity.
    public boolean firstStart() {
        return running().directories().firstStart();
    }

    /// What this node knows of the cluster.
    public MetadataCache metadata() {
        return running().cache();
    }

    public LogDirs logDirs() {
        return running().logDirs();
    }

    public GroupCoordinator groups() {
        return running().groups();
    }

    /// Open connections of all listeners.
    public int connectionCount() {
        return running().servers().stream()
                .mapToInt(NettyServer::connectionCount)
                .sum();
    }

    /// Waits until the node serves clients.
    ///
    /// @throws StartException if it takes longer than the timeout or the cluster will not have this node
    public void awaitReady(Duration timeout) throws InterruptedException {
        try {
            running().ready().get(timeout.toMillis(), TimeUnit.MILLISECONDS);
        } catch (TimeoutException e) {
            throw new StartException(
                    "The node was not ready within " + timeout.toMillis()
                            + " ms: the metadata quorum has no leader, or this broker is still fenced.",
                    e);
        } catch (ExecutionException e) {
            if (e.getCause() instanceof StartException start) {
                throw start;
            }
            throw new StartException("The node cannot start: " + e.getCause(), e);
        }
    }

    /// Stops in order: takes leave of the controller, answers what is open, flushes the logs and marks them clean.
    public void stop() {
        if (!stopped.compareAndSet(false, true)) {
            return;
        }
        Running parts = running();
        try {
            parts.registrar()
                    .shutDown(config.get(ClusterKeys.CONTROLLED_SHUTDOWN_ENABLE))
                    .get(config.get(ClusterKeys.BROKER_SESSION_TIMEOUT_MS) + 1_000L, TimeUnit.MILLISECONDS);
        } catch (TimeoutException | ExecutionException e) {
            LOG.warn("stopping without the controller's leave", e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        closeAll();
    }

    @Override
    public void close() {
        stop();
    }

    private Running running() {
        Running parts = running;
        if (parts == null) {
            throw new IllegalStateException("the node has not started");
        }
        return parts;
    }

    private <T extends AutoCloseable> T opened(String what, T part) {
        closings.push(new Closing(what, part));
        return part;
    }

    private void closing(String what, AutoCloseable action) {
        closings.push(new Closing(what, action));
    }

    private void closeAll() {
        while (!closings.isEmpty()) {
            Closing closing = closings.pop();
            try {
                closing.action().close();
            } catch (Exception e) {
                // The rest must be closed all the same, above all the logs.
                LOG.error("closing failed part=\"{}\"", closing.what(), e);
            }
        }
    }

    private void startAll() throws IOException {
        requireLoneNode();
        config.withoutEffect()
                .forEach((key, reason) -> LOG.info("setting without effect key={} reason=\"{}\"", key, reason));
        Time time = services.time();
        DataDirectories directories =
                DataDirectories.open(config.logDirs(), config.nodeId(), config.clusterId(), services.random());
        Uuid clusterId = Uuid.fromString(directories.clusterId());
        ConfigResolver resolver = new ConfigResolver(config);

        // The quorum elects itself while the rest is put together.
        CompletableFuture<MetadataQuorumNode> quorumStart = CompletableFuture.supplyAsync(
                () -> startQuorum(clusterId, resolver),
                task -> thread("moldau-quorum-start").newThread(task).start());
        closing("metadata quorum", () -> closeQuorum(quorumStart));
        NodeToController controller = new LateController(quorumStart.thenApply(MetadataQuorumNode::nodeToController));

        TimerThread timer = opened("timer", new TimerThread("moldau-timer", time, services.faults()));
        ThreadPoolExecutor background = background();
        closing("background threads", () -> shutDown(background));
        NetworkConfig network = settings.network();
        EventLoops loops = opened("event loops", new EventLoops(network.eventLoops(), time));
        LogDirs logDirs = LogDirs.open(
                config.logDirs(), services.storage(), time, settings.logDirs(services.random()), services.logMetrics());

        MetadataCache cache = new MetadataCache(timer);
        PooledMemory memory = new PooledMemory(loops);
        PartitionRegistry partitions = opened(
                "partitions",
                new PartitionRegistry(
                        config.nodeId(),
                        logDirs,
                        cache::image,
                        time,
                        new TailCache(
                                memory, settings.tailCacheBytes(), config.get(MoldauKeys.TAIL_CACHE_PARTITION_BYTES)),
                        services.faults()));

        ScheduledExecutorService lifecycle = scheduler("moldau-lifecycle");

        List<Endpoint> bound = new ArrayList<>();
        List<NettyServer> servers = new ArrayList<>();
        Uuid incarnation = Uuid.random(services.random());
        BrokerRegistrar registrar = new BrokerRegistrar(
                settings.timing(),
                controller,
                config.nodeId(),
                registration(clusterId, incarnation, directories, logDirs, bound),
                lifecycle,
                time);
        closing("logs", () -> logDirs.close(registrar.brokerEpoch()));
        closing("partitions", partitions);
        closing("lifecycle", () -> shutDown(lifecycle));

        CoordinatorRuntime<GroupShard> groupRuntime = groupRuntime(partitions, timer, background);
        closing("group coordinator", groupRuntime::close);
        GroupCoordinator groups = new GroupCoordinator(
                groupRuntime, cache::image, time, config.get(GroupKeys.OFFSETS_TOPIC_NUM_PARTITIONS));

        ThreadEventLoop loaderLoop =
                opened("metadata loader", new ThreadEventLoop("metadata-loader", time, services.faults()));
        MetadataLoader loader = new MetadataLoader(
                loaderLoop,
                time,
                services.faults(),
                List.of(
                        cache,
                        new RegistrationGate(
                                config.nodeId(),
                                incarnation,
                                List.of(
                                        new PartitionChangesPublisher(
                                                partitions,
                                                (image, topic) -> new TopicSettings(
                                                        resolver.logConfig(topic, image.configs()),
                                                        resolver.minInsyncReplicas(topic, image.configs()))),
                                        new GroupMetadataPublisher(config.nodeId(), groups))),
                        registrar,
                        cache.notifier()));
        MetadataFetcher fetcher = opened(
                "metadata fetcher",
                new MetadataFetcher(
                        config.nodeId(),
                        clusterId,
                        ControllerChannels.only(controller),
                        loader,
                        metadataDirectory().resolveSibling("metadata-snapshot.tmp"),
                        loaderLoop,
                        time));
        fetcher.start();

        TopicCreator creator = new TopicCreator(controller, cache, settings.internalTopics(), time);
        RequestRouter.Builder routes = RequestRouter.builder().metrics(services.requestMetrics());
        DataApis.register(
                routes,
                new DataApis.Services(
                        partitions,
                        new FetchSessions(
                                config.get(ReplicationKeys.MAX_INCREMENTAL_FETCH_SESSION_CACHE_SLOTS),
                                services.random()),
                        new ProducerIds(config.nodeId(), registrar::brokerEpoch, controller),
                        background,
                        memory,
                        time,
                        config.get(ReplicationKeys.FETCH_MAX_BYTES),
                        config.get(TransactionKeys.TRANSACTION_MAX_TIMEOUT_MS),
                        ReadReplicas.LEADER_ONLY));
        GroupApis.register(routes, groups, cache::image);
        AdminApis admin = new AdminApis(config.nodeId(), cache, controller, resolver);
        RequestRouter router = admin.onBroker(
                routes,
                creator,
                config.get(TopicDefaultKeys.AUTO_CREATE_TOPICS_ENABLE),
                config.get(NetworkKeys.MAX_REQUEST_PARTITION_SIZE_LIMIT),
                logDirs,
                background);
        RequestRouter controllerRouter = admin.onController(
                RequestRouter.builder().metrics(services.requestMetrics()),
                () -> quorumStart.join().leaderId(),
                () -> controllers(bound));

        NettyServer server = new NettyServer(network, loops, router, services.requestMetrics());
        NettyServer controllerServer = new NettyServer(network, loops, controllerRouter, services.requestMetrics());
        servers.add(server);
        servers.add(controllerServer);
        closing("listeners", () -> {
            servers.forEach(NettyServer::stopAccepting);
            servers.forEach(NettyServer::close);
        });
        for (Endpoint listener : config.listeners()) {
            boolean own = config.isControllerListener(listener.listenerName());
            InetSocketAddress address = (own ? controllerServer : server).reserve(listenerConfig(listener));
            bound.add(new Endpoint(
                    listener.listenerName(), listener.securityProtocol(), listener.host(), address.getPort()));
        }
        startMaintenance(logDirs);
        registrar.start();
        CompletableFuture<Void> ready = registrar.ready().thenRun(() -> servers.forEach(NettyServer::startAccepting));
        MetadataQuorumNode quorum = joined(quorumStart);
        running =
                new Running(directories, quorum, cache, registrar, logDirs, groups, servers, List.copyOf(bound), ready);
    }

    /// Several nodes need messages between them that are not built yet; better to say so than to start half a cluster.
    private void requireLoneNode() {
        if (!config.isBroker() || !config.isController()) {
            throw new StartException("process.roles=" + (config.isBroker() ? "broker" : "controller")
                    + ": clusters of several nodes are not built yet. Use process.roles=broker,controller.");
        }
        if (config.voters().size() > 1) {
            throw new StartException(
                    "controller.quorum.voters names " + config.voters().size()
                            + " voters: clusters of several nodes are not built yet. Name this node alone, or nobody.");
        }
    }

    private MetadataQuorumNode startQuorum(Uuid clusterId, ConfigResolver resolver) {
        int electionTimeout = config.get(ClusterKeys.CONTROLLER_QUORUM_ELECTION_TIMEOUT_MS);
        MetadataQuorumConfig quorumConfig = new MetadataQuorumConfig(
                config.nodeId(),
                clusterId,
                metadataDirectory(),
                List.of(),
                null,
                Math.max(1, electionTimeout / 2),
                Math.max(2, electionTimeout),
                config.get(ClusterKeys.METADATA_LOG_MAX_RECORD_BYTES_BETWEEN_SNAPSHOTS),
                config.get(ClusterKeys.METADATA_LOG_MAX_SNAPSHOT_INTERVAL_MS),
                settings.controller(),
                Map.of());
        try {
            return MetadataQuorumNode.start(
                    quorumConfig,
                    new MetadataQuorumNode.Services(
                            services.time(),
                            services.random(),
                            new KnownConfigValidator(config),
                            resolver,
                            services.quorumMetrics(),
                            services.controllerMetrics(),
                            services.faults()));
        } catch (IOException e) {
            throw new StartException("The metadata quorum cannot start: " + e.getMessage(), e);
        }
    }

    private static void closeQuorum(CompletableFuture<MetadataQuorumNode> start) {
        // A start that failed has been reported to whoever started the node, and left nothing open.
        @Nullable
        MetadataQuorumNode quorum = start.<@Nullable MetadataQuorumNode>handle((node, failure) -> node)
                .join();
        if (quorum != null) {
            quorum.close();
        }
    }

    private static MetadataQuorumNode joined(CompletableFuture<MetadataQuorumNode> start) {
        try {
            return start.join();
        } catch (CompletionException e) {
            if (e.getCause() instanceof RuntimeException cause) {
                throw cause;
            }
            throw e;
        }
    }

    private Path metadataDirectory() {
        return config.metadataLogDir().resolve(METADATA_DIRECTORY);
    }

    private CoordinatorRuntime<GroupShard> groupRuntime(
            PartitionRegistry partitions, TimerThread timer, ThreadPoolExecutor background) {
        return new CoordinatorRuntime<>(
                OffsetsTopic.NAME,
                partition -> new GroupShard(settings.groups(), services.random()),
                new CoordinatorRuntime.Services(
                        new PartitionCoordinatorLog(partitions),
                        new GroupRecordDecoder(),
                        services.time(),
                        timer,
                        background,
                        services.faults(),
                        services.coordinatorMetrics(),
                        Compression.forId(config.get(GroupKeys.OFFSETS_TOPIC_COMPRESSION_CODEC)),
                        config.get(LogKeys.MESSAGE_MAX_BYTES),
                        config.get(GroupKeys.OFFSETS_LOAD_BUFFER_SIZE),
                        config.get(GroupKeys.OFFSETS_COMMIT_TIMEOUT_MS)));
    }

    private Supplier<RegisterBrokerRequest> registration(
            Uuid clusterId, Uuid incarnation, DataDirectories directories, LogDirs logDirs, List<Endpoint> bound) {
        return () -> {
            RegisterBrokerRequest.Builder request = RegisterBrokerRequest.newBuilder()
                    .setClusterId(MetadataRecords.id(clusterId))
                    .setBrokerId(config.nodeId())
                    .setIncarnationId(MetadataRecords.id(incarnation))
                    .addAllLogDirs(MetadataRecords.ids(
                            List.copyOf(directories.directoryIds().values())))
                    .setPreviousBrokerEpoch(logDirs.previousBrokerEpoch());
            for (Endpoint endpoint : advertised(bound)) {
                if (!config.isControllerListener(endpoint.listenerName())) {
                    request.addEndpoints(MetadataRecords.endpoint(endpoint));
                }
            }
            BrokerSettings.FEATURES.forEach((name, range) -> request.addFeatures(FeatureRange.newBuilder()
                    .setName(name)
                    .setMinLevel(range.min())
                    .setMaxLevel(range.max())));
            String rack = config.rack();
            if (rack != null) {
                request.setRack(rack);
            }
            return request.build();
        };
    }

    /// What others are told: the advertised listeners, with ports and hosts that were left open filled in.
    private List<Endpoint> advertised(List<Endpoint> bound) {
        List<Endpoint> endpoints = new ArrayList<>();
        for (Endpoint endpoint : config.advertisedListeners()) {
            int port = endpoint.port();
            for (Endpoint listener : bound) {
                if (port == 0 && listener.listenerName().equals(endpoint.listenerName())) {
                    port = listener.port();
                }
            }
            endpoints.add(new Endpoint(
                    endpoint.listenerName(), endpoint.securityProtocol(), reachable(endpoint.host()), port));
        }
        return endpoints;
    }

    private List<ClusterView.Node> controllers(List<Endpoint> bound) {
        return advertised(bound).stream()
                .filter(endpoint -> config.isControllerListener(endpoint.listenerName()))
                .map(endpoint -> new ClusterView.Node(config.nodeId(), endpoint.host(), endpoint.port(), null, false))
                .toList();
    }

    private static String reachable(String host) {
        if (!host.isEmpty() && !host.equals("0.0.0.0") && !host.equals("::")) {
            return host;
        }
        try {
            return InetAddress.getLocalHost().getHostName();
        } catch (UnknownHostException e) {
            throw new StartException(
                    "This machine's own name cannot be resolved (" + e.getMessage()
                            + "). Set advertised.listeners to an address that clients can reach.",
                    e);
        }
    }

    private static ListenerConfig listenerConfig(Endpoint listener) {
        return new ListenerConfig(
                listener.listenerName(), listener.securityProtocol(), listener.host(), listener.port());
    }

    private void startMaintenance(LogDirs logDirs) {
        ScheduledExecutorService maintenance = scheduler("moldau-maintenance");
        maintenance.scheduleWithFixedDelay(
                () -> {
                    try {
                        logDirs.runMaintenance(services.time().milliseconds());
                    } catch (RuntimeException e) {
                        services.faults().handle("maintenance of the logs", e);
                    }
                },
                MAINTENANCE_INTERVAL_MS,
                MAINTENANCE_INTERVAL_MS,
                TimeUnit.MILLISECONDS);
        closing("maintenance", () -> shutDown(maintenance));
    }

    /// Threads that may wait for the disk. They end when there is nothing to do; what waits for them is bounded by the
    /// requests that may be in progress.
    private ThreadPoolExecutor background() {
        int threads = config.get(NetworkKeys.BACKGROUND_THREADS);
        ThreadPoolExecutor executor = new ThreadPoolExecutor(
                threads, threads, 10, TimeUnit.SECONDS, new LinkedBlockingQueue<>(), thread("moldau-background"));
        executor.allowCoreThreadTimeOut(true);
        return executor;
    }

    private static ScheduledExecutorService scheduler(String name) {
        return Executors.newSingleThreadScheduledExecutor(thread(name));
    }

    private static ThreadFactory thread(String name) {
        return Thread.ofPlatform().name(name + "-", 0).daemon(true).factory();
    }

    private static void shutDown(ExecutorService executor) throws InterruptedException {
        executor.shutdown();
        if (!executor.awaitTermination(5, TimeUnit.SECONDS)) {
            executor.shutdownNow();
        }
    }
}
