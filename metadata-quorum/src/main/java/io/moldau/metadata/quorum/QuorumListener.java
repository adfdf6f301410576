package io.moldau.metadata.quorum;

/// What the quorum tells the controller.
///
/// Called on threads of the quorum, partly while it holds its own locks: an implementation only enqueues. It must not
/// call the quorum, take a lock or block.
public interface QuorumListener {

    /// This node leads in `epoch`, and its image holds everything from earlier epochs. The controller may act. The
    /// news
    /// can be old when it is read: compare with [MetadataQuorum#state()].
    void onLeaderReady(int epoch);

    /// This node does not lead any more.
    void onLeadershipLost();

    /// The quorum has another leader than before, or none (-1).
    void onLeaderChanged(int leaderId);
}
