package io.moldau.broker;

import io.moldau.broker.config.ClusterKeys;
import io.moldau.broker.config.ConfigResolver;
import io.moldau.broker.config.KnownConfigValidator;
import io.moldau.broker.config.NodeConfig;
import io.moldau.broker.controller.ControllerAddress;
import io.moldau.broker.controller.ControllerRequests;
import io.moldau.broker.controller.Controllers;
import io.moldau.broker.controller.PeerRaftTransport;
import io.moldau.broker.lifecycle.DataDirectories;
import io.moldau.broker.lifecycle.LateController;
import io.moldau.broker.lifecycle.StartException;
import io.moldau.broker.metadata.ClusterView;
import io.moldau.broker.net.EventLoops;
import io.moldau.broker.net.NettyServer;
import io.moldau.broker.net.NetworkConfig;
import io.moldau.broker.peer.PeerClients;
import io.moldau.broker.peer.Reachability;
import io.moldau.broker.request.RequestRouter;
import io.moldau.common.ApiException;
import io.moldau.common.Endpoint;
import io.moldau.common.Errors;
import io.moldau.common.Uuid;
import io.moldau.common.time.Timer;
import io.moldau.metadata.MetadataQuorumConfig;
import io.moldau.metadata.MetadataQuorumNode;
import io.moldau.metadata.channel.NodeToController;
import io.moldau.metadata.controller.LivenessProbe;
import io.moldau.metadata.image.ControllerRegistration;
import io.moldau.metadata.quorum.MetadataQuorum;
import io.moldau.metadata.quorum.QuorumState;
import io.moldau.metadata.quorum.Voter;
import io.moldau.metadata.quorum.transport.RaftRequests;
import java.io.IOException;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.jspecify.annotations.Nullable;

/// A node as a controller: its member of the metadata quorum, and the listener over which the others reach it.
///
/// The quorum starts on a thread of its own as soon as the cluster's id is known. What is asked of it before waits.
final class ControllerRole implements AutoCloseable {

    private static final String METADATA_DIRECTORY = "__cluster_metadata";

    private final NodeConfig config;
    private final BrokerSettings settings;
    private final NodeServices services;
    private final List<ControllerAddress> bootstrap;
    private final CompletableFuture<DataDirectories> directories;
    private final CompletableFuture<PeerClients> peers = new CompletableFuture<>();
    private final PeerRaftTransport transport = new PeerRaftTransport(peers);
    private final CompletableFuture<MetadataQuorumNode> quorum;
    private final NodeToController channel;

    /// @param bootstrap where the quorum is found, without this node
    /// @param directories to be completed by the node when it knows its cluster
    ControllerRole(
            NodeConfig config,
            BrokerSettings settings,
            NodeServices services,
            ConfigResolver resolver,
            List<ControllerAddress> bootstrap,
            CompletableFuture<DataDirectories> directories) {
        this.config = config;
        this.settings = settings;
        this.services = services;
        this.bootstrap = bootstrap;
        this.directories = directories;
        this.quorum = directories.thenApplyAsync(
                opened -> startQuorum(opened, resolver),
                task -> Thread.ofPlatform()
                        .name("moldau-quorum-start")
                        .daemon(true)
                        .start(task));
        this.channel = new LateController(quorum.thenApply(MetadataQuorumNode::nodeToController));
    }

    /// As the rest of the node sees it.
    Controllers.Local local() {
        return new Controllers.Local(config.nodeId(), channel, this::state);
    }

    private @Nullable QuorumState state() {
        MetadataQuorumNode node = node();
        return node == null ? null : node.quorum().state();
    }

    /// Null as long as it is starting.
    @Nullable
    MetadataQuorum quorum() {
        MetadataQuorumNode node = node();
        return node == null ? null : node.quorum();
    }

    /// Null as long as it is starting.
    private @Nullable MetadataQuorumNode node() {
        return quorum.isDone() && !quorum.isCompletedExceptionally() ? quorum.join() : null;
    }

    /// Makes the server for the controller's listeners; they are bound and opened by the node.
    ///
    /// @param connections how this controller reaches other nodes
    /// @param bound the node's listeners with the ports they got, filled as they are bound
    NettyServer listen(
            NetworkConfig network,
            EventLoops loops,
            AdminApis admin,
            Controllers controllers,
            PeerClients connections,
            List<Endpoint> bound) {
        peers.complete(connections);
        RequestRouter router = admin.onController(
                RequestRouter.builder().metrics(services.meters().requests()),
                controllers::leaderId,
                () -> known(bound));
        return new NettyServer(
                network,
                loops,
                router,
                new ControllerRequests(
                        config.nodeId(), channel, raft(), this::clusterId, this::connectionEnded, services.time()),
                services.meters().requests());
    }

    /// Messages of voters that come before this one has started find nobody: their senders ask again.
    private RaftRequests raft() {
        return (kind, request) -> {
            MetadataQuorumNode node = node();
            return node == null
                    ? CompletableFuture.failedFuture(
                            new ApiException(Errors.BROKER_NOT_AVAILABLE, "This controller is starting."))
                    : node.raftRequests().handle(kind, request);
        };
    }

