package io.moldau.metadata.partition;

import io.moldau.common.Uuid;
import io.moldau.metadata.record.DirectoryList;
import io.moldau.metadata.record.MetadataRecord;
import io.moldau.metadata.record.MetadataRecords;
import io.moldau.metadata.record.PartitionChangeRecord;
import io.moldau.metadata.record.ReplicaList;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.IntFunction;
import java.util.function.IntPredicate;

/// Builds the record that takes a partition from what it is to what it should be. On the way it completes a
/// reassignment whose new replicas are all in sync, keeps the eligible leaders and elects a leader.
///
/// The leader epoch rises with a new leader, when the leader has to begin anew and when a replica is taken away, so
/// that this one's fetches are refused. A change of the ISR raises the partition epoch only.
public final class PartitionChange {

    private final PartitionRegistration partition;
    private final Uuid topicId;
    private final int partitionId;
    private final IntPredicate active;
    private final PartitionRules rules;
    private IntFunction<Uuid> directories = id -> Uuid.ZERO;
    private List<Integer> replicas;
    private List<Integer> adding;
    private List<Integer> removing;
    private List<Integer> isr;
    private List<Integer> elr;
    private LeaderRecoveryState recoveryState;
    private final List<Integer> lost = new ArrayList<>(1);
    private int assigned = PartitionRegistration.NO_LEADER;
    private Uuid assignedDirectory = Uuid.ZERO;
    private LeaderElector.Mode mode = LeaderElector.Mode.ONLINE;
    private boolean newEpoch;
    private boolean newVersion;

    /// @param active whether a broker may lead
    public PartitionChange(
            PartitionRegistration partition, Uuid topicId, int partitionId, IntPredicate active, PartitionRules rules) {
        this.partition = partition;
        this.topicId = topicId;
        this.partitionId = partitionId;
        this.active = active;
        this.rules = rules;
        this.replicas = partition.replicas();
        this.adding = partition.addingReplicas();
        this.removing = partition.removingReplicas();
        this.isr = partition.isr();
        this.elr = partition.elr();
        this.recoveryState = partition.leaderRecoveryState();
    }

    public PartitionChange isr(List<Integer> members) {
        isr = List.copyOf(members);
        return this;
    }

    public PartitionChange withoutInIsr(int brokerId) {
        return isr(without(isr, List.of(brokerId)));
    }

    /// The broker may lack records it had: it leaves the ISR and is no eligible leader.
    public PartitionChange lost(int brokerId) {
        lost.add(brokerId);
        return withoutInIsr(brokerId);
    }

    /// The broker has its replica in that log directory.
    public PartitionChange directory(int brokerId, Uuid directory) {
        assigned = brokerId;
        assignedDirectory = directory;
        return this;
    }

