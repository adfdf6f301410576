package io.moldau.broker;

import io.moldau.broker.api.data.FetchSessions;
import io.moldau.broker.config.ConfigResolver;
import io.moldau.broker.config.NodeConfig;
import io.moldau.broker.coordinator.group.GroupCoordinator;
import io.moldau.broker.coordinator.transaction.TransactionCoordinator;
import io.moldau.broker.net.NetworkState;
import io.moldau.broker.peer.PeerClients;
import io.moldau.broker.replica.PartitionRegistry;
import io.moldau.broker.replica.ReplicaMoves;
import io.moldau.broker.replica.ReplicationThrottle;
import io.moldau.broker.transaction.TransactionVerification;
import io.moldau.common.Endpoint;
import io.moldau.common.time.Time;
import io.moldau.log.dir.LogDirs;
import io.moldau.metadata.channel.MetadataFetcher;
import io.moldau.metadata.channel.NodeToController;
import io.moldau.metadata.image.MetadataImage;
import io.moldau.metadata.quorum.MetadataQuorum;
import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.function.IntSupplier;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import java.util.function.ToIntFunction;
import org.jspecify.annotations.Nullable;

/// A running node as metrics, health and administration see it. Everything may be asked from any thread, at any time
/// until the node has stopped; nothing here changes anything by itself.
///
/// @param listeners as bound
/// @param image what this node knows of the cluster
/// @param metadataProgress how it follows the metadata log
/// @param settings resolves what is configured, by the image's configurations
/// @param minInsyncReplicas of a topic, as it is configured now
/// @param activeController the node id as far as this one knows, -1 if it does not
/// @param controller reaches the active controller
/// @param peers reaches other brokers, on the listener [NodeConfig#interBrokerListener()]
/// @param quorum this node's member of the metadata quorum; null if it has none, or as long as that is starting
/// @param serving whether the node serves clients: unfenced if it is a broker, a member of the quorum else
/// @param stopping whether the node was told to stop
/// @param broker null if this node is none
public record NodeView(
        NodeConfig config,
        String clusterId,
        List<Endpoint> listeners,
        Time time,
        Supplier<MetadataImage> image,
        Supplier<MetadataFetcher.Progress> metadataProgress,
        ConfigResolver settings,
        ToIntFunction<String> minInsyncReplicas,
        IntSupplier activeController,
        NodeToController controller,
        PeerClients peers,
        Supplier<@Nullable MetadataQuorum> quorum,
        Supplier<NetworkState> network,
        BooleanSupplier serving,
        BooleanSupplier stopping,
        @Nullable Broker broker) {

    /// What a broker has besides.
    ///
    /// @param epoch of its registration, -1 if it has none
    public record Broker(
            LogDirs logs,
            PartitionRegistry partitions,
            GroupCoordinator groups,
            TransactionCoordinator transactions,
            TransactionVerification verification,
            FetchSessions fetchSessions,
            Throttles throttles,
            ReplicaMoves moves,
            LongSupplier epoch) {}

    /// What holds back copying (KIP-73).
    ///
    /// @param leader of what is sent to followers
    /// @param follower of what is fetched as one
    public record Throttles(ReplicationThrottle leader, ReplicationThrottle follower) {}

    /// Whether logs are still to be checked after a crash; all others are served.
    public boolean isRecovering() {
        return broker != null && !broker.logs().recovery().isDone();
    }

    public NodeView {
        listeners = List.copyOf(listeners);
    }
}
