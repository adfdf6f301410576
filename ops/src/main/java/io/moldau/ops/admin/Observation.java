package io.moldau.ops.admin;

import io.moldau.broker.NodeView;
import io.moldau.broker.config.ClusterKeys;
import io.moldau.broker.metadata.TopicNames;
import io.moldau.broker.replica.HostedPartition;
import io.moldau.common.Errors;
import io.moldau.common.TopicPartition;
import io.moldau.log.LogView;
import io.moldau.log.dir.LogRecovery;
import io.moldau.metadata.controller.ControllerContext;
import io.moldau.metadata.image.BrokerRegistration;
import io.moldau.metadata.image.ClusterImage;
import io.moldau.metadata.image.MetadataImage;
import io.moldau.metadata.image.TopicImage;
import io.moldau.metadata.partition.PartitionRegistration;
import io.moldau.ops.report.QuorumReport;
import io.moldau.ops.state.LeaderReads;
import io.moldau.ops.state.Leaders;
import io.moldau.ops.state.SafeToStop;
import io.moldau.wire.message.DescribeQuorumRequestData;
import io.moldau.wire.message.DescribeQuorumResponseData;
import io.moldau.wire.message.DescribeQuorumResponseData.ReplicaState;
import io.moldau.wire.protocol.Message;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/// Answers questions about the cluster and this node from what the node knows. Every method may take as long as the
/// active controller takes to answer, and no longer than two seconds.
final class Observation {

    private static final long ANSWER_MS = 2_000;
    private static final int MANY_TIMES = 3;

    private final NodeView node;
    private final LeaderReads leaders;
    private final String version;

    Observation(NodeView node, LeaderReads leaders, String version) {
        this.node = node;
        this.leaders = leaders;
        this.version = version;
    }

    Answers.Ready ready() {
        List<String> reasons = new ArrayList<>();
        if (node.stopping().getAsBoolean()) {
            reasons.add("the node is stopping");
        } else if (!node.serving().getAsBoolean()) {
            reasons.add(
                    node.broker() == null
                            ? "the controller has not joined its quorum"
                            : "the broker is fenced: it has not caught up with the metadata, or has lost its controller");
        }
        NodeView.Broker broker = node.broker();
        if (broker != null && node.isRecovering()) {
            LogRecovery.Progress progress = broker.logs().recovery().progress();
            reasons.add("recovering: " + progress.logsLeft() + " of " + progress.logs()
                    + " logs are still to be checked after a crash, " + progress.bytesLeft() + " of " + progress.bytes()
                    + " bytes; all others are served");
        }
        return new Answers.Ready(reasons.isEmpty(), reasons);
    }

    Answers.Safe safeToStop() {
        SafeToStop.Verdict verdict = SafeToStop.verdict(
                node.config().nodeId(),
                node.config().isController(),
                node.image().get(),
                node.config().isController() ? quorumForStop() : null,
                node.minInsyncReplicas());
        return new Answers.Safe(
                verdict.safe(), verdict.reasons(), verdict.blockedPartitions(), verdict.quorumBlocked());
    }

    /// Whom the quorum's leader has heard of lately, by its own clock. Null if there is no leader that answers.
    private SafeToStop.@Nullable Quorum quorumForStop() {
        DescribeQuorumResponseData.PartitionData described = describeQuorum();
        if (described == null) {
            return null;
        }
        Set<Integer> voters = new HashSet<>();
        long leaderMs = -1;
        for (ReplicaState voter : described.currentVoters()) {
            voters.add(voter.replicaId());
            if (voter.replicaId() == described.leaderId()) {
                leaderMs = voter.lastFetchTimestamp();
            }
        }
        long silentMs = (long) MANY_TIMES * node.config().get(ClusterKeys.CONTROLLER_QUORUM_ELECTION_TIMEOUT_MS);
        Set<Integer> alive = new HashSet<>();
        for (ReplicaState voter : described.currentVoters()) {
            if (voter.replicaId() == described.leaderId()
                    || (voter.lastFetchTimestamp() >= 0 && leaderMs - voter.lastFetchTimestamp() <= silentMs)) {
                alive.add(voter.replicaId());
            }
        }
        return new SafeToStop.Quorum(voters, alive);
    }