    public PartitionChange recoveryState(LeaderRecoveryState state) {
        recoveryState = state;
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

    /// Starts a new partition epoch even if nothing changes, so that nothing is taken any more that was proposed
    /// on this one.
    public PartitionChange newVersion() {
        newVersion = true;
        return this;
    }

    /// Other replicas, some of them on their way in or out. The ISR is cut to them.
    ///
    /// @param directoryOf the log directory of a replica that is new, zero if its broker is to choose
    public PartitionChange assign(
            List<Integer> newReplicas,
            List<Integer> newAdding,
            List<Integer> newRemoving,
            IntFunction<Uuid> directoryOf) {
        replicas = List.copyOf(newReplicas);
        adding = List.copyOf(newAdding);
        removing = List.copyOf(newRemoving);
        directories = directoryOf;
        var members = new ArrayList<>(isr);
        members.retainAll(replicas);
        return isr(members);
    }

    /// The record, or nothing if nothing changes.
    public Optional<MetadataRecord> build() {
        completeReassignment();
        if (isr.isEmpty() && !rules.eligibleLeaders()) {
            // The last member stays, so that it may lead when it comes back: only it is known to have everything.
            isr = partition.isr().stream().filter(replicas::contains).toList();
        }
        elr = eligibleLeaders();
        LeaderElector.Choice choice = LeaderElector.choose(
                new LeaderElector.Candidates(partition.leader(), replicas, isr, elr, lastKnownLeader(), this::mayLead),
                mode);
        if (choice.unclean()) {
            // Nobody else may be counted on to have what this one has.
            isr = List.of(choice.leader());
            elr = List.of();
            recoveryState = LeaderRecoveryState.RECOVERING;
        } else if (choice.leader() != PartitionRegistration.NO_LEADER && isr.isEmpty()) {
            isr = List.of(choice.leader());
            elr = eligibleLeaders();
        }
        return record(choice);
    }

    private boolean mayLead(int brokerId) {
        return active.test(brokerId) && rules.directories().isOnline(brokerId, directory(brokerId));
    }

    private void completeReassignment() {
        if (adding.isEmpty() && removing.isEmpty()) {
            return;
        }
        List<Integer> remaining = without(isr, removing);
        if (!remaining.isEmpty() && remaining.containsAll(adding)) {
            isr = remaining;
            replicas = without(replicas, removing);
            adding = List.of();
            removing = List.of();
        }
    }

    /// Who left the ISR while it was too small for the high watermark to move, and so has every committed record.
    private List<Integer> eligibleLeaders() {
        if (!rules.eligibleLeaders() || isr.size() >= rules.minIsr(replicas.size())) {
            return List.of();
        }
        var eligible = new ArrayList<Integer>(replicas.size());
        for (Integer id : replicas) {
            if ((elr.contains(id) || partition.isr().contains(id)) && !isr.contains(id) && !lost.contains(id)) {
                eligible.add(id);
            }
        }
        return eligible;
    }

    private int lastKnownLeader() {
        return rules.eligibleLeaders() && partition.lastKnownElr().size() == 1
                ? partition.lastKnownElr().getFirst()
                : PartitionRegistration.NO_LEADER;
    }

    private List<Integer> lastKnownElr(int leader) {
        if (!rules.eligibleLeaders() || leader != PartitionRegistration.NO_LEADER) {
            return List.of();
        }
        return isr.isEmpty() && partition.hasLeader() ? List.of(partition.leader()) : partition.lastKnownElr();
    }

    private Optional<MetadataRecord> record(LeaderElector.Choice choice) {
        boolean newIsr = newVersion || !isr.equals(partition.isr());
        boolean newTerm = choice.leader() != partition.leader()
                || (newEpoch && choice.leader() != PartitionRegistration.NO_LEADER)
                || choice.unclean()
                || !replicas.containsAll(partition.replicas());
        boolean newDirectory =
                replicas.contains(assigned) && !partition.directory(assigned).equals(assignedDirectory);
        boolean newReplicas = !replicas.equals(partition.replicas());
        boolean newAdding = !adding.equals(partition.addingReplicas());
        boolean newRemoving = !removing.equals(partition.removingReplicas());
        boolean newElr = !elr.equals(partition.elr());
        List<Integer> lastKnown = lastKnownElr(choice.leader());
        boolean newLastKnown = !lastKnown.equals(partition.lastKnownElr());
        boolean newRecoveryState = recoveryState != partition.leaderRecoveryState();
        if (!(newIsr
                || newTerm
                || newReplicas
                || newDirectory
                || newAdding
                || newRemoving
                || newElr
                || newLastKnown
                || newRecoveryState)) {
            return Optional.empty();
        }
        var record = PartitionChangeRecord.newBuilder()
                .setTopicId(MetadataRecords.id(topicId))
                .setPartitionId(partitionId);
        if (newIsr) {
            record.setIsr(list(isr));
        }
        if (newTerm) {
            record.setLeader(choice.leader());
        }
        if (newReplicas) {
            record.setReplicas(list(replicas));
        }
        if (newReplicas || newDirectory) {
            record.setDirectories(DirectoryList.newBuilder()
                    .addAllIds(MetadataRecords.ids(
                            replicas.stream().map(this::directory).toList())));
        }
        if (newAdding) {
            record.setAddingReplicas(list(adding));
        }
        if (newRemoving) {
            record.setRemovingReplicas(list(removing));
        }
        if (newElr) {
            record.setEligibleLeaderReplicas(list(elr));
        }
        if (newLastKnown) {
            record.setLastKnownElr(list(lastKnown));
        }
        if (newRecoveryState) {
            record.setLeaderRecoveryState(recoveryState.toRecord());
        }
        return Optional.of(MetadataRecords.of(record.build()));
    }

    private Uuid directory(int brokerId) {
        if (brokerId == assigned) {
            return assignedDirectory;
        }
        return partition.replicas().contains(brokerId) ? partition.directory(brokerId) : directories.apply(brokerId);
    }

    private static ReplicaList list(List<Integer> ids) {
        return ReplicaList.newBuilder().addAllIds(ids).build();
    }

    private static List<Integer> without(List<Integer> ids, List<Integer> excluded) {
        var rest = new ArrayList<Integer>(ids.size());
        for (Integer id : ids) {
            if (!excluded.contains(id)) {
                rest.add(id);
            }
        }
        return rest;
    }
}
