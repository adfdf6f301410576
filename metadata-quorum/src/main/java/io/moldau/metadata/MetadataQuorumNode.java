package io.moldau.metadata;

import io.moldau.common.Endpoint;
import io.moldau.common.FaultHandler;
import io.moldau.common.Uuid;
import io.moldau.common.time.Time;
import io.moldau.common.time.Timer;
import io.moldau.metadata.channel.ControllerChannels;
import io.moldau.metadata.channel.LocalNodeToController;
import io.moldau.metadata.channel.MetadataFetchService;
import io.moldau.metadata.channel.NodeToController;
import io.moldau.metadata.controller.ConfigValidator;
import io.moldau.metadata.controller.Controller;
import io.moldau.metadata.controller.ControllerMetrics;
import io.moldau.metadata.controller.LivenessProbe;
import io.moldau.metadata.controller.QuorumController;
import io.moldau.metadata.controller.TopicConfigDescriber;
import io.moldau.metadata.event.ThreadEventLoop;
import io.moldau.metadata.image.ControllerRegistration;
import io.moldau.metadata.image.MetadataImage;
import io.moldau.metadata.image.VersionRange;
import io.moldau.metadata.quorum.MetadataQuorum;
import io.moldau.metadata.quorum.QuorumMetrics;
import io.moldau.metadata.quorum.Voter;
import io.moldau.metadata.quorum.ratis.QuorumDirectory;
import io.moldau.metadata.quorum.ratis.RatisQuorum;
import io.moldau.metadata.quorum.ratis.RatisQuorumConfig;
import io.moldau.metadata.quorum.transport.RaftRequests;
import io.moldau.metadata.quorum.transport.RaftTransport;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/// The controller role of a node: a member of the metadata quorum, the controller that is active while it leads, and
/// the
/// service from which brokers get the log.
///
/// Threads: one for the controller, one for the fetch service, one for maintenance, and Ratis' own.
public final class MetadataQuorumNode implements AutoCloseable {

    private final QuorumDirectory directory;
    private final MetadataQuorum quorum;
    private final RaftRequests raftRequests;
    private final QuorumController controller;
    private final MetadataFetchService fetches;
    private final NodeToController local;
    private final MetadataQuorumConfig config;
    private final Services services;
    private volatile @Nullable QuorumObserver observer;
    private volatile @Nullable ControllerRegistrar registrar;

    /// What the node gives: clock, randomness and what it knows about configuration keys.
    ///
    /// @param transport how voters talk to each other; what they say to this one goes to [#raftRequests()]
    /// @param faults what happens when the metadata log can no longer be written or applied; should end the process
    /// @param probe shows whether a broker's process is gone
    public record Services(
            Time time,
            RandomGenerator random,
            ConfigValidator validator,
            TopicConfigDescriber describer,
            QuorumMetrics quorumMetrics,
            ControllerMetrics controllerMetrics,
            FaultHandler faults,
            LivenessProbe probe,
            RaftTransport transport) {

        /// Without a network: a quorum of one, in which only a broker's session tells that it crashed.
        public Services(
                Time time,
                RandomGenerator random,
                ConfigValidator validator,
                TopicConfigDescriber describer,
                QuorumMetrics quorumMetrics,
                ControllerMetrics controllerMetrics,
                FaultHandler faults) {
            this(
                    time,
                    random,
                    validator,
                    describer,
                    quorumMetrics,
                    controllerMetrics,
                    faults,
                    LivenessProbe.none(),
                    RaftTransport.none());
        }

        public Services(Time time, RandomGenerator random, ConfigValidator validator, FaultHandler faults) {
            this(
                    time,
                    random,
                    validator,
                    TopicConfigDescriber.none(),
                    QuorumMetrics.NONE,
                    ControllerMetrics.NONE,
                    faults);
        }
    }

    private MetadataQuorumNode(
            QuorumDirectory directory,
            MetadataQuorum quorum,
            RaftRequests raftRequests,
            QuorumController controller,
            MetadataFetchService fetches,
            NodeToController local,
            MetadataQuorumConfig config,
            Services services) {
        this.directory = directory;
        this.quorum = quorum;
        this.raftRequests = raftRequests;
        this.controller = controller;
        this.fetches = fetches;
        this.local = local;
        this.config = config;
        this.services = services;
    }

    /// Starts everything. Does not wait for a leader.
    ///
    /// @throws IOException if the directory belongs to another node or cluster, the or the log is damaged or gone
    public static MetadataQuorumNode start(MetadataQuorumConfig config, Services services) throws IOException {
        Time time = services.time();
        QuorumDirectory directory = QuorumDirectory.open(
                config.directory(), config.nodeId(), config.clusterId(), config.directoryId(), services.random());
        var quorum = new RatisQuorum(
                ratisConfig(config, directory),
                directory,
                services.transport(),
                time,
                services.quorumMetrics(),
                services.faults());
        var controller = new QuorumController(
                config.nodeId(),
                directory.clusterId(),
                config.controller(),
                quorum,
                new ThreadEventLoop("controller-" + config.nodeId(), time, services.faults()),
                time,
                services.random(),
                services.validator(),
                services.describer(),
                services.controllerMetrics(),
                services.faults(),
                services.probe());
        var fetches = new MetadataFetchService(
                directory.clusterId(),
                quorum,
                new ThreadEventLoop("metadata-fetch-service-" + config.nodeId(), time, services.faults()),
                time);
        var node = new MetadataQuorumNode(
                directory,
                quorum,
                quorum.requests(),
                controller,
                fetches,
                new LocalNodeToController(directory.clusterId(), quorum, controller, fetches, time),
                config,
                services);
        try {
            quorum.start(controller);
        } catch (IOException | RuntimeException e) {
            node.close();
            throw e;
        }
        return node;
    }

