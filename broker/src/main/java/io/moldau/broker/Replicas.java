package io.moldau.broker;

import io.moldau.broker.api.data.ReadReplicas;
import io.moldau.broker.config.BrokerConfigKeys;
import io.moldau.broker.config.ConfigResolver;
import io.moldau.broker.config.NodeConfig;
import io.moldau.broker.config.QuotaKeys;
import io.moldau.broker.config.ReplicationKeys;
import io.moldau.broker.config.TopicConfigKeys;
import io.moldau.broker.metadata.HungUpBrokers;
import io.moldau.broker.peer.PeerClients;
import io.moldau.broker.replica.AlterPartitionSender;
import io.moldau.broker.replica.DirectoryAssignments;
import io.moldau.broker.replica.Durability;
import io.moldau.broker.replica.LeaderState;
import io.moldau.broker.replica.PartitionChangesPublisher;
import io.moldau.broker.replica.PartitionRegistry;
import io.moldau.broker.replica.ReplicaMetrics;
import io.moldau.broker.replica.ReplicaMoves;
import io.moldau.broker.replica.Replication;
import io.moldau.broker.replica.ReplicationThrottle;
import io.moldau.broker.replica.StrayLogs;
import io.moldau.broker.replica.TailCache;
import io.moldau.broker.replica.ThrottledReplicas;
import io.moldau.broker.replica.TopicSettings;
import io.moldau.broker.replica.fetch.FetcherSettings;
import io.moldau.broker.replica.fetch.PeerLeaderEndpoint;
import io.moldau.broker.replica.fetch.ReplicaFetchers;
import io.moldau.common.FaultHandler;
import io.moldau.common.Uuid;
import io.moldau.common.config.ConfigKey;
import io.moldau.common.time.Time;
import io.moldau.common.time.Timer;
import io.moldau.log.dir.LogDirs;
import io.moldau.metadata.channel.NodeToController;
import io.moldau.metadata.image.BrokerRegistration;
import io.moldau.metadata.image.ConfigResource;
import io.moldau.metadata.image.ConfigurationsImage;
import io.moldau.metadata.image.MetadataDelta;
import io.moldau.metadata.image.MetadataImage;
import io.moldau.metadata.image.loader.LoaderManifest;
import io.moldau.metadata.image.publisher.MetadataPublisher;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/// The replicas of a broker, put together: its partitions, those who follow leaders elsewhere, and those who
/// follow us.
final class Replicas implements AutoCloseable {

    /// What they need of the node.
    ///
    /// @param directoryIds the identity of each log directory, by its absolute path
    /// @param brokerEpoch of this node's registration, -1 if it has none
    /// @param background threads that may wait for the disk
    /// @param flushers those that force what was appended, by log directory
    record Services(
            LogDirs logs,
            Map<Path, Uuid> directoryIds,
            Supplier<MetadataImage> image,
            LongSupplier brokerEpoch,
            NodeToController controller,
            PeerClients peers,
            HungUpBrokers hungUp,
            TailCache tails,
            Time time,
            Timer timer,
            Executor background,
            Function<Path, Executor> flushers,
            FaultHandler faults,
            ReplicaMetrics metrics) {}

    private static final long MOST_BETWEEN_CHECKS_MS = 1000;

    private static final String RACK_AWARE = "RackAwareReplicaSelector";

    private final NodeConfig config;
    private final Services services;
    private final AlterPartitionSender isrChanges;
    private final PartitionRegistry partitions;
    private final ReplicaFetchers fetchers;
    private final DirectoryAssignments assignments;
    private final ReplicationThrottle leaderThrottle;
    private final ReplicationThrottle followerThrottle;
    private final ReplicationThrottle moveThrottle;
    private final ReplicaMoves moves;
    private final MoverThreads movers;

