package io.moldau.metadata.quorum.ratis;

import io.moldau.common.Uuid;
import io.moldau.metadata.quorum.Voter;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/// How this node takes part in the quorum.
///
/// @param directory holds the Raft log and snapshots; must hold nothing else
/// @param self this node as a voter
/// @param voters the first voters; a configuration stored in the log wins over this list. Empty for a node that became
/// a
///     voter later, or has yet to
/// @param rpcTimeoutMinMs a follower that hears nothing this long may stand for election; heartbeats go every half of
/// it
/// @param snapshotBytes a snapshot is due after so many bytes of entries
/// @param snapshotIntervalMs or after so much time, if there was any entry
/// @param raftProperties `raft.*` keys passed through to Ratis; they win over everything here
public record RatisQuorumConfig(
        Path directory,
        Uuid clusterId,
        Voter self,
        List<Voter> voters,
        int rpcTimeoutMinMs,
        int rpcTimeoutMaxMs,
        long snapshotBytes,
        long snapshotIntervalMs,
        Map<String, String> raftProperties) {

    public static final int DEFAULT_RPC_TIMEOUT_MIN_MS = 500;
    public static final int DEFAULT_RPC_TIMEOUT_MAX_MS = 1000;
}
