package io.moldau.sim;

import io.moldau.broker.coordinator.group.OffsetsTopic;
import io.moldau.broker.coordinator.runtime.KeyHash;
import io.moldau.broker.coordinator.transaction.TransactionsTopic;
import io.moldau.broker.replica.Partition;
import io.moldau.common.TopicIdPartition;
import io.moldau.common.TopicPartition;
import io.moldau.metadata.image.MetadataImage;
import io.moldau.metadata.image.TopicImage;
import io.moldau.metadata.partition.PartitionRegistration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// What must hold after every step. Looks at the node at which something has just happened and keeps
/// what it saw, so that a look costs little while nothing changes there.
final class Checks {

    private final SimulatedCluster cluster;
    private final LogChecker logs;
    private final CommitChecker commits;
    private final LeaderChecker leaders;
    private final MetadataChecker metadata;
    private final GroupChecker groups;
    private final TransactionChecker transactions;
    private final Map<Partition, Watched> watched = new IdentityHashMap<>();

    Checks(SimulatedCluster cluster) {
        this.cluster = cluster;
        this.logs = new LogChecker(cluster);
        this.commits = new CommitChecker(cluster, logs);
        this.leaders = new LeaderChecker(cluster, logs, commits);
        this.metadata = new MetadataChecker(cluster);
        this.groups = new GroupChecker(cluster);
        this.transactions = new TransactionChecker(cluster);
    }

    LogChecker logs() {
        return logs;
    }

    CommitChecker commits() {
        return commits;
    }

    MetadataChecker metadata() {
        return metadata;
    }

    TransactionChecker transactions() {
        return transactions;
    }

    GroupChecker groups() {
        return groups;
    }

    /// Something happened at this machine, or to the quorum.
    void afterStep(@Nullable Machine machine) {
        metadata.followQuorum();
        if (machine instanceof SimulatedNode node) {
            SimulatedNode.Process process = node.process();
            SimulatedNode.Broker broker = process == null ? null : process.broker();
            if (broker != null) {
                look(node, broker);
            }
        }
    }

    private void look(SimulatedNode node, SimulatedNode.Broker broker) {
        metadata.look(node, broker);
        for (Partition partition : broker.partitions().onlinePartitions()) {
            Watched it = watched.get(partition);
            boolean first = it == null;
            if (it == null) {
                var id = new TopicIdPartition(partition.topicId(), partition.topicPartition());
                it = new Watched(node, id, logs.watch(node, id), new LeaderChecker.Seen());
                watched.put(partition, it);
            }
            logs.look(node, it.id(), partition, it.log());
            if (first) {
                logs.mirror(node.id(), it.id()).isHere();
            }
            leaders.look(node, it.id(), partition, it.leader());
        }
    }

    /// What is known of one replica of a process.
    private record Watched(SimulatedNode node, TopicIdPartition id, LogChecker.Seen log, LeaderChecker.Seen leader) {}

    /// The quorum has committed another state of a partition.
    void registered(TopicIdPartition id, PartitionRegistration now, @Nullable PartitionRegistration before) {
        if (before != null) {
            for (int replica : before.replicas()) {
                if (!now.replicas().contains(replica)) {
                    logs.mirror(replica, id).takenAway();
                }
            }
        }
        leaders.registered(id, now);
    }

    void crashed(SimulatedNode node, boolean lostPower) {
        logs.crashed(node, lostPower);
        watched.values().removeIf(it -> it.node() == node);
        metadata.crashed(node);
    }

    void acknowledged(
            TopicIdPartition partition, int leader, int producer, int firstSequence, int count, long baseOffset) {
        commits.acknowledged(partition, leader, producer, firstSequence, count, baseOffset);
    }

    void consumed(TopicIdPartition partition, long expected, long offset, long content) {
        commits.consumed(partition, expected, offset, content);
    }

    void sawHighWatermark(
            SimulatedClient client, TopicIdPartition partition, int leader, int leaderEpoch, long highWatermark) {
        leaders.sawHighWatermark(client, partition, leader, leaderEpoch, highWatermark);
    }

    static boolean isInternal(TopicIdPartition partition) {
        return partition.topic().equals(OffsetsTopic.NAME) || partition.topic().equals(TransactionsTopic.NAME);
    }

    /// Whether the node leads the partition, as committed. One that led it before may not know so yet, and answer.
    boolean leads(int node, TopicIdPartition partition) {
        TopicImage topic = metadata.image().topics().topic(partition.topicId());
        PartitionRegistration registration = topic == null ? null : topic.partition(partition.partition());
        return registration != null && registration.leader() == node;
    }

    /// Whether the node coordinates what has that key.
    boolean leads(int node, String topicName, String key) {
        TopicImage topic = metadata.image().topics().topic(topicName);
        if (topic == null) {
            return false;
        }
        int partition = KeyHash.partitionFor(key, topic.partitions().size());
        return leads(node, new TopicIdPartition(topic.id(), new TopicPartition(topicName, partition)));
    }

    /// When all is quiet: every replica of every partition in the metadata holds the same.
    void finalLook(MetadataImage image) {
        for (SimulatedNode node : cluster.nodes()) {
            afterStep(node);
        }
        image.topics()
                .topics()
                .forEach(topic -> topic.partitions().forEach((number, registration) -> {
                    var id = new TopicIdPartition(topic.id(), new TopicPartition(topic.name(), number));
                    List<ReplicaMirror> mirrors = new ArrayList<>();
                    for (int replica : registration.replicas()) {
                        mirrors.add(logs.mirror(replica, id));
                    }
                    commits.finalLook(id, mirrors);
                }));
        transactions.finalLook();
    }

    /// Something that is kept for each replica.
    record Replica(int node, TopicIdPartition partition) {}

    static <V> Map<Replica, V> byReplica() {
        return new HashMap<>();
    }
}