    Replicas(NodeConfig config, Services services) {
        this.config = config;
        this.services = services;
        this.isrChanges = new AlterPartitionSender(
                config.nodeId(),
                services.brokerEpoch(),
                services.controller(),
                services.time(),
                services.timer(),
                services.background(),
                services.faults());
        this.leaderThrottle = throttle(config, services.time());
        this.followerThrottle = throttle(config, services.time());
        this.moveThrottle = new ReplicationThrottle(
                services.time()::nanoseconds,
                config.get(QuotaKeys.ALTER_LOG_DIRS_QUOTA_WINDOW_NUM),
                TimeUnit.SECONDS.toNanos(config.get(QuotaKeys.ALTER_LOG_DIRS_QUOTA_WINDOW_SIZE_SECONDS)));
        this.partitions = new PartitionRegistry(
                config.nodeId(),
                services.logs(),
                services.directoryIds(),
                services.image(),
                services.time(),
                services.tails(),
                services.faults(),
                new Replication(
                        isrChanges,
                        services.background(),
                        services.flushers(),
                        TimeUnit.MILLISECONDS.toNanos(config.get(ReplicationKeys.REPLICA_LAG_TIME_MAX_MS)),
                        new Brokers(services.image()),
                        leaderThrottle,
                        followerThrottle),
                services.metrics());
        this.assignments = assignments(partitions, services);
        this.moves = new ReplicaMoves(
                services.logs(), partitions, assignments, services.directoryIds(), moveThrottle, services.time());
        Integer threads = config.find(ReplicationKeys.NUM_REPLICA_ALTER_LOG_DIRS_THREADS);
        this.movers = new MoverThreads(
                moves, threads == null ? services.directoryIds().size() : threads, services.time(), services.faults());
        this.fetchers = new ReplicaFetchers(
                partitions,
                services.brokerEpoch(),
                PeerLeaderEndpoint.by(services.peers()),
                services.hungUp(),
                fetcherSettings(config),
                services.time(),
                services.timer(),
                services.background(),
                services.faults());
    }

    private static DirectoryAssignments assignments(PartitionRegistry partitions, Services services) {
        return new DirectoryAssignments(
                partitions,
                services.directoryIds(),
                services.brokerEpoch(),
                services.controller(),
                services.time(),
                services.timer(),
                services.background(),
                services.faults());
    }

    private static ReplicationThrottle throttle(NodeConfig config, Time time) {
        return new ReplicationThrottle(
                time::nanoseconds,
                config.get(QuotaKeys.REPLICATION_QUOTA_WINDOW_NUM),
                TimeUnit.SECONDS.toNanos(config.get(QuotaKeys.REPLICATION_QUOTA_WINDOW_SIZE_SECONDS)));
    }

    private static FetcherSettings fetcherSettings(NodeConfig config) {
        String listener = config.interBrokerListener();
        return new FetcherSettings(
                config.get(ReplicationKeys.REPLICA_FETCH_MIN_BYTES),
                config.get(ReplicationKeys.REPLICA_FETCH_MAX_BYTES),
                config.get(ReplicationKeys.REPLICA_FETCH_RESPONSE_MAX_BYTES),
                config.get(ReplicationKeys.REPLICA_FETCH_WAIT_MAX_MS),
                config.get(ReplicationKeys.REPLICA_FETCH_BACKOFF_MS),
                config.get(ReplicationKeys.REPLICA_SOCKET_TIMEOUT_MS),
                config.get(ReplicationKeys.NUM_REPLICA_FETCHERS),
                listener == null ? "" : listener);
    }

    /// What the metadata says of the brokers that followers run on.
    private record Brokers(Supplier<MetadataImage> image) implements LeaderState.Eligibility {

        @Override
        public boolean isEligible(int brokerId, long brokerEpoch) {
            BrokerRegistration broker = image.get().cluster().broker(brokerId);
            return broker != null && broker.isActive() && broker.epoch() == brokerEpoch;
        }

        @Override
        public boolean isStale(int brokerId, long brokerEpoch) {
            BrokerRegistration broker = image.get().cluster().broker(brokerId);
            return broker != null && broker.epoch() > brokerEpoch;
        }

        @Override
        public boolean isUp(int brokerId) {
            BrokerRegistration broker = image.get().cluster().broker(brokerId);
            return broker != null && !broker.fenced();
        }
    }

