package io.moldau.ops.state;

import io.moldau.broker.NodeView;
import io.moldau.broker.metadata.TopicNames;
import io.moldau.broker.peer.PeerResponse;
import io.moldau.common.Endpoint;
import io.moldau.common.Errors;
import io.moldau.log.dir.LogDirState;
import io.moldau.metadata.image.BrokerRegistration;
import io.moldau.metadata.image.ClusterImage;
import io.moldau.metadata.image.MetadataImage;
import io.moldau.metadata.image.TopicImage;
import io.moldau.metadata.partition.PartitionRegistration;
import io.moldau.ops.report.Picture;
import io.moldau.ops.report.Picture.Broker;
import io.moldau.ops.report.Picture.LogDir;
import io.moldau.ops.report.Picture.Partition;
import io.moldau.ops.report.Picture.Topic;
import io.moldau.wire.message.DescribeLogDirsRequestData;
import io.moldau.wire.message.DescribeLogDirsResponseData;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/// Pictures of the cluster out of what this node knows of it: the metadata image, its own directories, and what the
/// other brokers say of theirs. Thread-safe.
public final class ClusterPicture {

    private static final short LOG_DIRS_VERSION = 4;

    private final NodeView node;
    private final BrokerCalls calls;

    public ClusterPicture(NodeView node, BrokerCalls calls) {
        this.node = node;
        this.calls = calls;
    }

    /// Looks at the cluster, and at these topics.
    ///
    /// @param quorumLeader [Picture#UNKNOWN] if nobody could tell
    public Picture take(Predicate<String> topics, int quorumLeader) {
        MetadataImage image = node.image().get();
        Map<String, Topic> named = new TreeMap<>();
        Map<String, Integer> minInsync = new HashMap<>();
        for (TopicImage topic : image.topics().topics()) {
            if (topics.test(topic.name())) {
                named.put(topic.name(), topic(image.cluster(), topic));
                minInsync.put(topic.name(), node.minInsyncReplicas().applyAsInt(topic.name()));
            }
        }
        List<Broker> brokers = image.cluster().brokers().stream()
                .sorted(Comparator.comparing(BrokerRegistration::id))
                .map(this::broker)
                .toList();
        return new Picture(brokers, named, minInsync, logDirs(brokers), quorumLeader);
    }

    private static Topic topic(ClusterImage cluster, TopicImage topic) {
        List<Partition> partitions = new ArrayList<>();
        topic.partitions().forEach((id, partition) -> partitions.add(partition(id, cluster, partition)));
        partitions.sort(Comparator.comparing(Partition::id));
        return new Topic(topic.name(), topic.id(), TopicNames.isInternal(topic.name()), List.copyOf(partitions));
    }

    private static Partition partition(int id, ClusterImage cluster, PartitionRegistration partition) {
        return new Partition(
                id, Leaders.serving(cluster, partition), partition.replicas(), partition.isr(), partition.elr());
    }

    private Broker broker(BrokerRegistration broker) {
        Endpoint at = address(broker);
        return new Broker(
                broker.id(),
                at == null ? "" : at.host(),
                at == null ? 0 : at.port(),
                broker.rack() == null ? "" : broker.rack(),
                node.activeController().getAsInt() == broker.id(),
                broker.fenced());
    }

    private @Nullable Endpoint address(BrokerRegistration broker) {
        String listener = node.config().interBrokerListener();
        Endpoint among = listener == null ? null : broker.listener(listener);
        return among != null || broker.listeners().isEmpty()
                ? among
                : broker.listeners().getFirst();
    }

    private Map<Integer, List<LogDir>> logDirs(List<Broker> brokers) {
        Map<Integer, List<LogDir>> dirs = new HashMap<>();
        Map<Integer, CompletableFuture<PeerResponse>> asked = new LinkedHashMap<>();
        for (Broker broker : brokers) {
            if (broker.id() == node.config().nodeId()) {
                dirs.put(broker.id(), here());
            } else if (!broker.fenced()) {
                // Of no partition: only the directories themselves.
                var answer = calls.send(
                        broker.id(), LOG_DIRS_VERSION, new DescribeLogDirsRequestData().setTopics(List.of()));
                if (answer != null) {
                    asked.put(broker.id(), answer);
                }
            }
        }
        asked.forEach((id, answer) -> {
            try (PeerResponse response = BrokerCalls.await(answer)) {
                dirs.put(
                        id,
                        response == null
                                ? List.of()
                                : response.as(DescribeLogDirsResponseData.class).results().stream()
                                        .map(dir -> new LogDir(
                                                dir.logDir(),
                                                dir.errorCode() == Errors.NONE.code()
                                                        ? ""
                                                        : Errors.forCode(dir.errorCode())
                                                                .name(),
                                                dir.totalBytes(),
                                                dir.usableBytes(),
                                                Map.of()))
                                        .toList());
            }
        });
        return dirs;
    }

    private List<LogDir> here() {
        NodeView.Broker broker = node.broker();
        return broker == null
                ? List.of()
                : broker.logs().directories().stream()
                        .map(state -> switch (state) {
                            case LogDirState.Online online -> online(broker, online.path());
                            case LogDirState.Offline offline ->
                                new LogDir(
                                        offline.path().toString(),
                                        String.valueOf(offline.cause().getMessage()),
                                        -1,
                                        -1,
                                        Map.of());
                        })
                        .toList();
    }

    private static LogDir online(NodeView.Broker broker, Path path) {
        try {
            return new LogDir(
                    path.toString(),
                    "",
                    broker.logs().totalBytes(path),
                    broker.logs().usableBytes(path),
                    Map.of());
        } catch (IOException e) {
            return new LogDir(path.toString(), String.valueOf(e.getMessage()), -1, -1, Map.of());
        }
    }
}
