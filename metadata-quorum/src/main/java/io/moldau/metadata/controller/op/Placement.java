package io.moldau.metadata.controller.op;

import io.moldau.common.ApiException;
import io.moldau.common.Errors;
import io.moldau.common.Uuid;
import io.moldau.metadata.image.BrokerRegistration;
import io.moldau.metadata.image.ClusterImage;
import io.moldau.metadata.partition.LeaderRecoveryState;
import io.moldau.metadata.partition.PartitionRegistration;
import io.moldau.metadata.partition.ReplicaPlacer;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;

/// Turns replica lists, chosen or given, into new partitions.
final class Placement {

    private Placement() {}

    /// Who can be given replicas: everyone who is not about to leave and has a directory for them.
    static List<ReplicaPlacer.UsableBroker> usableBrokers(ClusterImage cluster) {
        var usable = new ArrayList<ReplicaPlacer.UsableBroker>();
        for (BrokerRegistration broker : cluster.brokers()) {
            if (!broker.inControlledShutdown() && broker.takesReplicas()) {
                usable.add(new ReplicaPlacer.UsableBroker(broker.id(), broker.rack(), broker.fenced()));
            }
        }
        return usable;
    }

    /// Checks a replica list that a client wrote.
    ///
    /// @param replicationFactor what the list's length has to be, or 0 if any will do
    static void checkManual(ClusterImage cluster, List<Integer> replicas, int replicationFactor) {
        if (replicas.isEmpty()) {
            throw invalid("The manual partition assignment includes an empty replica list.");
        }
        var seen = new HashSet<Integer>();
        for (int id : replicas) {
            BrokerRegistration broker = cluster.broker(id);
            if (broker == null) {
                throw invalid("The manual partition assignment includes broker " + id
                        + ", but no such broker is registered.");
            }
            if (!broker.takesReplicas()) {
                throw invalid("The manual partition assignment includes broker " + id
                        + ", but all its log directories are cordoned.");
            }
            if (!seen.add(id)) {
                throw invalid("The manual partition assignment includes the broker " + id + " more than once.");
            }
        }
        if (replicationFactor != 0 && replicas.size() != replicationFactor) {
            throw invalid("The manual partition assignment includes a partition with " + replicas.size()
                    + " replica(s), but this is not consistent with previous partitions, which have "
                    + replicationFactor + " replica(s).");
        }
    }

    /// A new partition: every replica that is up is in sync, the first of them leads.
    static PartitionRegistration newPartition(ClusterImage cluster, List<Integer> replicas, int partition) {
        List<Integer> isr = replicas.stream().filter(cluster::isActive).toList();
        if (isr.isEmpty()) {
            throw invalid("All brokers specified in the manual partition assignment for partition " + partition
                    + " are fenced or in controlled shutdown.");
        }
        List<Uuid> directories =
                replicas.stream().map(id -> onlyDirectory(cluster, id)).toList();
        return new PartitionRegistration(
                List.copyOf(replicas),
                directories,
                isr,
                List.of(),
                List.of(),
                List.of(),
                List.of(),
                isr.getFirst(),
                LeaderRecoveryState.RECOVERED,
                0,
                0);
    }

    /// The broker's log directory if it has exactly one; else the broker chooses and tells (KIP-858).
    static Uuid onlyDirectory(ClusterImage cluster, int brokerId) {
        BrokerRegistration broker = cluster.broker(brokerId);
        return broker != null && broker.logDirs().size() == 1 ? broker.logDirs().getFirst() : Uuid.ZERO;
    }

    private static ApiException invalid(String message) {
        return new ApiException(Errors.INVALID_REPLICA_ASSIGNMENT, message);
    }
}
