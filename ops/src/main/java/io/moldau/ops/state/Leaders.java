package io.moldau.ops.state;

import io.moldau.metadata.image.ClusterImage;
import io.moldau.metadata.image.TopicImage;
import io.moldau.metadata.partition.PartitionRegistration;

/// Who leads a partition, as clients are told. Functions.
public final class Leaders {

    private Leaders() {}

    /// The leader if it serves, else [PartitionRegistration#NO_LEADER]: a partition stays with its only replica also
    /// while that is away.
    public static int serving(ClusterImage cluster, PartitionRegistration partition) {
        return partition.hasLeader() && cluster.isUnfenced(partition.leader())
                ? partition.leader()
                : PartitionRegistration.NO_LEADER;
    }

    /// Whether nobody can write to it or read it.
    public static boolean isOffline(ClusterImage cluster, PartitionRegistration partition) {
        return serving(cluster, partition) == PartitionRegistration.NO_LEADER;
    }

    /// How many partitions of a topic are.
    public static int offline(ClusterImage cluster, TopicImage topic) {
        return (int) topic.partitions().values().stream()
                .filter(partition -> isOffline(cluster, partition))
                .count();
    }
}
