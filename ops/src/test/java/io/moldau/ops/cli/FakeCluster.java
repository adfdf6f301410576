package io.moldau.ops.cli;

import io.moldau.common.TopicPartition;
import io.moldau.common.Uuid;
import io.moldau.ops.report.GroupReport.Group;
import io.moldau.ops.report.Picture.Broker;
import io.moldau.ops.report.Picture.LogDir;
import io.moldau.ops.report.Picture.Partition;
import io.moldau.ops.report.Picture.Topic;
import io.moldau.ops.report.QuorumReport.Address;
import io.moldau.ops.report.QuorumReport.Quorum;
import io.moldau.ops.report.TransactionExplanation.OpenProducer;
import io.moldau.ops.report.TransactionExplanation.Transaction;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.IntStream;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.admin.ScramMechanism;
import org.apache.kafka.common.acl.AclBinding;
import org.apache.kafka.common.acl.AclBindingFilter;
import org.apache.kafka.common.config.ConfigResource;

/// A cluster in memory, which does what it is told and remembers it.
class FakeCluster implements Cluster {

    final List<String> told = new ArrayList<>();
    final Map<String, Topic> topics = new TreeMap<>();
    final List<Broker> brokers = new ArrayList<>();
    final Map<Integer, List<LogDir>> logDirs = new HashMap<>();
    final Map<ConfigResource, List<Setting>> settings = new HashMap<>();
    final Map<String, Group> groups = new TreeMap<>();
    final Map<TopicPartition, Long> starts = new HashMap<>();
    final Map<TopicPartition, Long> ends = new HashMap<>();
    /// What a look-up by time finds.
    final Map<TopicPartition, Long> byTime = new HashMap<>();

    /// Brokers 1 to `count`.
    FakeCluster withBrokers(int count) {
        IntStream.rangeClosed(1, count)
                .forEach(id -> brokers.add(new Broker(id, "host" + id, 9092, "", id == 1, false)));
        return this;
    }

    FakeCluster withTopic(String name, Partition... partitions) {
        topics.put(name, new Topic(name, new Uuid(7, name.hashCode()), name.startsWith("__"), List.of(partitions)));
        return this;
    }

    FakeCluster withSetting(ConfigResource resource, String name, String value, String source) {
        settings.computeIfAbsent(resource, _ -> new ArrayList<>()).add(new Setting(name, value, source, false, false));
        return this;
    }

    static ConfigResource topic(String name) {
        return new ConfigResource(ConfigResource.Type.TOPIC, name);
    }

    /// @param replicas the first leads, and all are in sync
    static Partition sound(int id, Integer... replicas) {
        return new Partition(id, replicas[0], List.of(replicas), List.of(replicas), List.of());
    }

    @Override
    public String id() {
        return "cluster-1";
    }

    @Override
    public Quorum quorum() {
        return Quorums.THREE;
    }

    @Override
    public Map<Integer, List<Address>> controllers() {
        return Map.of();
    }

    @Override
    public void addVoter(int nodeId, Uuid directoryId, List<Address> addresses) {
        throw new UnsupportedOperationException();
    }

    @Override
    public void removeVoter(int nodeId, Uuid directoryId) {
        throw new UnsupportedOperationException();
    }

    @Override
    public List<Broker> brokers() {
        return brokers;
    }

    @Override
    public List<LogDir> logDirs(int broker) {
        return logDirs.getOrDefault(broker, List.of());
    }

    @Override
    public Set<String> topicNames() {
        return new TreeSet<>(topics.keySet());
    }

    @Override
    public List<Topic> topics(Collection<String> names) {
        return names.stream()
                .map(name -> Optional.ofNullable(topics.get(name))
                        .orElseThrow(() -> new ToolException("There is no topic " + name + ".", "Look at the list.")))
                .toList();
    }

    @Override
    public void createTopic(
            String name,
            OptionalInt partitions,
            OptionalInt replicationFactor,
            Map<String, String> configs,
            boolean dryRun) {
        told.add("create " + name + " " + partitions.orElse(-1) + " " + replicationFactor.orElse(-1) + " "
                + new TreeMap<>(configs) + (dryRun ? " dry" : ""));
    }

