package io.moldau.ops.metrics;

import io.moldau.broker.NodeView;
import io.moldau.metadata.channel.MetadataFetcher;
import io.moldau.metadata.image.BrokerRegistration;
import io.moldau.metadata.image.MetadataImage;
import io.moldau.metadata.image.TopicImage;
import io.moldau.metadata.partition.PartitionRegistration;
import io.moldau.metadata.quorum.AppliedMetadata;
import io.moldau.metadata.quorum.MetadataQuorum;
import io.moldau.metadata.quorum.OwnMetrics;
import io.moldau.metadata.quorum.QuorumDescription;
import io.moldau.metadata.quorum.QuorumState;
import io.moldau.metadata.quorum.SnapshotSource;
import io.moldau.ops.state.Leaders;
import java.util.Locale;
import java.util.Map;
import java.util.TreeSet;
import java.util.function.Supplier;

/// Tells the node, its network, the metadata it knows, and its member of the quorum.
final class ClusterSource implements MetricSource {

    private static final int STARTING = 1;
    private static final int RECOVERY = 2;
    private static final int RUNNING = 3;
    private static final int STOPPING = 6;

    private final NodeView node;
    private final String version;
    private final Supplier<Map<String, Boolean>> reached;

    /// @param reached by advertised listener, whether the node found itself there; empty as long as it has not looked
    ClusterSource(NodeView node, String version, Supplier<Map<String, Boolean>> reached) {
        this.node = node;
        this.version = version;
        this.reached = reached;
    }

    @Override
    public void collect(Samples into) {
        var roles = new TreeSet<String>();
        node.config().roles().forEach(role -> roles.add(role.name().toLowerCase(Locale.ROOT)));
        into.add(
                Metrics.NODE_INFO,
                1,
                version,
                Integer.toString(node.config().nodeId()),
                node.clusterId(),
                String.join(",", roles));
        into.add(
                Metrics.NODE_READY,
                node.serving().getAsBoolean() && !node.stopping().getAsBoolean() && !node.isRecovering() ? 1 : 0);
        into.add(Metrics.BROKER_STATE, brokerState());
        into.add(Metrics.NODE_TIME, node.time().milliseconds() / 1e3);
        reached.get().forEach((listener, itself) -> into.add(Metrics.LISTENER_REACHED, itself ? 1 : 0, listener));
        var network = node.network().get();
        into.add(Metrics.REQUEST_MEMORY, network.requestBytes());
        into.add(Metrics.REQUEST_MEMORY_LIMIT, network.requestBytesLimit());
        into.add(Metrics.UNSENT, network.unsentBytes());
        into.add(Metrics.NETTY_POOLED, network.pooledBytes());
        if (network.directBytes() >= 0) {
            into.add(Metrics.NETTY_DIRECT, network.directBytes());
        }
        MetadataImage image = node.image().get();
        MetadataFetcher.Progress progress = node.metadataProgress().get();
        into.add(Metrics.METADATA_LAG, progress.entriesBehind());
        into.add(Metrics.METADATA_SILENCE, progress.silentNanos() / 1e9);
        into.add(Metrics.METADATA_OFFSET, image.offset());
        into.add(Metrics.METADATA_TIMESTAMP, image.provenance().timestampMs());
        into.add(
                Metrics.BROKERS,
                image.cluster().brokers().stream()
                        .filter(broker -> !broker.fenced())
                        .count());
        for (BrokerRegistration broker : image.cluster().brokers()) {
            broker.listeners().stream()
                    .findFirst()
                    .ifPresent(at -> into.add(
                            Metrics.BROKER_INFO, 1, Integer.toString(broker.id()), at.host() + ":" + at.port()));
        }
        MetadataQuorum quorum = node.quorum().get();
        if (quorum != null) {
            controller(quorum, image, into);
            quorum(quorum, into);
        }
    }

    private int brokerState() {
        if (node.stopping().getAsBoolean()) {
            return STOPPING;
        }
        return node.isRecovering() ? RECOVERY : node.serving().getAsBoolean() ? RUNNING : STARTING;
    }

