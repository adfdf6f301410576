package io.moldau.metadata.quorum;

/// Events of the quorum worth counting. Called on threads of the quorum; must not block.
public interface QuorumMetrics {

    QuorumMetrics NONE = new QuorumMetrics() {};

    /// A batch of this node was committed and applied.
    default void committed(int bytes, long nanos) {}

    /// A batch computed in an earlier epoch was stopped before it reached the log.
    default void fenced() {}

    /// A committed entry claims another epoch than the term it was written in. Must never happen.
    default void epochMismatch() {}

    default void leaderChanged(int leaderId, int epoch) {}

    default void snapshotWritten(long bytes, long nanos) {}

    /// Connections to the other voters were opened anew because no leader had been seen for a while.
    default void channelsReset() {}
}
