package io.moldau.broker;

import io.moldau.broker.api.data.DataApis;
import io.moldau.broker.api.data.FetchSessions;
import io.moldau.broker.api.group.GroupApis;
import io.moldau.broker.api.transaction.DescribeProducersHandler;
import io.moldau.broker.api.transaction.TransactionApis;
import io.moldau.broker.api.transaction.WriteTxnMarkersHandler;
import io.moldau.broker.config.ClusterKeys;
import io.moldau.broker.config.ConfigResolver;
import io.moldau.broker.config.GroupKeys;
import io.moldau.broker.config.LogKeys;
import io.moldau.broker.config.MoldauKeys;
import io.moldau.broker.config.NetworkKeys;
import io.moldau.broker.config.NodeConfig;
import io.moldau.broker.config.ReplicationKeys;
import io.moldau.broker.config.TopicDefaultKeys;
import io.moldau.broker.config.TransactionKeys;
import io.moldau.broker.controller.ClusterFinder;
import io.moldau.broker.controller.ControllerAddress;
import io.moldau.broker.controller.Controllers;
import io.moldau.broker.coordinator.group.GroupCoordinator;
import io.moldau.broker.coordinator.group.GroupCoordinatorConfig;
import io.moldau.broker.coordinator.group.GroupMetadataPublisher;
import io.moldau.broker.coordinator.group.GroupRecordDecoder;
import io.moldau.broker.coordinator.group.GroupShard;
import io.moldau.broker.coordinator.group.GroupSurroundings;
import io.moldau.broker.coordinator.group.OffsetsTopic;
import io.moldau.broker.coordinator.log.PartitionCoordinatorLog;
import io.moldau.broker.coordinator.runtime.CoordinatorRuntime;
import io.moldau.broker.coordinator.runtime.KeyHash;
import io.moldau.broker.coordinator.transaction.ProducerIds;
import io.moldau.broker.coordinator.transaction.TransactionCoordinator;
import io.moldau.broker.coordinator.transaction.TransactionMetadataPublisher;
import io.moldau.broker.coordinator.transaction.TransactionRecordDecoder;
import io.moldau.broker.coordinator.transaction.TransactionsTopic;
import io.moldau.broker.lifecycle.BrokerRegistrar;
import io.moldau.broker.lifecycle.DataDirectories;
import io.moldau.broker.lifecycle.RegistrationGate;
import io.moldau.broker.lifecycle.StartException;
import io.moldau.broker.metadata.HungUpBrokers;
import io.moldau.broker.metadata.MetadataCache;
import io.moldau.broker.metadata.TopicCreator;
import io.moldau.broker.net.EventLoops;
import io.moldau.broker.net.ListenerConfig;
import io.moldau.broker.net.NettyPeers;
import io.moldau.broker.net.NettyServer;
import io.moldau.broker.net.NetworkConfig;
import io.moldau.broker.net.PeerLimits;
import io.moldau.broker.net.PooledMemory;
import io.moldau.broker.peer.BrokerRequests;
import io.moldau.broker.peer.PeerBrokerRequests;
import io.moldau.broker.peer.PeerClients;
import io.moldau.broker.replica.PartitionRegistry;
import io.moldau.broker.replica.RecoveryGate;
import io.moldau.broker.replica.ReplicaMoves;
import io.moldau.broker.replica.TailCache;
import io.moldau.broker.request.RequestRouter;
import io.moldau.broker.space.SpaceWatch;
import io.moldau.broker.transaction.CoordinatorQuestions;
import io.moldau.broker.transaction.MarkerWriter;
import io.moldau.broker.transaction.TransactionVerification;
import io.moldau.common.Endpoint;
import io.moldau.common.TopicPartition;
import io.moldau.common.Uuid;
import io.moldau.common.time.Time;
import io.moldau.common.time.TimerThread;
import io.moldau.log.PartitionLog;
import io.moldau.log.dir.LogDirState;
import io.moldau.log.dir.LogDirs;
import io.moldau.log.space.DirectorySpace;
import io.moldau.metadata.channel.MetadataFetcher;
import io.moldau.metadata.channel.NodeToController;
import io.moldau.metadata.event.ThreadEventLoop;
import io.moldau.metadata.image.MetadataImage;
import io.moldau.metadata.image.TopicImage;
import io.moldau.metadata.image.loader.MetadataLoader;
import io.moldau.metadata.image.publisher.MetadataPublisher;
import io.moldau.metadata.message.RegisterBrokerRequest;
import io.moldau.metadata.partition.PartitionRegistration;
import io.moldau.metadata.record.FeatureRange;
import io.moldau.metadata.record.MetadataRecords;
import io.moldau.wire.message.AddPartitionsToTxnRequestData;
import io.moldau.wire.message.DescribeProducersRequestData;
import io.moldau.wire.message.WriteTxnMarkersRequestData;
import io.moldau.wire.protocol.ApiKey;
import io.moldau.wire.record.Compression;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.net.UnknownHostException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
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
import java.util.function.LongSupplier;
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

    /// How long a request of a transaction may wait for its record: less than a client waits for its answer.
    private static final long TRANSACTION_WRITE_TIMEOUT_MS = 15_000;

    private final NodeConfig config;
    private final NodeServices services;
    private final BrokerSettings settings;
    private final Deque<Closing> closings = new ArrayDeque<>();
    private final AtomicBoolean stopped = new AtomicBoolean();

    private @Nullable Running running;
    private volatile @Nullable MetadataFetcher following;

    /// Something to undo when the node stops, or when its start fails half-way.
    private record Closing(String what, AutoCloseable action) {}

    /// The parts of a node that are asked for after the start.
    ///
    /// @param broker null on a node that is no broker
    private record Running(
            DataDirectories directories,
            MetadataCache cache,
            @Nullable BrokerParts broker,
            List<NettyServer> servers,
            List<Endpoint> listeners,
            CompletableFuture<Void> ready,
            Base base,
            @Nullable ControllerRole controller) {}

    /// Those of a broker.
    private record BrokerParts(
            BrokerRegistrar registrar,
            LogDirs logDirs,
            GroupCoordinator groups,
            TransactionCoordinator transactions,
            TransactionVerification verification,
            PartitionRegistry partitions,
            FetchSessions fetchSessions,
            NodeView.Throttles throttles,
            ReplicaMoves moves) {}

    /// What both roles are built on.
    private record Base(
            Time time,
            ConfigResolver resolver,
            TimerThread timer,
            ThreadPoolExecutor background,
            NetworkConfig network,
            EventLoops loops,
            PeerClients peers,
            MetadataCache cache,
            Controllers controllers,
            AdminApis admin) {}

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
        return brokerParts().logDirs();
    }

    public GroupCoordinator groups() {
        return brokerParts().groups();
    }

    private BrokerParts brokerParts() {
        BrokerParts parts = running().broker();
        if (parts == null) {
            throw new IllegalStateException("this node is no broker");
        }
        return parts;
    }

    /// This node, for those who watch it.
    public NodeView view() {
        Running parts = running();
        Base base = parts.base();
        ControllerRole controller = parts.controller();
        BrokerParts broker = parts.broker();
        return new NodeView(
                config,
                clusterId(),
                listeners(),
                base.time(),
                base.cache()::image,
                this::progress,
                base.resolver(),
                topic -> base.resolver()
                        .minInsyncReplicas(topic, base.cache().image().configs()),
                base.controllers()::leaderId,
                base.controllers().active(),
                base.peers(),
                () -> controller == null ? null : controller.quorum(),
                () -> base.loops().state(parts.servers(), base.network().requestMemoryBytes()),
                () -> parts.ready().isDone()
                        && !parts.ready().isCompletedExceptionally()
                        && (broker == null || !broker.registrar().isFenced()),
                stopped::get,
                broker == null
                        ? null
                        : new NodeView.Broker(
                                broker.logDirs(),
                                broker.partitions(),
                                broker.groups(),
                                broker.transactions(),
                                broker.verification(),
                                broker.fetchSessions(),
                                broker.throttles(),
                                broker.moves(),
                                broker.registrar()::brokerEpoch));
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
        BrokerParts broker = running().broker();
        if (broker != null) {
            takeLeave(broker.registrar());
        }
        closeAll();
    }

    private void takeLeave(BrokerRegistrar registrar) {
        try {
            registrar
                    .shutDown(config.get(ClusterKeys.CONTROLLED_SHUTDOWN_ENABLE))
                    .get(config.get(ClusterKeys.BROKER_SESSION_TIMEOUT_MS) + 1_000L, TimeUnit.MILLISECONDS);
        } catch (TimeoutException | ExecutionException e) {
            LOG.warn("stopping without the controller's leave", e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
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
        config.withoutEffect()
                .forEach((key, reason) -> LOG.info("setting without effect key={} reason=\"{}\"", key, reason));
        List<ControllerAddress> bootstrap = bootstrapServers();
        CompletableFuture<DataDirectories> opened = new CompletableFuture<>();
        ConfigResolver resolver = new ConfigResolver(config);
        ControllerRole controller = config.isController()
                ? new ControllerRole(config, settings, services, resolver, bootstrap, opened)
                : null;

        // Where nobody has to be asked the quorum elects itself while the rest is put together.
        DataDirectories directories = null;
        String known = knownClusterId(bootstrap);
        if (known != null) {
            directories = openDirectories(known);
            opened.complete(directories);
        }
        Base base;
        List<NettyServer> servers = new ArrayList<>();
        List<Endpoint> bound = new ArrayList<>();
        try {
            base = base(resolver, bootstrap, controller);
            if (controller != null) {
                watchMetadataSpace(base);
                NettyServer server = controller.listen(
                        base.network(), base.loops(), base.admin(), base.controllers(), base.peers(), bound);
                closing("controller listener", server);
                servers.add(server);
                bind(server, true, bound);
                // The others need this one for an election, whatever it is still busy with.
                server.startAccepting();
                controller.register(base.controllers(), base.timer(), List.copyOf(bound));
            }
        } finally {
            if (controller != null) {
                closing("metadata quorum", controller);
            }
        }
        if (controller != null && config.voters().isEmpty() && !bootstrap.isEmpty()) {
            // Others than this node: as long as it is no voter it must not ask itself.
            controller.follow(opened(
                    "connections of a controller that is no voter",
                    new Controllers(
                            null, List.of(), bootstrap, base.peers(), base.time(), base.timer(), services.random())));
        }
        if (directories == null) {
            directories = openDirectories(findClusterId(base, bootstrap).toString());
            opened.complete(directories);
        }
        if (config.isBroker()) {
            startBroker(base, directories, controller, servers, bound);
        } else {
            follow(base, directories, observed(base.cache(), base.cache().notifier()), loop(base));
            running = new Running(
                    directories,
                    base.cache(),
                    null,
                    servers,
                    List.copyOf(bound),
                    Objects.requireNonNull(controller).started(),
                    base,
                    controller);
        }
        if (controller != null) {
            controller.awaitStarted();
        }
    }

    /// Where the metadata log is; with a log directory it is watched together.
    private void watchMetadataSpace(Base base) {
        if (!config.isBroker() || !config.logDirs().contains(config.metadataLogDir())) {
            DirectorySpace space = new DirectorySpace(
                    services.storage(), config.metadataLogDir().toAbsolutePath().normalize());
            watchSpace(base, List.of(space), List::of);
        }
    }

    private void watchSpace(Base base, List<DirectorySpace> spaces, Supplier<Collection<PartitionLog>> logs) {
        opened(
                        "watch over free space",
                        new SpaceWatch(
                                spaces,
                                logs,
                                () -> settings.spaceMarks(
                                        base.resolver(), base.cache().image().configs()),
                                base.time(),
                                services.faults()))
                .start();
    }

    private Base base(ConfigResolver resolver, List<ControllerAddress> bootstrap, @Nullable ControllerRole controller) {
        Time time = services.time();
        TimerThread timer = opened("timer", new TimerThread("moldau-timer", time, services.faults()));
        ThreadPoolExecutor background = background();
        closing("background threads", () -> shutDown(background));
        NetworkConfig network = settings.network();
        EventLoops loops = opened("event loops", new EventLoops(network.eventLoops(), time));
        PeerClients peers = new NettyPeers(loops, background, "moldau-" + config.nodeId(), PeerLimits.DEFAULTS);
        Controllers controllers = opened(
                "connections to controllers",
                new Controllers(
                        controller == null ? null : controller.local(),
                        otherVoters(),
                        bootstrap,
                        peers,
                        time,
                        timer,
                        services.random()));
        MetadataCache cache = new MetadataCache(timer);
        AdminApis admin = new AdminApis(config.nodeId(), cache, controllers.active(), resolver, services.logLevels());
        return new Base(time, resolver, timer, background, network, loops, peers, cache, controllers, admin);
    }

    /// The cluster this node belongs to, if that can be said without asking anybody.
    private @Nullable String knownClusterId(List<ControllerAddress> bootstrap) {
        String known = DataDirectories.clusterId(config.logDirs(), config.nodeId(), config.clusterId());
        if (known == null
                && config.isController()
                && bootstrap.isEmpty()
                && otherVoters().isEmpty()) {
            return Uuid.random(services.random()).toString();
        }
        return known;
    }

    /// Asks the controllers which cluster this is.
    private Uuid findClusterId(Base base, List<ControllerAddress> bootstrap) {
        List<ControllerAddress> others = new ArrayList<>(otherVoters());
        others.addAll(bootstrap);
        boolean founder = config.isController() && !config.voters().isEmpty();
        // A majority of the voters without a past has none: what there might have been is lost. Nothing could go on
        // with fewer anyway.
        int enough = founder ? config.voters().size() / 2 : Integer.MAX_VALUE;
        try (ClusterFinder finder =
                new ClusterFinder(config.nodeId(), others, enough, base.peers(), base.time(), base.timer())) {
            CompletableFuture<Optional<Uuid>> found = finder.find();
            Optional<Uuid> id = config.isController()
                    ? found.get()
                    : found.get(config.get(ClusterKeys.INITIAL_BROKER_REGISTRATION_TIMEOUT_MS), TimeUnit.MILLISECONDS);
            return id.orElseGet(() -> ClusterFinder.idOf(voters()));
        } catch (TimeoutException e) {
            throw new StartException(
                    "No controller answered within initial.broker.registration.timeout.ms. Check "
                            + (config.voters().isEmpty()
                                    ? "controller.quorum.bootstrap.servers"
                                    : "controller.quorum.voters")
                            + " and that the controllers run.",
                    e);
        } catch (ExecutionException e) {
            Throwable cause = Objects.requireNonNullElse(e.getCause(), e);
            throw new StartException(String.valueOf(cause.getMessage()), e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new StartException("The start was interrupted.", e);
        }
    }

    private List<ControllerAddress> voters() {
        return config.voters().stream()
                .map(voter -> new ControllerAddress(voter.id(), voter.host(), voter.port()))
                .toList();
    }

    private List<ControllerAddress> otherVoters() {
        return voters().stream().filter(voter -> voter.id() != config.nodeId()).toList();
    }

    /// Those of the settings that are not this node.
    private List<ControllerAddress> bootstrapServers() {
        List<ControllerAddress> others = new ArrayList<>();
        for (NodeConfig.HostPort server : config.bootstrapServers()) {
            if (!isOwnController(server)) {
                others.add(new ControllerAddress(ControllerAddress.UNKNOWN, server.host(), server.port()));
            }
        }
        return others;
    }

    private boolean isOwnController(NodeConfig.HostPort server) {
        boolean ownPort = config.listeners().stream()
                .anyMatch(own -> config.isControllerListener(own.listenerName()) && own.port() == server.port());
        if (!ownPort) {
            return false;
        }
        try {
            for (InetAddress address : InetAddress.getAllByName(server.host())) {
                if (address.isLoopbackAddress() || NetworkInterface.getByInetAddress(address) != null) {
                    return true;
                }
            }
            return false;
        } catch (UnknownHostException | SocketException e) {
            // Not known now, so not this machine's name.
            LOG.debug("looking at a bootstrap server failed host={}", server.host(), e);
            return false;
        }
    }

    private DataDirectories openDirectories(String clusterId) {
        return DataDirectories.open(config.logDirs(), config.nodeId(), clusterId, services.random());
    }

    private ThreadEventLoop loop(Base base) {
        return opened("metadata loader", new ThreadEventLoop("metadata-loader", base.time(), services.faults()));
    }

    /// Begins to follow the metadata.
    private void follow(
            Base base, DataDirectories directories, List<MetadataPublisher> publishers, ThreadEventLoop loop) {
        MetadataLoader loader = new MetadataLoader(loop, base.time(), services.faults(), publishers);
        MetadataFetcher fetcher = opened(
                "metadata fetcher",
                new MetadataFetcher(
                        config.nodeId(),
                        Uuid.fromString(directories.clusterId()),
                        Objects.requireNonNullElse(
                                directories
                                        .directoryIds()
                                        .get(config.metadataLogDir()
                                                .toAbsolutePath()
                                                .normalize()),
                                Uuid.ZERO),
                        base.controllers().metadata(),
                        loader,
                        config.logDirs().getFirst().resolve("metadata-snapshot.tmp"),
                        loop,
                        base.time()));
        following = fetcher;
        fetcher.start();
    }

    private MetadataFetcher.Progress progress() {
        MetadataFetcher fetcher = following;
        return fetcher == null ? new MetadataFetcher.Progress(0, 0) : fetcher.progress();
    }

    private void bind(NettyServer server, boolean ofController, List<Endpoint> bound) throws IOException {
        for (Endpoint listener : config.listeners()) {
            if (config.isControllerListener(listener.listenerName()) == ofController) {
                InetSocketAddress address = server.reserve(listenerConfig(listener));
                bound.add(new Endpoint(
                        listener.listenerName(), listener.securityProtocol(), listener.host(), address.getPort()));
            }
        }
    }

    /// The node's own publishers, and those who only watch.
    private List<MetadataPublisher> observed(MetadataPublisher... publishers) {
        List<MetadataPublisher> all = new ArrayList<>(List.of(publishers));
        all.addAll(services.observers());
        return all;
    }

    private void startBroker(
            Base base,
            DataDirectories directories,
            @Nullable ControllerRole controllerRole,
            List<NettyServer> servers,
            List<Endpoint> bound)
            throws IOException {
        Time time = base.time();
        TimerThread timer = base.timer();
        ThreadPoolExecutor background = base.background();
        EventLoops loops = base.loops();
        MetadataCache cache = base.cache();
        ConfigResolver resolver = base.resolver();
        NodeToController controller = base.controllers().active();
        Uuid clusterId = Uuid.fromString(directories.clusterId());
        LogDirs logDirs = LogDirs.openAtOnce(
                config.logDirs(),
                services.storage(),
                time,
                settings.logDirs(
                        services.random(),
                        () -> resolver.ofBroker(
                                LogKeys.PRODUCER_ID_EXPIRATION_MS, cache.image().configs())),
                services.meters().logs());

        PooledMemory memory = new PooledMemory(loops);
        ScheduledExecutorService lifecycle = scheduler("moldau-lifecycle");

        Uuid incarnation = Uuid.random(services.random());
        BrokerRegistrar registrar = new BrokerRegistrar(
                settings.timing(),
                controller,
                config.nodeId(),
                registration(clusterId, incarnation, directories, logDirs, bound),
                lifecycle,
                time);
        closing("logs", () -> logDirs.close(registrar.brokerEpoch()));
        watchSpace(base, logDirs.spaces(), logDirs::logs);
        FlushThreads flushers = new FlushThreads(config.get(MoldauKeys.FLUSH_THREADS));
        closing("flush threads", flushers);
        HungUpBrokers hungUp = new HungUpBrokers(cache::image, time);
        Replicas replicas = new Replicas(
                config,
                new Replicas.Services(
                        logDirs,
                        directoryIds(directories),
                        cache::image,
                        registrar::brokerEpoch,
                        controller,
                        base.peers(),
                        hungUp,
                        new TailCache(
                                memory, settings.tailCacheBytes(), config.get(MoldauKeys.TAIL_CACHE_PARTITION_BYTES)),
                        time,
                        timer,
                        background,
                        flushers,
                        services.faults(),
                        services.meters().replicas()));
        PartitionRegistry partitions = replicas.partitions();
        logDirs.onOffline(failed -> directoryFailed(failed.path(), directories, logDirs, registrar));
        closing("partitions", partitions);
        closing("replica fetchers", replicas);
        closing("lifecycle", () -> shutDown(lifecycle));

        PeerBrokerRequests brokerRequests = opened(
                "connections to brokers",
                new PeerBrokerRequests(
                        config.nodeId(),
                        Objects.requireNonNullElse(config.interBrokerListener(), ""),
                        base.peers(),
                        cache::image));
        TransactionVerification verification = verification(base, partitions, brokerRequests);
        GroupSurroundings surroundings = new GroupSurroundings(
                cache::image,
                new DynamicGroupSettings(resolver, cache::image),
                services.meters().groups());
        CoordinatorRuntime<GroupShard> groupRuntime = groupRuntime(partitions, timer, background, surroundings);
        closing("group coordinator", groupRuntime::close);
        GroupCoordinator groups = new GroupCoordinator(
                groupRuntime,
                cache::image,
                time,
                background,
                verification,
                config.get(GroupKeys.OFFSETS_TOPIC_NUM_PARTITIONS));
        MarkerWriter markers = new MarkerWriter(
                partitions,
                OffsetsTopic.NAME,
                groups::endTransaction,
                time,
                timer,
                background,
                config.get(NetworkKeys.REQUEST_TIMEOUT_MS));
        brokerRequests.local(
                ApiKey.WRITE_TXN_MARKERS,
                WriteTxnMarkersRequestData.class,
                (request, version, reply) -> markers.write(request, reply::accept));

        TransactionCoordinator transactions = opened(
                "transaction coordinator", transactions(base, partitions, brokerRequests, registrar::brokerEpoch));
        brokerRequests.local(
                ApiKey.ADD_PARTITIONS_TO_TXN,
                AddPartitionsToTxnRequestData.class,
                (request, version, reply) -> transactions.addPartitions(request, version, reply::accept));

        ThreadEventLoop loop = loop(base);
        closing("recovery of logs", logDirs.recovery()::stop);
        CordonedDirectories cordoned = new CordonedDirectories(directoryIds(directories), resolver, logDirs, registrar);
        cordoned.apply(cache.image().configs());
        List<MetadataPublisher> behindTheGate = new ArrayList<>();
        // Before new replicas are placed.
        behindTheGate.add(cordoned);
        behindTheGate.addAll(replicas.publishers(resolver));
        behindTheGate.add(brokerRequests);
        behindTheGate.add(new GroupMetadataPublisher(config.nodeId(), groups));
        behindTheGate.add(new TransactionMetadataPublisher(config.nodeId(), transactions));
        follow(
                base,
                directories,
                observed(
                        cache,
                        new RegistrationGate(
                                config.nodeId(),
                                incarnation,
                                List.of(new RecoveryGate(logDirs.recovery(), loop, behindTheGate))),
                        registrar,
                        cache.notifier()),
                loop);

        TopicCreator creator = new TopicCreator(controller, cache, settings.internalTopics(), time);
        FetchSessions fetchSessions = new FetchSessions(
                config.get(ReplicationKeys.MAX_INCREMENTAL_FETCH_SESSION_CACHE_SLOTS), services.random());
        RequestRouter.Builder routes =
                RequestRouter.builder().metrics(services.meters().requests());
        DataApis.register(
                routes,
                new DataApis.Services(
                        partitions,
                        fetchSessions,
                        background,
                        memory,
                        time,
                        config.get(ReplicationKeys.FETCH_MAX_BYTES),
                        replicas.readReplicas(),
                        verification));
        GroupApis.register(routes, groups, cache::image);
        TransactionApis.register(
                routes, transactions, group -> new TopicPartition(OffsetsTopic.NAME, groups.partitionFor(group)));
        routes.on(ApiKey.WRITE_TXN_MARKERS, WriteTxnMarkersRequestData.class, new WriteTxnMarkersHandler(markers))
                .on(
                        ApiKey.DESCRIBE_PRODUCERS,
                        DescribeProducersRequestData.class,
                        new DescribeProducersHandler(partitions, background));
        RequestRouter router = base.admin()
                .onBroker(
                        routes,
                        creator,
                        hungUp,
                        config.get(TopicDefaultKeys.AUTO_CREATE_TOPICS_ENABLE),
                        config.get(NetworkKeys.MAX_REQUEST_PARTITION_SIZE_LIMIT),
                        logDirs,
                        replicas,
                        background);
        NettyServer server =
                new NettyServer(base.network(), loops, router, services.meters().requests());
        servers.add(server);
        closing("listeners", server);
        bind(server, false, bound);
        startMaintenance(logDirs, replicas, cleaner(logDirs, resolver, cache));
        replicas.wakeMovers();
        registrar.start();
        CompletableFuture<Void> ready = registrar.ready().thenRun(server::startAccepting);
        running = new Running(
                directories,
                cache,
                new BrokerParts(
                        registrar,
                        logDirs,
                        groups,
                        transactions,
                        verification,
                        partitions,
                        fetchSessions,
                        replicas.throttles(),
                        replicas.moves()),
                servers,
                List.copyOf(bound),
                ready,
                base,
                controllerRole);
    }

    private TransactionVerification verification(
            Base base, PartitionRegistry partitions, PeerBrokerRequests brokerRequests) {
        MetadataCache cache = base.cache();
        return new TransactionVerification(
                new CoordinatorQuestions(
                        brokerRequests,
                        transactionalId -> transactionCoordinator(cache.image(), transactionalId),
                        base.time(),
                        base.timer(),
                        base.background(),
                        new CoordinatorQuestions.Patience(
                                config.get(TransactionKeys.ADD_PARTITIONS_RETRY_BACKOFF_MS),
                                config.get(TransactionKeys.ADD_PARTITIONS_RETRY_BACKOFF_MAX_MS),
                                config.get(NetworkKeys.REQUEST_TIMEOUT_MS))),
                partitions,
                () -> base.resolver()
                        .ofBroker(
                                TransactionKeys.PARTITION_VERIFICATION_ENABLE,
                                cache.image().configs()));
    }

    /// The broker that coordinates a transactional id, -1 if none is known.
    private static int transactionCoordinator(MetadataImage image, String transactionalId) {
        TopicImage topic = image.topics().topic(TransactionsTopic.NAME);
        PartitionRegistration partition = topic == null || topic.partitions().isEmpty()
                ? null
                : topic.partition(
                        KeyHash.partitionFor(transactionalId, topic.partitions().size()));
        return partition == null ? PartitionRegistration.NO_LEADER : partition.leader();
    }

    /// By absolute path, as the logs name them.
    private static Map<Path, Uuid> directoryIds(DataDirectories directories) {
        Map<Path, Uuid> ids = new LinkedHashMap<>();
        directories
                .directoryIds()
                .forEach((path, id) -> ids.put(path.toAbsolutePath().normalize(), id));
        return ids;
    }

    /// The controller moves leaders away from a directory that failed; without any the node is of no use.
    private void directoryFailed(Path path, DataDirectories directories, LogDirs logDirs, BrokerRegistrar registrar) {
        Uuid id = directoryIds(directories).get(path);
        if (id != null) {
            registrar.directoryFailed(id);
        }
        if (!stopped.get() && logDirs.directories().stream().noneMatch(LogDirState.Online.class::isInstance)) {
            services.faults()
                    .handle("log directories", new IOException("All log directories have failed, " + path + " last."));
        }
    }

    /// Those that work.
    private static List<Uuid> onlineDirectoryIds(DataDirectories directories, LogDirs logDirs) {
        Map<Path, Uuid> ids = directoryIds(directories);
        for (LogDirState directory : logDirs.directories()) {
            if (directory instanceof LogDirState.Offline) {
                ids.remove(directory.path());
            }
        }
        return List.copyOf(ids.values());
    }

    private CoordinatorRuntime<GroupShard> groupRuntime(
            PartitionRegistry partitions,
            TimerThread timer,
            ThreadPoolExecutor background,
            GroupSurroundings surroundings) {
        GroupCoordinatorConfig groups = settings.groups();
        return new CoordinatorRuntime<>(
                OffsetsTopic.NAME,
                partition -> new GroupShard(groups, services.random(), surroundings),
                new CoordinatorRuntime.Services(
                        new PartitionCoordinatorLog(partitions),
                        new GroupRecordDecoder(),
                        services.time(),
                        timer,
                        background,
                        services.faults(),
                        services.meters().coordinators(),
                        Compression.forId(config.get(GroupKeys.OFFSETS_TOPIC_COMPRESSION_CODEC)),
                        config.get(LogKeys.MESSAGE_MAX_BYTES),
                        config.get(GroupKeys.OFFSETS_LOAD_BUFFER_SIZE),
                        config.get(GroupKeys.OFFSETS_COMMIT_TIMEOUT_MS)));
    }

    private TransactionCoordinator transactions(
            Base base, PartitionRegistry partitions, BrokerRequests brokers, LongSupplier brokerEpoch) {
        CoordinatorRuntime.Services runtime = new CoordinatorRuntime.Services(
                new PartitionCoordinatorLog(partitions),
                new TransactionRecordDecoder(),
                services.time(),
                base.timer(),
                base.background(),
                services.faults(),
                services.meters().coordinators(),
                Compression.NONE,
                config.get(LogKeys.MESSAGE_MAX_BYTES),
                config.get(TransactionKeys.TRANSACTION_STATE_LOG_LOAD_BUFFER_SIZE),
                TRANSACTION_WRITE_TIMEOUT_MS);
        return new TransactionCoordinator(
                settings.transactions(),
                new TransactionCoordinator.Services(
                        runtime,
                        new ProducerIds(
                                config.nodeId(), brokerEpoch, base.controllers().active()),
                        brokers,
                        base.cache()::image,
                        services.meters().transactions(),
                        config.get(NetworkKeys.REQUEST_TIMEOUT_MS),
                        config.get(TransactionKeys.TRANSACTION_STATE_LOG_NUM_PARTITIONS)));
    }

    private Supplier<RegisterBrokerRequest> registration(
            Uuid clusterId, Uuid incarnation, DataDirectories directories, LogDirs logDirs, List<Endpoint> bound) {
        return () -> {
            RegisterBrokerRequest.Builder request = RegisterBrokerRequest.newBuilder()
                    .setClusterId(MetadataRecords.id(clusterId))
                    .setBrokerId(config.nodeId())
                    .setIncarnationId(MetadataRecords.id(incarnation))
                    .addAllLogDirs(MetadataRecords.ids(onlineDirectoryIds(directories, logDirs)))
                    .addAllCordonedLogDirs(MetadataRecords.ids(
                            CordonedDirectories.ids(directoryIds(directories), config.get(LogKeys.CORDONED_LOG_DIRS))))
                    .setPreviousBrokerEpoch(logDirs.previousBrokerEpoch());
            for (Endpoint endpoint : Advertised.endpoints(config, bound)) {
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

    private static ListenerConfig listenerConfig(Endpoint listener) {
        return new ListenerConfig(
                listener.listenerName(), listener.securityProtocol(), listener.host(), listener.port());
    }

    /// The threads that compact logs.
    private CleanerThreads cleaner(LogDirs logDirs, ConfigResolver resolver, MetadataCache cache) {
        CleanerThreads cleaner = new CleanerThreads(
                logDirs.cleaner(),
                () -> settings.cleaner(resolver, cache.image().configs()),
                services.time(),
                services.faults());
        closing("log cleaner", cleaner);
        return cleaner;
    }

    private void startMaintenance(LogDirs logDirs, Replicas replicas, CleanerThreads cleaner) {
        ScheduledExecutorService maintenance = scheduler("moldau-maintenance");
        maintenance.scheduleWithFixedDelay(
                () -> {
                    try {
                        logDirs.runMaintenance(services.time().milliseconds());
                        if (config.get(LogKeys.LOG_CLEANER_ENABLE)) {
                            cleaner.adjust();
                        }
                    } catch (RuntimeException e) {
                        services.faults().handle("maintenance of the logs", e);
                    }
                },
                MAINTENANCE_INTERVAL_MS,
                MAINTENANCE_INTERVAL_MS,
                TimeUnit.MILLISECONDS);
        maintenance.scheduleWithFixedDelay(
                () -> {
                    try {
                        replicas.checkFollowers();
                    } catch (RuntimeException e) {
                        services.faults().handle("a look at the followers", e);
                    }
                },
                replicas.checkIntervalMs(),
                replicas.checkIntervalMs(),
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