    private static RatisQuorumConfig ratisConfig(MetadataQuorumConfig config, QuorumDirectory directory)
            throws IOException {
        MetadataQuorumConfig.Address address = config.address();
        Voter self = null;
        for (Voter voter : config.voters()) {
            if (voter.nodeId() == config.nodeId()) {
                self = voter;
            }
        }
        if (!config.voters().isEmpty() && self == null) {
            throw new IOException("node " + config.nodeId() + " is not among the voters "
                    + config.voters().stream().map(Voter::nodeId).toList()
                    + ": add it to controller.quorum.voters or take the controller role from it");
        }
        if (self == null) {
            self = new Voter(
                    config.nodeId(),
                    directory.directoryId(),
                    address == null ? "" : address.host(),
                    address == null ? 0 : address.port());
        }
        return new RatisQuorumConfig(
                directory.raftDirectory(),
                directory.clusterId(),
                self,
                firstVoters(config, self),
                config.electionTimeoutMinMs(),
                config.electionTimeoutMaxMs(),
                config.snapshotBytes(),
                config.snapshotIntervalMs(),
                config.raftProperties());
    }

    /// A node that is to find its quorum elsewhere never begins one of its own: whether it is a voter is in its log.
    /// One
    /// that knows nobody else is the first.
    private static List<Voter> firstVoters(MetadataQuorumConfig config, Voter self) {
        if (!config.voters().isEmpty()) {
            return config.voters();
        }
        return joinsOthers(config) ? List.of() : List.of(self);
    }

    private static boolean joinsOthers(MetadataQuorumConfig config) {
        return config.bootstrapServers().stream().anyMatch(server -> !server.equals(config.address()));
    }

    /// Has a controller that is no voter, or that ceases to be one, follow the log of those who are. For a node of a
    /// dynamic quorum, once it can reach others. Call once.
    ///
    /// @param channels the other controllers
    /// @param active whichever of them is active
    public void follow(ControllerChannels channels, NodeToController active) {
        if (config.voters().isEmpty() && quorum instanceof RatisQuorum ratis) {
            var following = new QuorumObserver(
                    config,
                    directory.clusterId(),
                    directory.directoryId(),
                    ratis,
                    channels,
                    active,
                    services.time(),
                    services.faults());
            observer = following;
            following.start();
        }
    }

    /// Makes this controller known to the cluster, and keeps it known. Call once, when its listener
    /// is bound.
    ///
    /// @param listeners where other nodes reach it, with their real ports
    /// @param features what this release supports
    /// @param active whichever controller is active
    public void register(
            List<Endpoint> listeners, Map<String, VersionRange> features, NodeToController active, Timer timer) {
        var own = new ControllerRegistration(
                config.nodeId(), Uuid.random(services.random()), listeners, new TreeMap<>(features));
        var registering = new ControllerRegistrar(own, quorum.applied(), active, timer, services.time());
        registrar = registering;
        registering.start();
    }

    /// What takes the messages of other voters, for the listener that they come in on.
    public RaftRequests raftRequests() {
        return raftRequests;
    }

    public Controller controller() {
        return controller;
    }

    /// For the broker in the same process.
    public NodeToController nodeToController() {
        return local;
    }

    public MetadataQuorum quorum() {
        return quorum;
    }

    public Uuid clusterId() {
        return directory.clusterId();
    }

    public Uuid directoryId() {
        return directory.directoryId();
    }

    public int nodeId() {
        return directory.nodeId();
    }

    /// The node of the active controller as far as this one knows, or -1.
    public int leaderId() {
        return controller.leaderId();
    }

    /// The metadata as this controller has applied it.
    public MetadataImage image() {
        return quorum.applied().image();
    }

    /// Completes when this node's controller has been active once.
    public CompletableFuture<Void> whenActive() {
        return controller.whenFirstActive();
    }

    /// Waits until this node's controller is active: for a quorum of one, that is when it is ready.
    ///
    /// @throws IOException if that takes longer than the timeout
    public void awaitActive(Duration timeout) throws IOException, InterruptedException {
        try {
            whenActive().get(timeout.toMillis(), TimeUnit.MILLISECONDS);
        } catch (TimeoutException e) {
            throw new IOException("the metadata quorum had no active controller here after " + timeout, e);
        } catch (ExecutionException e) {
            throw new IOException("the controller did not start", e.getCause());
        }
    }

    /// Hands leadership over if there is somebody to take it, then stops.
    @Override
    public void close() {
        QuorumObserver following = observer;
        if (following != null) {
            following.close();
        }
        ControllerRegistrar registering = registrar;
        if (registering != null) {
            registering.close();
        }
        quorum.resign(1000);
        controller.close();
        fetches.close();
        quorum.close();
    }
}