    private void connectionEnded(int brokerId, long brokerEpoch) {
        MetadataQuorumNode node = node();
        if (node != null) {
            node.controller().brokerConnectionEnded(brokerId, brokerEpoch);
        }
    }

    /// The controllers, as administrators are told.
    private List<ClusterView.Node> known(List<Endpoint> bound) {
        QuorumState state = state();
        if (state != null) {
            var controllers = new TreeMap<Integer, ClusterView.Node>();
            for (ControllerRegistration registered : registered()) {
                Endpoint listener = registered.listeners().getFirst();
                controllers.put(
                        registered.id(),
                        new ClusterView.Node(registered.id(), listener.host(), listener.port(), null, false));
            }
            // How voters are reached is known better where configuration names them, and before they register.
            for (Voter voter : state.voters()) {
                if (!voter.host().isEmpty()) {
                    controllers.put(
                            voter.nodeId(),
                            new ClusterView.Node(voter.nodeId(), voter.host(), voter.port(), null, false));
                }
            }
            if (!controllers.isEmpty()) {
                return List.copyOf(controllers.values());
            }
        }
        return Advertised.endpoints(config, bound).stream()
                .filter(endpoint -> config.isControllerListener(endpoint.listenerName()))
                .map(endpoint -> new ClusterView.Node(config.nodeId(), endpoint.host(), endpoint.port(), null, false))
                .toList();
    }

    private Collection<ControllerRegistration> registered() {
        MetadataQuorumNode node = node();
        return node == null ? List.of() : node.image().cluster().controllers();
    }

    /// Makes this controller known to the cluster, once its listener is bound.
    void register(Controllers controllers, Timer timer, List<Endpoint> bound) {
        List<Endpoint> listeners = Advertised.endpoints(config, bound).stream()
                .filter(endpoint -> config.isControllerListener(endpoint.listenerName()))
                .toList();
        quorum.thenAccept(node -> node.register(listeners, BrokerSettings.FEATURES, controllers.active(), timer));
    }

    private @Nullable Uuid clusterId() {
        DataDirectories opened = directories.isCompletedExceptionally() ? null : directories.getNow(null);
        return opened == null ? null : Uuid.fromString(opened.clusterId());
    }

    /// Where voters reach this one. The quorum does not wait for the listener, so a port that the machine is to choose
    /// is not known, and a controller with such a one stays alone.
    private MetadataQuorumConfig.@Nullable Address address() {
        return Advertised.endpoints(config, List.of()).stream()
                .filter(endpoint -> config.isControllerListener(endpoint.listenerName()) && endpoint.port() > 0)
                .map(endpoint -> new MetadataQuorumConfig.Address(endpoint.host(), endpoint.port()))
                .findFirst()
                .orElse(null);
    }

    /// Has this controller follow the others' log whenever it is no voter.
    void follow(Controllers others) {
        quorum.thenAccept(node -> node.follow(others.metadata(), others.active()));
    }

    private MetadataQuorumNode startQuorum(DataDirectories opened, ConfigResolver resolver) {
        int electionTimeout = config.get(ClusterKeys.CONTROLLER_QUORUM_ELECTION_TIMEOUT_MS);
        MetadataQuorumConfig quorumConfig = new MetadataQuorumConfig(
                config.nodeId(),
                Uuid.fromString(opened.clusterId()),
                config.metadataLogDir().resolve(METADATA_DIRECTORY),
                opened.directoryIds()
                        .get(config.metadataLogDir().toAbsolutePath().normalize()),
                config.voters().stream()
                        .map(voter -> new Voter(voter.id(), Uuid.ZERO, voter.host(), voter.port()))
                        .toList(),
                address(),
                bootstrap.stream()
                        .map(server -> new MetadataQuorumConfig.Address(server.host(), server.port()))
                        .toList(),
                config.get(ClusterKeys.CONTROLLER_QUORUM_AUTO_JOIN_ENABLE),
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
                            services.meters().quorum(),
                            services.meters().controller(),
                            services.faults(),
                            probe(),
                            transport));
        } catch (IOException e) {
            throw new StartException("The metadata quorum cannot start: " + e.getMessage(), e);
        }
    }

    private LivenessProbe probe() {
        return (listener, timeoutMs) -> peers.thenCompose(
                        connections -> connections.probe(listener.host(), listener.port(), timeoutMs))
                .thenApply(seen -> seen == Reachability.REFUSED);
    }

    /// Done when this node is a member of the quorum, whether that has a leader or not.
    CompletableFuture<Void> started() {
        return quorum.thenAccept(node -> {});
    }

    /// @throws StartException if the quorum's member cannot start
    void awaitStarted() {
        try {
            quorum.join();
        } catch (CompletionException e) {
            if (e.getCause() instanceof RuntimeException cause) {
                throw cause;
            }
            throw e;
        }
    }

    @Override
    public void close() {
        // One that was never told its cluster has not started and never will.
        directories.completeExceptionally(new StartException("The node was stopped before it knew its cluster."));
        // A start that failed has been reported to whoever started the node, and left nothing open.
        @Nullable
        MetadataQuorumNode node = quorum.<@Nullable MetadataQuorumNode>handle((started, failure) -> started)
                .join();
        if (node != null) {
            node.close();
        }
        transport.close();
    }
}
