package io.moldau.metadata.quorum;

import java.util.List;

/// Who leads, as far as this node knows.
///
/// @param leaderId -1 if unknown
/// @param epoch the current term
/// @param leading whether this node leads; it may act only after [QuorumListener#onLeaderReady(int)]
public record QuorumState(int leaderId, int epoch, boolean leading, List<Voter> voters) {}