    NodeView.Throttles throttles() {
        return new NodeView.Throttles(leaderThrottle, followerThrottle);
    }

    ReplicaMoves moves() {
        return moves;
    }

    /// Moves that there may be go on from now on.
    void wakeMovers() {
        movers.wake();
    }

    PartitionRegistry partitions() {
        return partitions;
    }

    /// Who of the replicas must hear of new metadata, in this order. Not before the metadata is that of this
    /// process's own registration.
    List<MetadataPublisher> publishers(ConfigResolver resolver) {
        return List.of(
                new StrayLogs(config.nodeId(), services.logs()),
                new PartitionChangesPublisher(
                        partitions, (image, topic) -> topicSettings(resolver, topic, image.configs())),
                assignments,
                fetchers,
                new Settings(resolver));
    }

    private TopicSettings topicSettings(ConfigResolver resolver, String topic, ConfigurationsImage configs) {
        return new TopicSettings(
                resolver.logConfig(topic, configs),
                resolver.minInsyncReplicas(topic, configs),
                Durability.of(resolver.durability(topic, configs)),
                throttled(resolver, topic, TopicConfigKeys.LEADER_REPLICATION_THROTTLED_REPLICAS, configs),
                throttled(resolver, topic, TopicConfigKeys.FOLLOWER_REPLICATION_THROTTLED_REPLICAS, configs));
    }

    private ThrottledReplicas throttled(
            ConfigResolver resolver, String topic, ConfigKey<List<String>> key, ConfigurationsImage configs) {
        return ThrottledReplicas.of(resolver.throttledReplicas(topic, key, configs), config.nodeId());
    }

    /// Takes over those settings of replication that can be changed while the node runs.
    private final class Settings implements MetadataPublisher {
        private final ConfigResolver resolver;

        Settings(ConfigResolver resolver) {
            this.resolver = resolver;
        }

        @Override
        public String name() {
            return "replication settings";
        }

        @Override
        public void onMetadataUpdate(MetadataDelta delta, MetadataImage newImage, LoaderManifest manifest) {
            if (delta.configsDelta().changedResources().stream()
                    .noneMatch(changed -> changed.type() == ConfigResource.Type.BROKER)) {
                return;
            }
            ConfigurationsImage configs = newImage.configs();
            leaderThrottle.limit(resolver.ofBroker(BrokerConfigKeys.LEADER_REPLICATION_THROTTLED_RATE, configs));
            followerThrottle.limit(resolver.ofBroker(BrokerConfigKeys.FOLLOWER_REPLICATION_THROTTLED_RATE, configs));
            moveThrottle.limit(
                    resolver.ofBroker(BrokerConfigKeys.REPLICA_ALTER_LOG_DIRS_IO_MAX_BYTES_PER_SECOND, configs));
            fetchers.fetchersPerLeader(resolver.ofBroker(ReplicationKeys.NUM_REPLICA_FETCHERS, configs), newImage);
        }
    }

    /// Which replica a consumer is sent to: the one in its rack, if racks are set (KIP-392).
    ReadReplicas readReplicas() {
        @Nullable String selector = config.find(ReplicationKeys.REPLICA_SELECTOR_CLASS);
        boolean byRack = selector == null || selector.isBlank() ? config.rack() != null : selector.endsWith(RACK_AWARE);
        return byRack ? ReadReplicas.rackAware(services.image()) : ReadReplicas.LEADER_ONLY;
    }

    /// How often [#checkFollowers] is to be called.
    long checkIntervalMs() {
        return Math.clamp(config.get(ReplicationKeys.REPLICA_LAG_TIME_MAX_MS) / 2, 1, MOST_BETWEEN_CHECKS_MS);
    }

    /// Has followers that lag too long proposed to leave the ISR.
    void checkFollowers() {
        partitions.checkFollowers();
    }

    /// Stops following and proposing. The partitions go on serving until they are closed.
    @Override
    public void close() throws InterruptedException {
        movers.close();
        fetchers.close();
        assignments.close();
        isrChanges.close();
    }
}