    private DescribeQuorumResponseData.@Nullable PartitionData describeQuorum() {
        var request = new DescribeQuorumRequestData()
                .setTopics(List.of(new DescribeQuorumRequestData.TopicData()
                        .setTopicName("__cluster_metadata")
                        .setPartitions(List.of(new DescribeQuorumRequestData.PartitionData().setPartitionIndex(0)))));
        var context = new ControllerContext(
                "User:ANONYMOUS",
                "",
                request.highestSupportedVersion(),
                node.time().nanoseconds() + TimeUnit.MILLISECONDS.toNanos(ANSWER_MS));
        try {
            Message answer = node.controller()
                    .forward(context, request)
                    .orTimeout(ANSWER_MS, TimeUnit.MILLISECONDS)
                    .join();
            if (answer instanceof DescribeQuorumResponseData described
                    && described.errorCode() == Errors.NONE.code()
                    && !described.topics().isEmpty()) {
                var partition = described.topics().getFirst().partitions().getFirst();
                return partition.errorCode() == Errors.NONE.code() ? partition : null;
            }
            return null;
        } catch (CompletionException e) {
            // Nobody leads, or nobody can be reached: that is the answer.
            return null;
        }
    }

    Answers.Cluster cluster() {
        MetadataImage image = node.image().get();
        int partitions = 0;
        int offline = 0;
        int underReplicated = 0;
        for (TopicImage topic : image.topics().topics()) {
            partitions += topic.partitions().size();
            offline += Leaders.offline(image.cluster(), topic);
            underReplicated += underReplicated(topic);
        }
        int fenced = (int) image.cluster().brokers().stream()
                .filter(BrokerRegistration::fenced)
                .count();
        int active = node.activeController().getAsInt();
        return new Answers.Cluster(
                node.clusterId(),
                version,
                node.config().nodeId(),
                node.config().roles().stream()
                        .map(role -> role.name().toLowerCase(Locale.ROOT))
                        .sorted()
                        .toList(),
                active < 0 ? null : active,
                image.offset(),
                image.cluster().brokers().size(),
                fenced,
                image.topics().topics().size(),
                partitions,
                offline,
                underReplicated);
    }

    private static int underReplicated(TopicImage topic) {
        return (int) topic.partitions().values().stream()
                .filter(Observation::isUnderReplicated)
                .count();
    }

    private static boolean isUnderReplicated(PartitionRegistration partition) {
        return partition.isr().size()
                < partition.replicas().size() - partition.addingReplicas().size();
    }

    Answers.Brokers brokers() {
        MetadataImage image = node.image().get();
        Map<Integer, int[]> counts = new HashMap<>();
        for (TopicImage topic : image.topics().topics()) {
            for (PartitionRegistration partition : topic.partitions().values()) {
                partition.replicas().forEach(replica -> counts.computeIfAbsent(replica, id -> new int[3])[0]++);
                int leader = Leaders.serving(image.cluster(), partition);
                if (leader >= 0) {
                    counts.computeIfAbsent(leader, id -> new int[3])[1]++;
                }
                counts.computeIfAbsent(partition.preferredReplica(), id -> new int[3])[2]++;
            }
        }
        return new Answers.Brokers(image.cluster().brokers().stream()
                .map(broker -> broker(
                        broker, broker.id() == node.config().nodeId(), counts.getOrDefault(broker.id(), new int[3])))
                .toList());
    }

    private static Answers.Broker broker(BrokerRegistration broker, boolean here, int[] counts) {
        String state = broker.fenced() ? "fenced" : broker.inControlledShutdown() ? "leaving" : "active";
        return new Answers.Broker(
                broker.id(),
                here,
                broker.epoch(),
                broker.rack(),
                state,
                broker.listeners().stream()
                        .map(it -> new Answers.Listener(it.listenerName(), it.host(), it.port()))
                        .toList(),
                counts[0],
                counts[1],
                counts[2]);
    }

    /// @param part of the names of the topics that are wanted
    Answers.Topics topics(String part, int limit) {
        MetadataImage image = node.image().get();
        List<TopicImage> matching = image.topics().topics().stream()
                .filter(topic -> topic.name().contains(part))
                .toList();
        return new Answers.Topics(
                matching.stream()
                        .limit(limit)
                        .map(topic -> summary(image, topic))
                        .toList(),
                matching.size(),
                Math.max(0, matching.size() - limit));
    }

    private static Answers.TopicSummary summary(MetadataImage image, TopicImage topic) {
        return new Answers.TopicSummary(
                topic.name(),
                topic.id().toString(),
                TopicNames.isInternal(topic.name()),
                topic.partitions().size(),
                replicationFactor(topic),
                Leaders.offline(image.cluster(), topic),
                underReplicated(topic));
    }

    private static int replicationFactor(TopicImage topic) {
        return topic.partitions().values().stream()
                .mapToInt(partition -> partition.replicas().size())
                .max()
                .orElse(0);
    }