    private void controller(MetadataQuorum quorum, MetadataImage image, Samples into) {
        into.add(Metrics.ACTIVE_CONTROLLER, quorum.state().leading() ? 1 : 0);
        int partitions = 0;
        int offline = 0;
        int imbalanced = 0;
        for (TopicImage topic : image.topics().topics()) {
            for (PartitionRegistration partition : topic.partitions().values()) {
                partitions++;
                if (Leaders.isOffline(image.cluster(), partition)) {
                    offline++;
                } else if (partition.leader() != partition.preferredReplica()) {
                    imbalanced++;
                }
            }
        }
        into.add(Metrics.GLOBAL_TOPICS, image.topics().topics().size());
        into.add(Metrics.GLOBAL_PARTITIONS, partitions);
        into.add(Metrics.OFFLINE_PARTITIONS, offline);
        into.add(Metrics.IMBALANCE, imbalanced);
        long fenced = image.cluster().brokers().stream()
                .filter(BrokerRegistration::fenced)
                .count();
        into.add(Metrics.FENCED_BROKERS, fenced);
        into.add(Metrics.ACTIVE_BROKERS, image.cluster().brokers().size() - fenced);
    }

    private void quorum(MetadataQuorum quorum, Samples into) {
        QuorumState state = quorum.state();
        QuorumDescription description = quorum.describe();
        int self = node.config().nodeId();
        into.add(Metrics.QUORUM_LEADER, state.leaderId());
        into.add(Metrics.QUORUM_EPOCH, state.epoch());
        into.add(Metrics.QUORUM_HIGH_WATERMARK, description.highWatermark());
        into.add(Metrics.QUORUM_VOTERS, state.voters().size());
        boolean voter = state.voters().stream().anyMatch(it -> it.nodeId() == self);
        into.add(Metrics.QUORUM_ROLE, 1, state.leading() ? "leader" : voter ? "follower" : "observer");
        AppliedMetadata.Position applied = quorum.applied().position();
        into.add(Metrics.QUORUM_APPLY_LAG, Math.max(0, description.highWatermark() - 1 - applied.index()));
        long leaderEnd = -1;
        for (QuorumDescription.Replica replica : description.voters()) {
            if (replica.nodeId() == self) {
                into.add(Metrics.QUORUM_LOG_END, replica.logEndOffset());
                leaderEnd = replica.logEndOffset();
            }
        }
        if (state.leading()) {
            long now = node.time().milliseconds();
            for (QuorumDescription.Replica replica : description.voters()) {
                String id = Integer.toString(replica.nodeId());
                if (replica.logEndOffset() >= 0) {
                    into.add(Metrics.VOTER_LAG, Math.max(0, leaderEnd - replica.logEndOffset()), id);
                }
                if (replica.lastFetchMs() >= 0) {
                    into.add(Metrics.VOTER_SILENCE, Math.max(0, now - replica.lastFetchMs()) / 1e3, id);
                }
            }
        }
        SnapshotSource.Snapshot snapshot = quorum.snapshots().latest();
        if (snapshot != null) {
            into.add(Metrics.SNAPSHOT_BYTES, snapshot.sizeInBytes());
            into.add(Metrics.SNAPSHOT_OFFSET, snapshot.index());
            long writtenMs = quorum.snapshots().latestWrittenMs();
            if (writtenMs >= 0) {
                into.add(Metrics.SNAPSHOT_AGE, Math.max(0, node.time().milliseconds() - writtenMs) / 1e3);
            }
        }
        OwnMetrics own = quorum.ownMetrics();
        own.counters().forEach((it, count) -> into.add(Metrics.RATIS_EVENTS, count, it.component(), it.name()));
        own.timings()
                .forEach((it, timing) -> into.addSummary(
                        Metrics.RATIS_SECONDS, timing.count(), timing.nanos() / 1e9, it.component(), it.name()));
        own.gauges().forEach((it, value) -> into.add(Metrics.RATIS_GAUGE, value, it.component(), it.name()));
    }
}
