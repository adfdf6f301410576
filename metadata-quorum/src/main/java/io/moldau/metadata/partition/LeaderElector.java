package io.moldau.metadata.partition;

import java.util.List;
import java.util.function.IntPredicate;

/// Chooses who leads a partition.
public final class LeaderElector {

    /// What may be done to get a leader.
    public enum Mode {
        /// The preferred replica if it can lead; else as [#ONLINE].
        PREFERRED,
        /// A leader that can lead stays; else the first replica that is in sync or, if none is, an eligible leader.
        ONLINE,
        /// As [#ONLINE]; else any replica that is up, though it may lack committed records.
        UNCLEAN
    }

    /// @param leader the broker, or [PartitionRegistration#NO_LEADER]
    /// @param unclean whether committed records may be lost by it
    public record Choice(int leader, boolean unclean) {}

    /// Between whom to choose.
    ///
    /// @param leader who leads now, or [PartitionRegistration#NO_LEADER]
    /// @param replicas in order of preference
    /// @param isr the in-sync replicas the partition is about to have
    /// @param elr the eligible leaders it is about to have
    /// @param lastKnownLeader who led when the last in-sync replica was lost, or
    ///     [PartitionRegistration#NO_LEADER]. When nobody is known to have every record it is the
    ///     best guess, and is elected without being asked for (KIP-966)
    /// @param active whether a broker may lead at all
    public record Candidates(
            int leader,
            List<Integer> replicas,
            List<Integer> isr,
            List<Integer> elr,
            int lastKnownLeader,
            IntPredicate active) {

        private boolean isClean(int id) {
            return active.test(id) && (isr.contains(id) || (isr.isEmpty() && elr.contains(id)));
        }
    }

    private LeaderElector() {}

    public static Choice choose(Candidates candidates, Mode mode) {
        List<Integer> replicas = candidates.replicas();
        if (mode == Mode.PREFERRED && !replicas.isEmpty() && candidates.isClean(replicas.getFirst())) {
            return new Choice(replicas.getFirst(), false);
        }
        int leader = candidates.leader();
        if (leader != PartitionRegistration.NO_LEADER && replicas.contains(leader) && candidates.isClean(leader)) {
            return new Choice(leader, false);
        }
        for (int id : replicas) {
            if (candidates.isClean(id)) {
                return new Choice(id, false);
            }
        }
        int last = candidates.lastKnownLeader();
        if (last != PartitionRegistration.NO_LEADER
                && candidates.isr().isEmpty()
                && candidates.elr().isEmpty()
                && replicas.contains(last)
                && candidates.active().test(last)) {
            return new Choice(last, true);
        }
        if (mode == Mode.UNCLEAN) {
            for (int id : replicas) {
                if (candidates.active().test(id)) {
                    return new Choice(id, true);
                }
            }
        }
        return new Choice(PartitionRegistration.NO_LEADER, false);
    }
}
