package io.moldau.metadata.partition;

import io.moldau.common.Uuid;
import io.moldau.metadata.record.MetadataRecord;
import io.moldau.metadata.record.MetadataRecords;
import io.moldau.metadata.record.PartitionChangeRecord;
import io.moldau.metadata.record.ReplicaList;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.IntPredicate;

/// Builds the record that takes a partition from what it is to what it should be, electing a leader on the way.
public final class PartitionChange {

    private final PartitionRegistration partition;
    private final Uuid topicId;
    private final int partitionId;
    private final IntPredicate active;
    private List<Integer> targetIsr;
    private LeaderRecoveryState targetRecoveryState;
    private LeaderElector.Mode mode = LeaderElector.Mode.ONLINE;
    private boolean newEpoch;

    /// @param active whether a broker may lead
    public PartitionChange(PartitionRegistration partition, Uuid topicId, int partitionId, IntPredicate active) {
        this.partition = partition;
        this.topicId = topicId;
        this.partitionId = partitionId;
        this.active = active;
        this.targetIsr = partition.isr();
        this.targetRecoveryState = partition.leaderRecoveryState();
    }

    public PartitionChange isr(List<Integer> isr) {
        targetIsr = List.copyOf(isr);
        return this;
    }

    public PartitionChange withoutInIsr(int brokerId) {
        var isr = new ArrayList<>(targetIsr);
        isr.removeIf(id -> id == brokerId);
        return isr(isr);
    }

    public PartitionChange recoveryState(LeaderRecoveryState state) {
        targetRecoveryState = state;
        return this;
    }

    public PartitionChange mode(LeaderElector.Mode electionMode) {
        mode = electionMode;
        return this;
    }

    /// Starts a new leader epoch even if the leader stays.
    public PartitionChange newEpoch() {
        newEpoch = true;
        return this;
    }

    /// The record, or nothing if nothing changes.
    public Optional<MetadataRecord> build() {
        LeaderElector.Choice choice = LeaderElector.choose(partition, partition.replicas(), targetIsr, active, mode);
        List<Integer> isr = targetIsr;
        LeaderRecoveryState recovery = targetRecoveryState;
        if (choice.unclean()) {
            // Nobody else may be counted on to have what this one has.
            isr = List.of(choice.leader());
            recovery = LeaderRecoveryState.RECOVERING;
        } else if (choice.leader() != PartitionRegistration.NO_LEADER && !isr.contains(choice.leader())) {
            isr = List.of(choice.leader()); // an eligible leader that was not in sync
        }
        var record = PartitionChangeRecord.newBuilder()
                .setTopicId(MetadataRecords.id(topicId))
                .setPartitionId(partitionId);
        boolean changed = false;
        // The last member stays, so that it may lead when it comes back: only it is known to have everything.
        if (!isr.isEmpty() && !isr.equals(partition.isr())) {
            record.setIsr(ReplicaList.newBuilder().addAllIds(isr));
            changed = true;
        }
        if (choice.leader() != partition.leader()
                || (newEpoch && choice.leader() != PartitionRegistration.NO_LEADER)
                || choice.unclean()) {
            record.setLeader(choice.leader());
            changed = true;
        }
        if (recovery != partition.leaderRecoveryState()) {
            record.setLeaderRecoveryState(recovery.toRecord());
            changed = true;
        }
        return changed ? Optional.of(MetadataRecords.of(record.build())) : Optional.empty();
    }
}
