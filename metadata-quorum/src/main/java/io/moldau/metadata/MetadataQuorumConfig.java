package io.moldau.metadata;

import io.moldau.common.Uuid;
import io.moldau.metadata.controller.ControllerSettings;
import io.moldau.metadata.quorum.Voter;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// What a controller needs to know to start.
///
/// @param nodeId `node.id`
/// @param clusterId what its directory must belong to; null: whatever the directory says, and a new random one if the
///     directory is empty
/// @param directory for the metadata log; must hold nothing else
/// @param directoryId names the directory, and with the node id the voter; null: one is drawn when the directory is new
/// @param voters `controller.quorum.voters`: the fixed voters of the cluster, this one among them, without directory
/// ids.
///     Empty: the quorum is dynamic, and what the log says decides who its voters are
/// @param address where other controllers reach this one: its first controller listener; null: nowhere, so it can only
///     be alone
/// @param bootstrapServers `controller.quorum.bootstrap.servers`: where a dynamic quorum is found. A new node that
/// finds
///     nobody but itself there begins a quorum of its own
/// @param autoJoin `controller.quorum.auto.join.enable`: become a voter without being told to
/// @param electionTimeoutMinMs `controller.quorum.election.timeout.ms`, the shorter end of the range
/// @param electionTimeoutMaxMs the longer end
/// @param snapshotBytes `metadata.log.max.record.bytes.between.snapshots`
/// @param snapshotIntervalMs `metadata.log.max.snapshot.interval.ms`
/// @param raftProperties `raft.*` keys, passed through to Apache Ratis
public record MetadataQuorumConfig(
        int nodeId,
        @Nullable Uuid clusterId,
        Path directory,
        @Nullable Uuid directoryId,
        List<Voter> voters,
        @Nullable Address address,
        List<Address> bootstrapServers,
        boolean autoJoin,
        int electionTimeoutMinMs,
        int electionTimeoutMaxMs,
        long snapshotBytes,
        long snapshotIntervalMs,
        ControllerSettings controller,
        Map<String, String> raftProperties) {

    /// Where a controller listens.
    public record Address(String host, int port) {}

    public MetadataQuorumConfig {
        voters = List.copyOf(voters);
        bootstrapServers = List.copyOf(bootstrapServers);
        raftProperties = Map.copyOf(raftProperties);
    }

    /// A quorum of this one node, with Kafka's defaults.
    public static MetadataQuorumConfig alone(
            int nodeId, @Nullable Uuid clusterId, Path directory, ControllerSettings controller) {
        return new MetadataQuorumConfig(
                nodeId,
                clusterId,
                directory,
                null,
                List.of(),
                null,
                List.of(),
                false,
                500,
                1000,
                20L << 20,
                3_600_000,
                controller,
                Map.of());
    }
}
