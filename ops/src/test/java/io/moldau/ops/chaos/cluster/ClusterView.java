package io.moldau.ops.chaos.cluster;

import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.admin.QuorumInfo;
import org.apache.kafka.common.ElectionType;
import org.apache.kafka.common.KafkaFuture;
import org.apache.kafka.common.Node;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.TopicPartitionInfo;
import org.apache.kafka.common.errors.ElectionNotNeededException;
import org.jspecify.annotations.Nullable;

/// What a cluster says of itself, by its administration protocol. Any thread.
public final class ClusterView implements AutoCloseable {

    private static final long SECONDS = 60;

    private final String bootstrap;
    private final int replicas;
    private final Admin admin;

    ClusterView(String bootstrap, int replicas) {
        this.bootstrap = bootstrap;
        this.replicas = replicas;
        admin = admin(bootstrap);
    }

    /// A client that finds nodes again soon after they were away.
    static Admin admin(String bootstrap) {
        return Admin.create(Map.of(
                "bootstrap.servers", bootstrap,
                "reconnect.backoff.max.ms", "200",
                "request.timeout.ms", "5000",
                "default.api.timeout.ms", "20000"));
    }

    public Admin admin() {
        return admin;
    }

    public String bootstrap() {
        return bootstrap;
    }

    public Set<Integer> brokers() throws Exception {
        return get(admin.describeCluster().nodes()).stream().map(Node::id).collect(Collectors.toSet());
    }

    public void createTopic(String topic, int partitions, Map<String, String> settings) throws Exception {
        get(admin.createTopics(List.of(new NewTopic(topic, partitions, (short) replicas).configs(settings)))
                .all());
    }

    public List<TopicPartitionInfo> partitions(String topic) throws Exception {
        return Objects.requireNonNull(get(admin.describeTopics(List.of(topic)).allTopicNames())
                        .get(topic))
                .partitions();
    }

    /// The partitions that each broker leads.
    public Map<Integer, Long> leaderships(Collection<String> topics) throws Exception {
        var led = new TreeMap<Integer, Long>();
        for (var topic : topics) {
            for (var partition : partitions(topic)) {
                var leader = partition.leader();
                if (leader != null && !leader.isEmpty()) {
                    led.merge(leader.id(), 1L, Long::sum);
                }
            }
        }
        return led;
    }

    /// The broker that leads most partitions of the topic.
    public int busiest(String topic) throws Exception {
        return leaderships(List.of(topic)).entrySet().stream()
                .max(Map.Entry.comparingByValue())
                .orElseThrow(() -> new IllegalStateException("No partition of " + topic + " has a leader."))
                .getKey();
    }

    public int leader(String topic, int partition) throws Exception {
        var leader = partitions(topic).get(partition).leader();
        if (leader == null || leader.isEmpty()) {
            throw new IllegalStateException(topic + "-" + partition + " has no leader.");
        }
        return leader.id();
    }

    /// The broker that keeps this group or transactional id in one of the partitions of the coordinators' topic.
    public int coordinator(String topic, String key) throws Exception {
        int hash = key.hashCode();
        int partition = (hash == Integer.MIN_VALUE ? 0 : Math.abs(hash))
                % partitions(topic).size();
        return leader(topic, partition);
    }

    public boolean allInSync(Collection<String> topics) throws Exception {
        for (var topic : topics) {
            for (var partition : partitions(topic)) {
                if (partition.isr().size() < partition.replicas().size() || partition.leader() == null) {
                    return false;
                }
            }
        }
        return true;
    }

    /// How many partitions of the topic have fewer in-sync replicas than writes need.
    public long underMinIsr(String topic, int minimum) throws Exception {
        return partitions(topic).stream()
                .filter(partition -> partition.isr().size() < minimum)
                .count();
    }

    public QuorumInfo quorum() throws Exception {
        return get(admin.describeMetadataQuorum().quorumInfo());
    }

    public int activeController() throws Exception {
        int leader = quorum().leaderId();
        if (leader < 0) {
            throw new IllegalStateException("The quorum has no leader.");
        }
        return leader;
    }

    /// Gives partitions back to their preferred leaders, as the periodic rebalance does.
    public void electPreferred(String topic) throws Exception {
        var partitions = partitions(topic).stream()
                .map(partition -> new TopicPartition(topic, partition.partition()))
                .collect(Collectors.toSet());
        var failures =
                get(admin.electLeaders(ElectionType.PREFERRED, partitions).partitions());
        for (var failure : failures.values()) {
            if (failure.isPresent() && !(failure.get() instanceof ElectionNotNeededException)) {
                throw new IllegalStateException(failure.get());
            }
        }
    }

    static <T> T get(KafkaFuture<T> future) throws Exception {
        try {
            return future.get(SECONDS, TimeUnit.SECONDS);
        } catch (ExecutionException e) {
            @Nullable Throwable cause = e.getCause();
            throw cause instanceof Exception known ? known : e;
        }
    }

    @Override
    public void close() {
        admin.close(Duration.ofSeconds(2));
    }
}
