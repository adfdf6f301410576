package io.moldau.sim;

import io.moldau.broker.replica.HostedPartition;
import io.moldau.broker.replica.LeaderState;
import io.moldau.broker.replica.Partition;
import io.moldau.common.TopicIdPartition;
import io.moldau.metadata.image.TopicImage;
import io.moldau.metadata.partition.PartitionRegistration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// One leader for each epoch; its high watermark never falls and is never above what the in-sync
/// replicas have. What the controller has committed as in sync, the leader of that epoch counts as in
/// sync: the committed ISR is within the maximal ISR.
final class LeaderChecker {

    private record Epoch(TopicIdPartition partition, int leaderEpoch) {}

    /// A replica's role as last looked at.
    static final class Seen {
        private int leaderEpoch = -1;
        private boolean leads;
        private long highWatermark = -1;
        private long lastStable = -1;
        private @Nullable PartitionRegistration registration;
    }

    private record ClientView(int client, Epoch epoch) {}

    private final SimulatedCluster cluster;
    private final LogChecker logs;
    private final CommitChecker commits;
    private final Map<Epoch, Integer> leaders = new HashMap<>();
    private final Map<ClientView, Long> clients = new HashMap<>();

    LeaderChecker(SimulatedCluster cluster, LogChecker logs, CommitChecker commits) {
        this.cluster = cluster;
        this.logs = logs;
        this.commits = commits;
    }

    void look(SimulatedNode node, TopicIdPartition id, Partition partition, Seen seen) {
        boolean leads = partition.isLeader();
        int epoch = partition.leaderEpoch();
        long highWatermark = partition.highWatermark();
        long lastStable = partition.lastStableOffset();
        PartitionRegistration registration = leads ? committed(id) : null;
        if (leads == seen.leads
                && epoch == seen.leaderEpoch
                && highWatermark == seen.highWatermark
                && lastStable == seen.lastStable
                && registration == seen.registration) {
            return;
        }
        boolean elected = leads && (!seen.leads || epoch != seen.leaderEpoch);
        if (leads != seen.leads || epoch != seen.leaderEpoch) {
            cluster.log()
                    .note(
                            node,
                            leads ? "leads" : "follows",
                            id.topicPartition() + " epoch " + epoch + " leader " + partition.leaderId(),
                            highWatermark,
                            partition.logEndOffset());
        }
        if (elected) {
            elected(node, id, epoch);
        } else if (leads && highWatermark < seen.highWatermark) {
            cluster.fail(
                    "the high watermark of " + id.topicPartition() + " at " + node + " fell in epoch " + epoch
                            + " from " + seen.highWatermark + " to " + highWatermark,
                    null);
        }
        if (leads) {
            if (highWatermark != seen.highWatermark) {
                cluster.log().note(node, "committed", id.topicPartition(), highWatermark, partition.logEndOffset());
            }
            if (registration != null) {
                withinMaximal(node, id, partition, registration);
            }
            inSync(node, id, epoch, highWatermark, registration);
            commits.committed(node, id, epoch, (int) highWatermark);
            cluster.checks()
                    .transactions()
                    .lastStable(
                            node,
                            id,
                            highWatermark,
                            lastStable,
                            logs.mirror(node.id(), id),
                            logs.loadedUpTo(node.id(), id));
        }
        seen.leads = leads;
        seen.leaderEpoch = epoch;
        seen.highWatermark = highWatermark;
        seen.lastStable = lastStable;
        seen.registration = registration;
    }

    private @Nullable PartitionRegistration committed(TopicIdPartition id) {
        TopicImage topic = cluster.checks().metadata().image().topics().topic(id.topicId());
        return topic == null ? null : topic.partition(id.partition());
    }

    private void elected(SimulatedNode node, TopicIdPartition id, int epoch) {
        Integer other = leaders.putIfAbsent(new Epoch(id, epoch), node.id());
        if (other != null && other != node.id()) {
            cluster.fail(
                    "nodes " + other + " and " + node.id() + " both lead " + id.topicPartition() + " in epoch " + epoch,
                    null);
        }
        commits.elected(node, id, epoch);
    }

    /// The quorum has committed another state of the partition.
    void registered(TopicIdPartition id, PartitionRegistration registration) {
        if (!registration.hasLeader()) {
            return;
        }
        SimulatedNode node = cluster.node(registration.leader());
        SimulatedNode.Process process = node.process();
        SimulatedNode.Broker broker = process == null ? null : process.broker();
        if (broker != null
                && broker.partitions().get(id.topicPartition()) instanceof HostedPartition.Online(Partition partition)
                && partition.topicId().equals(id.topicId())) {
            withinMaximal(node, id, partition, registration);
        }
    }

    private void withinMaximal(
            SimulatedNode node, TopicIdPartition id, Partition partition, PartitionRegistration registration) {
        LeaderState state = partition.leaderState();
        if (state == null || state.leaderEpoch() != registration.leaderEpoch()) {
            return;
        }
        List<Integer> maximal = state.maximalIsr();
        if (!maximal.containsAll(registration.isr())) {
            cluster.fail(
                    "the committed ISR of " + id.topicPartition() + " has members that its leader " + node
                            + " does not wait for: " + maximal + "; " + registration,
                    null);
        }
    }

    private void inSync(
            SimulatedNode node,
            TopicIdPartition id,
            int epoch,
            long highWatermark,
            @Nullable PartitionRegistration registration) {
        if (registration == null || registration.leaderEpoch() != epoch) {
            return;
        }
        for (int member : registration.isr()) {
            ReplicaMirror mirror = logs.mirror(member, id);
            if (mirror.size() >= highWatermark) {
                if (member != node.id() && mirror.isLossy()) {
                    mirror.caughtUp();
                }
            } else if (!mirror.isLossUnknown(cluster.checks().metadata().brokerEpoch(member))) {
                cluster.fail(
                        "the high watermark " + highWatermark + " of " + id.topicPartition() + " at " + node
                                + " is above what node " + member + " has, which is in sync: " + mirror.size() + "; "
                                + registration,
                        null);
            }
        }
    }

    void sawHighWatermark(
            SimulatedClient client, TopicIdPartition partition, int leader, int leaderEpoch, long highWatermark) {
        var view = new ClientView(client.id(), new Epoch(partition, leaderEpoch));
        long before = clients.merge(view, highWatermark, Math::max);
        if (before > highWatermark) {
            cluster.fail(
                    client + " sees the high watermark of " + partition.topicPartition() + " fall from " + before
                            + " to " + highWatermark + " at node " + leader + " in epoch " + leaderEpoch,
                    null);
        }
    }
}