    @Override
    public void deleteTopic(String name) {
        told.add("delete " + name);
    }

    @Override
    public void addPartitions(String topic, int total) {
        told.add("partitions " + topic + " " + total);
    }

    @Override
    public void reassign(Map<TopicPartition, List<Integer>> replicas) {
        told.add("reassign " + new LinkedHashMap<>(replicas));
    }

    @Override
    public Map<ConfigResource, List<Setting>> configs(Collection<ConfigResource> resources) {
        return settings;
    }

    @Override
    public void alterConfigs(ConfigResource resource, Map<String, Optional<String>> changes) {
        told.add("alter " + resource.type() + " '" + resource.name() + "' " + changes);
    }

    @Override
    public List<GroupName> groups() {
        return groups.values().stream()
                .map(group -> new GroupName(group.id(), group.type(), "consumer", group.state()))
                .toList();
    }

    @Override
    public Group group(String id) {
        return Objects.requireNonNull(groups.get(id));
    }

    @Override
    public void deleteGroup(String id) {
        told.add("delete group " + id);
    }

    @Override
    public void commit(String group, Map<TopicPartition, Long> offsets) {
        var sorted = new TreeMap<String, Long>();
        offsets.forEach((partition, offset) -> sorted.put(partition.toString(), offset));
        told.add("commit " + group + " " + sorted);
    }

    @Override
    public Map<TopicPartition, Long> offsets(Map<TopicPartition, OffsetSpec> wanted) {
        Map<TopicPartition, Long> found = new HashMap<>();
        wanted.forEach((partition, spec) -> {
            Map<TopicPartition, Long> from = switch (spec) {
                case OffsetSpec.EarliestSpec _ -> starts;
                case OffsetSpec.TimestampSpec _ -> byTime;
                default -> ends;
            };
            Long offset = from.get(partition);
            if (offset != null) {
                found.put(partition, offset);
            }
        });
        return found;
    }

    final List<Transaction> transactions = new ArrayList<>();
    final Map<TopicPartition, List<OpenProducer>> producers = new HashMap<>();
    final Map<TopicPartition, Long> stable = new HashMap<>();
    final List<AclBinding> acls = new ArrayList<>();
    final List<Credential> users = new ArrayList<>();

    @Override
    public List<Transaction> transactions() {
        return transactions;
    }

    @Override
    public Transaction transaction(String id) {
        return transactions.stream()
                .filter(transaction -> transaction.id().equals(id))
                .findFirst()
                .orElseThrow(() -> new ToolException("There is no transaction " + id + ".", "Look at the list."));
    }

    @Override
    public Map<TopicPartition, List<OpenProducer>> producers(Collection<TopicPartition> partitions) {
        return producers;
    }

    @Override
    public Map<TopicPartition, Long> stableEnds(Collection<TopicPartition> partitions) {
        return stable;
    }

    @Override
    public Collection<AclBinding> acls(AclBindingFilter which) {
        return acls.stream().filter(which::matches).toList();
    }

    @Override
    public void addAcls(Collection<AclBinding> more) {
        acls.addAll(more);
    }

    @Override
    public Collection<AclBinding> removeAcls(Collection<AclBindingFilter> which) {
        List<AclBinding> gone = acls.stream()
                .filter(acl -> which.stream().anyMatch(filter -> filter.matches(acl)))
                .toList();
        acls.removeAll(gone);
        return gone;
    }

    @Override
    public List<Credential> users() {
        return users;
    }

    @Override
    public void addUser(Credential credential, byte[] password) {
        users.add(credential);
        told.add("password " + new String(password, StandardCharsets.UTF_8));
    }

    @Override
    public void removeUser(String user, ScramMechanism mechanism) {
        told.add("remove user " + user + " " + mechanism.mechanismName());
    }

    @Override
    public void close() {
        told.add("closed");
    }
}
