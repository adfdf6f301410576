package io.moldau.ops.state;

import io.moldau.metadata.image.ClusterImage;
import io.moldau.metadata.image.MetadataImage;
import io.moldau.metadata.image.TopicImage;
import io.moldau.metadata.partition.PartitionRegistration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.ToIntFunction;
import org.jspecify.annotations.Nullable;

/// Whether a node may be stopped without anybody noticing: a function of what is known of the cluster.
///
/// Not safe is what would leave the metadata quorum without a majority, or a partition, of whose in-sync replicas the
/// node is one, with fewer of them than `min.insync.replicas` asks for (at most as many as it has replicas).
/// Brokers that are leaving count as gone. It says nothing of two nodes that are stopped at the same moment.
public final class SafeToStop {

    /// So many reasons are spelled out; the others are counted.
    private static final int MOST_REASONS = 20;

    /// The metadata quorum as its leader sees it.
    ///
    /// @param voters node ids
    /// @param alive those of them that were heard of lately
    public record Quorum(Set<Integer> voters, Set<Integer> alive) {

        public Quorum {
            voters = Set.copyOf(voters);
            alive = Set.copyOf(alive);
        }
    }

    /// @param reasons against stopping, at most a few of them
    /// @param blockedPartitions how many partitions are a reason
    /// @param quorumBlocked whether the quorum is one
    public record Verdict(boolean safe, List<String> reasons, int blockedPartitions, boolean quorumBlocked) {}

    private SafeToStop() {}

    /// @param quorum null if nobody could tell: then a voter is not safe to stop
    /// @param voter whether the node is a controller
    /// @param minInsync the topics' `min.insync.replicas`
    public static Verdict verdict(
            int nodeId, boolean voter, MetadataImage image, @Nullable Quorum quorum, ToIntFunction<String> minInsync) {
        List<String> reasons = new ArrayList<>();
        String againstQuorum = againstQuorum(nodeId, voter, quorum);
        if (againstQuorum != null) {
            reasons.add(againstQuorum);
        }
        int blocked = 0;
        for (TopicImage topic : image.topics().topics()) {
            int min = minInsync.applyAsInt(topic.name());
            for (var entry : topic.partitions().entrySet()) {
                String reason = againstPartition(
                        nodeId, topic.name() + "-" + entry.getKey(), entry.getValue(), min, image.cluster());
                if (reason != null) {
                    blocked++;
                    if (reasons.size() < MOST_REASONS) {
                        reasons.add(reason);
                    }
                }
            }
        }
        int told = reasons.size() - (againstQuorum == null ? 0 : 1);
        if (told < blocked) {
            reasons.add("and " + (blocked - told) + " more partitions");
        }
        return new Verdict(reasons.isEmpty(), List.copyOf(reasons), blocked, againstQuorum != null);
    }

    private static @Nullable String againstQuorum(int nodeId, boolean voter, @Nullable Quorum quorum) {
        if (quorum == null) {
            return voter ? "the state of the metadata quorum is not known: its leader does not answer" : null;
        }
        if (!quorum.voters().contains(nodeId)) {
            return null;
        }
        Set<Integer> left = new HashSet<>(quorum.voters());
        left.retainAll(quorum.alive());
        left.remove(nodeId);
        int needed = quorum.voters().size() / 2 + 1;
        return left.size() >= needed
                ? null
                : "the metadata quorum would have " + left.size() + " of "
                        + quorum.voters().size() + " voters, and needs " + needed;
    }

    private static @Nullable String againstPartition(
            int nodeId, String name, PartitionRegistration partition, int minInsync, ClusterImage cluster) {
        if (!partition.isr().contains(nodeId)) {
            return null;
        }
        int left = 0;
        for (int replica : partition.isr()) {
            if (replica != nodeId && cluster.isActive(replica)) {
                left++;
            }
        }
        int needed = Math.clamp(minInsync, 1, partition.replicas().size());
        if (left >= needed) {
            return null;
        }
        return left == 0
                ? name + " would be offline"
                : name + " would have " + left + " in-sync replicas, and needs " + needed;
    }
}
