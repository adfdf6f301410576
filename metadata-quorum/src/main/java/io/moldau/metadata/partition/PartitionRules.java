package io.moldau.metadata.partition;

/// What the changes of one topic's partitions go by.
///
/// @param eligibleLeaders whether the partition keeps eligible leader replicas (KIP-966). Without them the last member
///     of an ISR stays in it, whatever becomes of its broker
/// @param minInsyncReplicas the topic's `min.insync.replicas`
/// @param uncleanElection the topic's `unclean.leader.election.enable`
public record PartitionRules(boolean eligibleLeaders, int minInsyncReplicas, boolean uncleanElection) {

    /// From this size of the ISR on, the high watermark moves and replicas outside the ISR fall behind it.
    int minIsr(int replicas) {
        return Math.min(minInsyncReplicas, replicas);
    }

    public LeaderElector.Mode mode() {
        return uncleanElection ? LeaderElector.Mode.UNCLEAN : LeaderElector.Mode.ONLINE;
    }
}
