package io.moldau.broker.replica;

import io.moldau.broker.replica.LeaderState.IsrProposal;

/// Carries a leader's proposals of another ISR to the controller, and the answers back to the partition.
///
/// Called inside the partition's mailbox: must only take note of the proposal.
@FunctionalInterface
public interface IsrProposals {

    void propose(Partition partition, IsrProposal proposal);
}
