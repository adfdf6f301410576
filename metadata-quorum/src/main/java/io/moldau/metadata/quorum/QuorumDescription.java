package io.moldau.metadata.quorum;

import io.moldau.common.Uuid;
import java.util.List;

/// How far every voter is, as the leader knows it.
///
/// @param leaderId -1 if unknown
/// @param highWatermark the first offset that is not committed
public record QuorumDescription(int leaderId, int epoch, long highWatermark, List<Replica> voters) {

    /// One follower of the metadata log.
    ///
    /// @param directoryId zero if it has none
    /// @param logEndOffset the first offset it does not have, -1 if unknown
    /// @param lastFetchMs when it was last heard of, wall clock, -1 if never
    /// @param lastCaughtUpMs when it last had everything the leader had, -1 if never
    public record Replica(int nodeId, Uuid directoryId, long logEndOffset, long lastFetchMs, long lastCaughtUpMs) {}
}
