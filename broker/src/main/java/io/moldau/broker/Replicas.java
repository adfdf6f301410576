package io.moldau.broker;

import io.moldau.broker.api.data.ReadReplicas;
import io.moldau.broker.config.NodeConfig;
import io.moldau.broker.config.ReplicationKeys;
import io.moldau.broker.peer.PeerClients;
import io.moldau.broker.replica.AlterPartitionSender;
import io.moldau.broker.replica.LeaderState;
import io.moldau.broker.replica.PartitionChangesPublisher;
import io.moldau.broker.replica.PartitionRegistry;
import io.moldau.broker.replica.ReplicaMetrics;
import io.moldau.broker.replica.Replication;
import io.moldau.broker.replica.StrayLogs;
import io.moldau.broker.replica.TailCache;
import io.moldau.broker.replica.TopicSettingsSource;
import io.moldau.broker.replica.fetch.FetcherSettings;
import io.moldau.broker.replica.fetch.PeerLeaderEndpoint;
import io.moldau.broker.replica.fetch.ReplicaFetchers;
import io.moldau.common.FaultHandler;
import io.moldau.common.time.Time;
import io.moldau.common.time.Timer;
import io.moldau.log.dir.LogDirs;
import io.moldau.metadata.channel.NodeToController;
import io.moldau.metadata.image.BrokerRegistration;
import io.moldau.metadata.image.MetadataImage;
import io.moldau.metadata.image.publisher.MetadataPublisher;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/// The replicas of a broker, put together: its partitions, those who follow leaders elsewhere, and those who
/// follow us.
final class Replicas implements AutoCloseable {

    /// What they need of the node.
    ///
    /// @param brokerEpoch of this node's registration, -1 if it has none
    /// @param background threads that may wait for the disk
    record Services(
            LogDirs logs,
            Supplier<MetadataImage> image,
            LongSupplier brokerEpoch,
            NodeToController controller,
            PeerClients peers,
            TailCache tails,
            Time time,
            Timer timer,
            Executor background,
            FaultHandler faults,
            ReplicaMetrics metrics) {}

    private static final long MOST_BETWEEN_CHECKS_MS = 1000;

    private static final String RACK_AWARE = "RackAwareReplicaSelector";

    private final NodeConfig config;
    private final Services services;
    private final AlterPartitionSender isrChanges;
    private final PartitionRegistry partitions;
    private final ReplicaFetchers fetchers;

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
        this.partitions = new PartitionRegistry(
                config.nodeId(),
                services.logs(),
                services.image(),
                services.time(),
                services.tails(),
                services.faults(),
                new Replication(
                        isrChanges,
                        services.background(),
                        TimeUnit.MILLISECONDS.toNanos(config.get(ReplicationKeys.REPLICA_LAG_TIME_MAX_MS)),
                        new Brokers(services.image())),
                services.metrics());
        this.fetchers = new ReplicaFetchers(
                partitions,
                services.brokerEpoch(),
                PeerLeaderEndpoint.by(services.peers()),
                fetcherSettings(config),
                services.time(),
                services.timer(),
                services.background(),
                services.faults());
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
    }

    PartitionRegistry partitions() {
        return partitions;
    }

    /// Who of the replicas must hear of new metadata, in this order. Not before the metadata is that of this
    /// process's own registration.
    List<MetadataPublisher> publishers(TopicSettingsSource settings) {
        return List.of(
                new StrayLogs(config.nodeId(), services.logs()),
                new PartitionChangesPublisher(partitions, settings),
                fetchers);
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
    public void close() {
        fetchers.close();
        isrChanges.close();
    }
}