    /// @param from the first partition that is told
    Answers.Topic topic(String name, int from, int limit) {
        TopicImage topic = existing(name);
        ClusterImage cluster = node.image().get().cluster();
        int minInsync = node.minInsyncReplicas().applyAsInt(name);
        var some = new TreeMap<>(topic.partitions())
                .tailMap(from).entrySet().stream().limit(limit).toList();
        List<TopicPartition> elsewhere = some.stream()
                .filter(entry -> !Leaders.isOffline(cluster, entry.getValue())
                        && entry.getValue().leader() != node.config().nodeId())
                .map(entry -> new TopicPartition(name, entry.getKey()))
                .toList();
        Map<TopicPartition, Long> starts = leaders.starts(elsewhere);
        Map<TopicPartition, Long> ends = leaders.ends(elsewhere);
        List<Answers.Partition> partitions = new ArrayList<>();
        for (var entry : some) {
            PartitionRegistration partition = entry.getValue();
            var id = new TopicPartition(name, entry.getKey());
            Answers.Replica local = local(id);
            int leader = Leaders.serving(cluster, partition);
            Answers.Replica leading = leader == node.config().nodeId() ? local : null;
            partitions.add(new Answers.Partition(
                    entry.getKey(),
                    leader < 0 ? null : leader,
                    partition.leaderEpoch(),
                    partition.replicas(),
                    partition.isr(),
                    partition.elr(),
                    leader < 0,
                    isUnderReplicated(partition),
                    partition.isr().size() < minInsync,
                    leading != null ? Long.valueOf(leading.logStartOffset()) : starts.get(id),
                    leading != null ? Long.valueOf(leading.highWatermark()) : ends.get(id),
                    local));
        }
        int behind = (int) topic.partitions().keySet().stream()
                .filter(partition -> partition >= from)
                .count();
        return new Answers.Topic(
                name,
                topic.id().toString(),
                TopicNames.isInternal(name),
                topic.partitions().size(),
                replicationFactor(topic),
                minInsync,
                partitions,
                behind - partitions.size());
    }

    TopicImage existing(String name) {
        TopicImage topic = node.image().get().topics().topic(name);
        if (topic == null) {
            throw new Refusal(404, "there is no topic " + name);
        }
        return topic;
    }

    private Answers.@Nullable Replica local(TopicPartition partition) {
        NodeView.Broker broker = node.broker();
        if (broker == null || !(broker.partitions().get(partition) instanceof HostedPartition.Online(var replica))) {
            return null;
        }
        long highWatermark = replica.highWatermark();
        LogView log = replica.log().view();
        return new Answers.Replica(
                log.logStartOffset(),
                highWatermark,
                log.logEndOffset(),
                log.sizeInBytes(),
                replica.log().segmentCount());
    }

    /// Null if no leader answers.
    Answers.@Nullable QuorumAnswer quorum() {
        DescribeQuorumResponseData.PartitionData described = describeQuorum();
        if (described == null) {
            return null;
        }
        long end = described.currentVoters().stream()
                .filter(voter -> voter.replicaId() == described.leaderId())
                .mapToLong(ReplicaState::logEndOffset)
                .findFirst()
                .orElse(-1);
        return new Answers.QuorumAnswer(
                described.leaderId() < 0 ? null : described.leaderId(),
                described.leaderEpoch(),
                described.highWatermark(),
                described.currentVoters().stream()
                        .map(voter -> voter(voter, end))
                        .toList(),
                described.observers().stream().map(voter -> voter(voter, end)).toList());
    }

    /// The same for explanations; null if no leader answers.
    @Nullable
    QuorumReport quorumReport() {
        DescribeQuorumResponseData.PartitionData described = describeQuorum();
        return described == null
                ? null
                : QuorumReport.of(
                        node.clusterId(),
                        new QuorumReport.Quorum(
                                described.leaderId(),
                                described.leaderEpoch(),
                                described.highWatermark(),
                                described.currentVoters().stream()
                                        .map(Observation::replica)
                                        .toList(),
                                described.observers().stream()
                                        .map(Observation::replica)
                                        .toList(),
                                Map.of()),
                        Map.of(),
                        node.time().milliseconds());
    }

    private static QuorumReport.Replica replica(ReplicaState state) {
        return new QuorumReport.Replica(
                state.replicaId(),
                state.replicaDirectoryId(),
                state.logEndOffset(),
                known(state.lastFetchTimestamp()),
                known(state.lastCaughtUpTimestamp()));
    }

    private static OptionalLong known(long ms) {
        return ms < 0 ? OptionalLong.empty() : OptionalLong.of(ms);
    }

    private static Answers.Voter voter(ReplicaState voter, long leaderEnd) {
        long end = voter.logEndOffset();
        return new Answers.Voter(
                voter.replicaId(),
                end < 0 ? null : end,
                end < 0 || leaderEnd < 0 ? null : Math.max(0, leaderEnd - end),
                voter.lastFetchTimestamp() < 0 ? null : voter.lastFetchTimestamp(),
                voter.lastCaughtUpTimestamp() < 0 ? null : voter.lastCaughtUpTimestamp());
    }
}
