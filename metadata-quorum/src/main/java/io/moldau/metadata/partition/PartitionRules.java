package io.moldau.metadata.partition;

import io.moldau.common.Uuid;

/// What the changes of one topic's partitions go by.
///
/// @param eligibleLeaders whether the partition keeps eligible leader replicas (KIP-966). Without them the last member
///     of an ISR stays in it, whatever becomes of its broker
/// @param minInsyncReplicas the topic's `min.insync.replicas`
/// @param uncleanElection the topic's `unclean.leader.election.enable`
/// @param directories which log directories work
public record PartitionRules(
        boolean eligibleLeaders, int minInsyncReplicas, boolean uncleanElection, Directories directories) {

    /// Knows whether a broker has a log directory that works.
    @FunctionalInterface
    public interface Directories {

        /// @param directory zero where the broker has not told where the replica is
        boolean isOnline(int brokerId, Uuid directory);
    }

    /// All directories work.
    public PartitionRules(boolean eligibleLeaders, int minInsyncReplicas, boolean uncleanElection) {
        this(eligibleLeaders, minInsyncReplicas, uncleanElection, (brokerId, directory) -> true);
    }

    /// From this size of the ISR on, the high watermark moves and replicas outside the ISR fall behind it.
    int minIsr(int replicas) {
        return Math.min(minInsyncReplicas, replicas);
    }

    public LeaderElector.Mode mode() {
        return uncleanElection ? LeaderElector.Mode.UNCLEAN : LeaderElector.Mode.ONLINE;
    }
}
