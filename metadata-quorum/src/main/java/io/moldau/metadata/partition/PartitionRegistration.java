package io.moldau.metadata.partition;

import io.moldau.common.Uuid;
import io.moldau.metadata.record.Id;
import io.moldau.metadata.record.MetadataRecords;
import io.moldau.metadata.record.PartitionChangeRecord;
import io.moldau.metadata.record.PartitionRecord;
import java.util.List;

/// What the controller has decided about one partition.
///
/// @param replicas in order of preference; the first is the preferred leader
/// @param directories the log directory of each replica, in the order of `replicas`
/// @param isr the in-sync replicas
/// @param removingReplicas leaving in a reassignment that is going on
/// @param addingReplicas joining in a reassignment that is going on
/// @param elr eligible leader replicas: not in sync, yet known to hold every committed record (KIP-966)
/// @param lastKnownElr the leader that was lost last, for an unclean choice
/// @param leader a broker id or [#NO_LEADER]
/// @param leaderEpoch rises with every election, even of the same leader
/// @param partitionEpoch rises with every change; guards AlterPartition
public record PartitionRegistration(
        List<Integer> replicas,
        List<Uuid> directories,
        List<Integer> isr,
        List<Integer> removingReplicas,
        List<Integer> addingReplicas,
        List<Integer> elr,
        List<Integer> lastKnownElr,
        int leader,
        LeaderRecoveryState leaderRecoveryState,
        int leaderEpoch,
        int partitionEpoch) {

    public static final int NO_LEADER = -1;

    public static PartitionRegistration from(PartitionRecord record) {
        return new PartitionRegistration(
                ints(record.getReplicasList()),
                MetadataRecords.uuids(record.getDirectoriesList()),
                ints(record.getIsrList()),
                ints(record.getRemovingReplicasList()),
                ints(record.getAddingReplicasList()),
                ints(record.getEligibleLeaderReplicasList()),
                ints(record.getLastKnownElrList()),
                record.getLeader(),
                LeaderRecoveryState.of(record.getLeaderRecoveryState()),
                record.getLeaderEpoch(),
                record.getPartitionEpoch());
    }

    /// The registration after a change.
    public PartitionRegistration merge(PartitionChangeRecord change) {
        List<Integer> newReplicas =
                change.hasReplicas() ? ints(change.getReplicas().getIdsList()) : replicas;
        List<Uuid> newDirectories = change.hasDirectories()
                ? MetadataRecords.uuids(change.getDirectories().getIdsList())
                : directories;
        return new PartitionRegistration(
                newReplicas,
                newDirectories,
                change.hasIsr() ? ints(change.getIsr().getIdsList()) : isr,
                change.hasRemovingReplicas() ? ints(change.getRemovingReplicas().getIdsList()) : removingReplicas,
                change.hasAddingReplicas() ? ints(change.getAddingReplicas().getIdsList()) : addingReplicas,
                change.hasEligibleLeaderReplicas()
                        ? ints(change.getEligibleLeaderReplicas().getIdsList())
                        : elr,
                change.hasLastKnownElr() ? ints(change.getLastKnownElr().getIdsList()) : lastKnownElr,
                change.hasLeader() ? change.getLeader() : leader,
                change.hasLeaderRecoveryState()
                        ? LeaderRecoveryState.of(change.getLeaderRecoveryState())
                        : leaderRecoveryState,
                change.hasLeader() ? leaderEpoch + 1 : leaderEpoch,
                partitionEpoch + 1);
    }

    public PartitionRecord toRecord(Id topicId, int partitionId) {
        return PartitionRecord.newBuilder()
                .setTopicId(topicId)
                .setPartitionId(partitionId)
                .addAllReplicas(replicas)
                .addAllDirectories(MetadataRecords.ids(directories))
                .addAllIsr(isr)
                .addAllRemovingReplicas(removingReplicas)
                .addAllAddingReplicas(addingReplicas)
                .addAllEligibleLeaderReplicas(elr)
                .addAllLastKnownElr(lastKnownElr)
                .setLeader(leader)
                .setLeaderRecoveryState(leaderRecoveryState.toRecord())
                .setLeaderEpoch(leaderEpoch)
                .setPartitionEpoch(partitionEpoch)
                .build();
    }

    public boolean hasLeader() {
        return leader != NO_LEADER;
    }

    /// The replica that should lead when all are well.
    public int preferredReplica() {
        return replicas.isEmpty() ? NO_LEADER : replicas.getFirst();
    }

    /// The log directory the broker keeps this replica in, or zero if it is not a replica or none is assigned.
    public Uuid directory(int brokerId) {
        int i = replicas.indexOf(brokerId);
        return i < 0 || i >= directories.size() ? Uuid.ZERO : directories.get(i);
    }

    public boolean isReassigning() {
        return !removingReplicas.isEmpty() || !addingReplicas.isEmpty();
    }

    private static List<Integer> ints(List<Integer> list) {
        return List.copyOf(list);
    }
}
