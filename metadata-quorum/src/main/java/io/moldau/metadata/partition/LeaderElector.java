package io.moldau.metadata.partition;

import java.util.List;
import java.util.function.IntPredicate;

/// Chooses who leads a partition.
public final class LeaderElector {

    /// What may be done to get a leader.
    public enum Mode {
        /// The preferred replica if it can lead; else as [#ONLINE].
        PREFERRED,
        /// A leader that can lead stays; else the first replica that is in sync or an eligible leader.
        ONLINE,
        /// As [#ONLINE]; else any replica that is up, though it may lack committed records.
        UNCLEAN
    }

    /// @param leader the broker, or [PartitionRegistration#NO_LEADER]
    /// @param unclean whether committed records may be lost by it
    public record Choice(int leader, boolean unclean) {}

    private LeaderElector() {}

    /// @param replicas in order of preference
    /// @param isr the in-sync replicas the partition is about to have
    /// @param active whether a broker may lead at all
    public static Choice choose(
            PartitionRegistration partition,
            List<Integer> replicas,
            List<Integer> isr,
            IntPredicate active,
            Mode mode) {
        IntPredicate clean =
                id -> active.test(id) && (isr.contains(id) || partition.elr().contains(id));
        if (mode == Mode.PREFERRED && !replicas.isEmpty() && clean.test(replicas.getFirst())) {
            return new Choice(replicas.getFirst(), false);
        }
        if (partition.hasLeader() && replicas.contains(partition.leader()) && clean.test(partition.leader())) {
            return new Choice(partition.leader(), false);
        }
        for (int id : replicas) {
            if (clean.test(id)) {
                return new Choice(id, false);
            }
        }
        if (mode == Mode.UNCLEAN) {
            for (int id : partition.lastKnownElr()) {
                if (replicas.contains(id) && active.test(id)) {
                    return new Choice(id, true);
                }
            }
            for (int id : replicas) {
                if (active.test(id)) {
                    return new Choice(id, true);
                }
            }
        }
        return new Choice(PartitionRegistration.NO_LEADER, false);
    }
}
