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
/// @param voters the first voters of the cluster, this one among them; empty: this node alone
/// @param raftListener where other voters reach this one, `moldau.raft.listener`; null: nowhere, so it can only be
/// alone
/// @param electionTimeoutMinMs `controller.quorum.election.timeout.ms`, the shorter end of the range
/// @param electionTimeoutMaxMs the longer end
/// @param snapshotBytes `metadata.log.max.record.bytes.between.snapshots`
/// @param snapshotIntervalMs `metadata.log.max.snapshot.interval.ms`
/// @param raftProperties `raft.*` keys, passed through to Apache Ratis
public record MetadataQuorumConfig(
        int nodeId,
        @Nullable Uuid clusterId,
        Path directory,
        List<Voter> voters,
        @Nullable RaftListener raftListener,
        int electionTimeoutMinMs,
        int electionTimeoutMaxMs,
        long snapshotBytes,
        long snapshotIntervalMs,
        ControllerSettings controller,
        Map<String, String> raftProperties) {

    /// An address for the traffic between voters.
    public record RaftListener(String host, int port) {}

    public MetadataQuorumConfig {
        voters = List.copyOf(voters);
        raftProperties = Map.copyOf(raftProperties);
    }

    /// A quorum of this one node, with Kafka's defaults.
    public static MetadataQuorumConfig alone(
            int nodeId, @Nullable Uuid clusterId, Path directory, ControllerSettings controller) {
        return new MetadataQuorumConfig(
                nodeId, clusterId, directory, List.of(), null, 500, 1000, 20L << 20, 3_600_000, controller, Map.of());
    }
}
