package io.moldau.ops.cli;

import io.moldau.common.TopicPartition;
import io.moldau.common.Uuid;
import io.moldau.ops.report.GroupReport.Group;
import io.moldau.ops.report.GroupReport.Member;
import io.moldau.ops.report.Picture.Broker;
import io.moldau.ops.report.Picture.LogDir;
import io.moldau.ops.report.Picture.Partition;
import io.moldau.ops.report.Picture.Topic;
import io.moldau.ops.report.QuorumReport.Address;
import io.moldau.ops.report.QuorumReport.Quorum;
import io.moldau.ops.report.QuorumReport.Replica;
import io.moldau.ops.report.TransactionExplanation.OpenProducer;
import io.moldau.ops.report.TransactionExplanation.Transaction;
import java.time.Duration;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Properties;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AlterConfigOp;
import org.apache.kafka.clients.admin.Config;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.clients.admin.ConsumerGroupDescription;
import org.apache.kafka.clients.admin.CreateTopicsOptions;
import org.apache.kafka.clients.admin.DescribeClusterOptions;
import org.apache.kafka.clients.admin.DescribeProducersResult;
import org.apache.kafka.clients.admin.ListOffsetsOptions;
import org.apache.kafka.clients.admin.ListOffsetsResult;
import org.apache.kafka.clients.admin.ListTopicsOptions;
import org.apache.kafka.clients.admin.LogDirDescription;
import org.apache.kafka.clients.admin.NewPartitionReassignment;
import org.apache.kafka.clients.admin.NewPartitions;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.admin.QuorumInfo;
import org.apache.kafka.clients.admin.RaftVoterEndpoint;
import org.apache.kafka.clients.admin.ScramCredentialInfo;
import org.apache.kafka.clients.admin.ScramMechanism;
import org.apache.kafka.clients.admin.TopicDescription;
import org.apache.kafka.clients.admin.TransactionDescription;
import org.apache.kafka.clients.admin.TransactionListing;
import org.apache.kafka.clients.admin.UserScramCredentialDeletion;
import org.apache.kafka.clients.admin.UserScramCredentialUpsertion;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.GroupState;
import org.apache.kafka.common.IsolationLevel;
import org.apache.kafka.common.Node;
import org.apache.kafka.common.acl.AclBinding;
import org.apache.kafka.common.acl.AclBindingFilter;
import org.apache.kafka.common.config.ConfigResource;

/// A cluster behind Kafka's Admin client.
final class AdminCluster implements Cluster {

    private static final AdminCalls.Feature NO_TRANSACTIONS = new AdminCalls.Feature(
            "The brokers at %s keep no transactions: they do not serve what %s needs.",
            "Ask a cluster whose brokers do; an idempotent producer needs no transaction.");
    private static final AdminCalls.Feature NO_ACLS = new AdminCalls.Feature(
            "The nodes at %s keep no access rights (ACLs), since they have no authorizer: they do not serve what %s"
                    + " needs.",
            "Everybody who reaches a listener may do everything there: bind it to an address that only friends reach, or"
                    + " use brokers with an authorizer (authorizer.class.name).");
    private static final AdminCalls.Feature NO_USERS = new AdminCalls.Feature(
            "The nodes at %s keep no SCRAM credentials: they do not serve what %s needs.",
            "Everybody who reaches a listener is let in: bind it to an address that only friends reach, or use brokers"
                    + " with a SASL listener.");

    private final Admin admin;
    private final AdminCalls calls;

    private AdminCluster(Admin admin, AdminCalls calls) {
        this.admin = admin;
        this.calls = calls;
    }

    /// @throws ToolException if the properties are no client's properties
    static Cluster connect(Properties properties, Machine machine) {
        return Bootstrap.made(
                properties, () -> new AdminCluster(Admin.create(properties), Bootstrap.calls(properties, machine)));
    }

    @Override
    public String id() {
        return calls.get("the cluster's description", admin.describeCluster().clusterId());
    }

    @Override
    public Quorum quorum() {
        QuorumInfo quorum = calls.get(
                "the description of the quorum", admin.describeMetadataQuorum().quorumInfo());
        return new Quorum(
                quorum.leaderId(),
                quorum.leaderEpoch(),
                quorum.highWatermark(),
                replicas(quorum.voters()),
                replicas(quorum.observers()),
                quorum.nodes().values().stream()
                        .collect(Collectors.toMap(QuorumInfo.Node::nodeId, AdminCluster::addresses)));
    }

    private static List<Replica> replicas(List<QuorumInfo.ReplicaState> states) {
        return states.stream()
                .map(state -> new Replica(
                        state.replicaId(),
                        ours(state.replicaDirectoryId()),
                        state.logEndOffset(),
                        state.lastFetchTimestamp(),
                        state.lastCaughtUpTimestamp()))
                .toList();
    }

    private static List<Address> addresses(QuorumInfo.Node node) {
        return node.endpoints().stream()
                .map(endpoint -> new Address(endpoint.listener(), endpoint.host(), endpoint.port()))
                .toList();
    }

    @Override
    public Map<Integer, List<Address>> controllers() {
        if (!calls.asksControllers()) {
            return Map.of();
        }
        return calls.get("the list of controllers", admin.describeCluster().nodes()).stream()
                .collect(Collectors.toMap(
                        Node::id, node -> List.of(new Address("CONTROLLER", node.host(), node.port()))));
    }

    @Override
    public void addVoter(int nodeId, Uuid directoryId, List<Address> addresses) {
        var endpoints = addresses.stream()
                .map(address -> new RaftVoterEndpoint(address.listener(), address.host(), address.port()))
                .collect(Collectors.toSet());
        calls.get(
                "the addition of voter " + nodeId,
                admin.addRaftVoter(nodeId, theirs(directoryId), endpoints).all());
    }

    @Override
    public void removeVoter(int nodeId, Uuid directoryId) {
        calls.get(
                "the removal of voter " + nodeId,
                admin.removeRaftVoter(nodeId, theirs(directoryId)).all());
    }

    private static Uuid ours(org.apache.kafka.common.Uuid id) {
        return new Uuid(id.getMostSignificantBits(), id.getLeastSignificantBits());
    }

    private static org.apache.kafka.common.Uuid theirs(Uuid id) {
        return new org.apache.kafka.common.Uuid(id.mostSignificantBits(), id.leastSignificantBits());
    }

    private static TopicPartition ours(org.apache.kafka.common.TopicPartition partition) {
        return new TopicPartition(partition.topic(), partition.partition());
    }

    private static org.apache.kafka.common.TopicPartition theirs(TopicPartition partition) {
        return new org.apache.kafka.common.TopicPartition(partition.topic(), partition.partition());
    }

    /// The client has an entry for whatever it was asked for.
    private static <K, V> V required(Map<K, V> answers, K key) {
        return Objects.requireNonNull(answers.get(key));
    }

    // ---- Brokers.

    @Override
    public List<Broker> brokers() {
        var described = admin.describeCluster(new DescribeClusterOptions().includeFencedBrokers(true));
        Node controller = calls.get("the active controller", described.controller());
        return calls.get("the list of brokers", described.nodes()).stream()
                .sorted(Comparator.comparing(Node::id))
                .map(node -> new Broker(
                        node.id(),
                        node.host(),
                        node.port(),
                        Objects.requireNonNullElse(node.rack(), ""),
                        controller != null && controller.id() == node.id(),
                        node.isFenced()))
                .toList();
    }

    @Override
    public List<LogDir> logDirs(int broker) {
        var answer = admin.describeLogDirs(List.of(broker)).descriptions().get(broker);
        if (answer == null) {
            return List.of();
        }
        Map<String, LogDirDescription> dirs = calls.find(answer);
        return dirs == null
                ? List.of()
                : dirs.entrySet().stream()
                        .sorted(Map.Entry.comparingByKey())
                        .map(entry -> logDir(entry.getKey(), entry.getValue()))
                        .toList();
    }

    private static LogDir logDir(String path, LogDirDescription dir) {
        Map<TopicPartition, Long> sizes = new HashMap<>();
        dir.replicaInfos().forEach((partition, replica) -> sizes.put(ours(partition), replica.size()));
        return new LogDir(
                path,
                dir.error() == null ? "" : String.valueOf(dir.error().getMessage()),
                dir.totalBytes().orElse(-1),
                dir.usableBytes().orElse(-1),
                sizes);
    }

    // ---- Topics.

    @Override
    public Set<String> topicNames() {
        return new TreeSet<>(calls.get(
                "the list of topics",
                admin.listTopics(new ListTopicsOptions().listInternal(true)).names()));
    }

    @Override
    public List<Topic> topics(Collection<String> names) {
        var answers = admin.describeTopics(names).topicNameValues();
        return names.stream()
                .map(name -> topic(calls.get("the description of topic " + name, required(answers, name))))
                .toList();
    }

    private static Topic topic(TopicDescription topic) {
        return new Topic(
                topic.name(),
                ours(topic.topicId()),
                topic.isInternal(),
                topic.partitions().stream()
                        .map(partition -> new Partition(
                                partition.partition(),
                                partition.leader() == null
                                        ? -1
                                        : partition.leader().id(),
                                ids(partition.replicas()),
                                ids(partition.isr()),
                                partition.elr() == null ? List.of() : ids(partition.elr())))
                        .sorted(Comparator.comparing(Partition::id))
                        .toList());
    }

    private static List<Integer> ids(List<Node> nodes) {
        return nodes.stream().map(Node::id).toList();
    }

    @Override
    public void createTopic(
            String name,
            OptionalInt partitions,
            OptionalInt replicationFactor,
            Map<String, String> configs,
            boolean dryRun) {
        var topic = new NewTopic(
                        name,
                        partitions.isPresent() ? Optional.of(partitions.getAsInt()) : Optional.empty(),
                        replicationFactor.isPresent()
                                ? Optional.of((short) replicationFactor.getAsInt())
                                : Optional.empty())
                .configs(configs);
        calls.get(
                "the creation of topic " + name,
                admin.createTopics(List.of(topic), new CreateTopicsOptions().validateOnly(dryRun))
                        .all());
    }

    @Override
    public void deleteTopic(String name) {
        calls.get(
                "the deletion of topic " + name,
                admin.deleteTopics(List.of(name)).all());
    }

    @Override
    public void addPartitions(String topic, int total) {
        calls.get(
                "the change of topic " + topic + " to " + total + " partitions",
                admin.createPartitions(Map.of(topic, NewPartitions.increaseTo(total)))
                        .all());
    }

    @Override
    public void reassign(Map<TopicPartition, List<Integer>> replicas) {
        Map<org.apache.kafka.common.TopicPartition, Optional<NewPartitionReassignment>> wanted = new HashMap<>();
        replicas.forEach((partition, brokers) ->
                wanted.put(theirs(partition), Optional.of(new NewPartitionReassignment(brokers))));
        calls.get(
                "the change of replicas",
                admin.alterPartitionReassignments(wanted).all());
    }

    // ---- Settings.

    @Override
    public Map<ConfigResource, List<Setting>> configs(Collection<ConfigResource> resources) {
        String what = resources.size() == 1
                ? "the configuration of " + named(resources.iterator().next())
                : "the configuration of " + resources.size() + " topics or brokers";
        Map<ConfigResource, List<Setting>> settings = new HashMap<>();
        calls.get(what, admin.describeConfigs(resources).all())
                .forEach((resource, config) -> settings.put(resource, settings(config)));
        return settings;
    }

    private static List<Setting> settings(Config config) {
        return config.entries().stream()
                .map(entry -> new Setting(
                        entry.name(),
                        entry.value(),
                        entry.source().name().toLowerCase(Locale.ROOT).replace('_', ' '),
                        entry.isReadOnly(),
                        entry.isSensitive()))
                .sorted(Comparator.comparing(Setting::name))
                .toList();
    }

    @Override
    public void alterConfigs(ConfigResource resource, Map<String, Optional<String>> changes) {
        Collection<AlterConfigOp> operations = changes.entrySet().stream()
                .map(change -> new AlterConfigOp(
                        new ConfigEntry(change.getKey(), change.getValue().orElse("")),
                        change.getValue().isPresent() ? AlterConfigOp.OpType.SET : AlterConfigOp.OpType.DELETE))
                .toList();
        calls.get(
                "the change of the configuration of " + named(resource),
                admin.incrementalAlterConfigs(Map.of(resource, operations)).all());
    }

    private static String named(ConfigResource resource) {
        String type = resource.type().name().toLowerCase(Locale.ROOT).replace('_', ' ');
        return resource.isDefault() ? "all " + type + "s" : type + " " + resource.name();
    }

    // ---- Groups.

    @Override
    public List<GroupName> groups() {
        return calls.get("the list of groups", admin.listGroups().all()).stream()
                .map(group -> new GroupName(
                        group.groupId(),
                        group.type()
                                .map(type -> type.toString().toLowerCase(Locale.ROOT))
                                .orElse(""),
                        group.protocol(),
                        group.groupState().map(GroupState::toString).orElse("")))
                .sorted(Comparator.comparing(GroupName::id))
                .toList();
    }

    @Override
    public Group group(String id) {
        ConsumerGroupDescription group = calls.get(
                "the description of group " + id,
                required(admin.describeConsumerGroups(List.of(id)).describedGroups(), id));
        Map<TopicPartition, Long> committed = new HashMap<>();
        calls.get(
                        "the committed offsets of group " + id,
                        admin.listConsumerGroupOffsets(id).partitionsToOffsetAndMetadata())
                .forEach((partition, offset) -> {
                    if (offset != null) {
                        committed.put(ours(partition), offset.offset());
                    }
                });
        return new Group(
                id,
                group.type().toString().toLowerCase(Locale.ROOT),
                group.groupState().toString(),
                group.partitionAssignor(),
                group.coordinator() == null ? -1 : group.coordinator().id(),
                group.members().stream()
                        .map(member -> new Member(
                                member.consumerId(),
                                member.clientId(),
                                member.host(),
                                member.assignment().topicPartitions().stream()
                                        .map(AdminCluster::ours)
                                        .collect(Collectors.toSet())))
                        .sorted(Comparator.comparing(Member::id))
                        .toList(),
                committed);
    }

    @Override
    public void deleteGroup(String id) {
        calls.get(
                "the deletion of group " + id,
                admin.deleteConsumerGroups(List.of(id)).all());
    }

    @Override
    public void commit(String group, Map<TopicPartition, Long> offsets) {
        Map<org.apache.kafka.common.TopicPartition, OffsetAndMetadata> wanted = new HashMap<>();
        offsets.forEach((partition, offset) -> wanted.put(theirs(partition), new OffsetAndMetadata(offset)));
        calls.get(
                "the change of the offsets of group " + group,
                admin.alterConsumerGroupOffsets(group, wanted).all());
    }

    @Override
    public Map<TopicPartition, Long> offsets(Map<TopicPartition, OffsetSpec> wanted) {
        return found(wanted, new ListOffsetsOptions());
    }

    private Map<TopicPartition, Long> found(Map<TopicPartition, OffsetSpec> wanted, ListOffsetsOptions options) {
        Set<TopicPartition> askable = led(wanted.keySet());
        var answer = admin.listOffsets(
                askable.stream()
                        .collect(Collectors.toMap(AdminCluster::theirs, partition -> required(wanted, partition))),
                options);
        Map<TopicPartition, Long> offsets = new HashMap<>();
        for (TopicPartition partition : askable) {
            ListOffsetsResult.ListOffsetsResultInfo found = calls.find(answer.partitionResult(theirs(partition)));
            if (found != null) {
                offsets.put(partition, found.offset());
            }
        }
        return offsets;
    }

    /// Those that have a leader: the client would wait for the others until its time is over.
    private Set<TopicPartition> led(Collection<TopicPartition> partitions) {
        Set<TopicPartition> led = new HashSet<>();
        Set<String> topics = partitions.stream().map(TopicPartition::topic).collect(Collectors.toSet());
        admin.describeTopics(topics).topicNameValues().forEach((name, answer) -> {
            TopicDescription topic = calls.find(answer);
            if (topic != null) {
                topic(topic).partitions().stream()
                        .filter(partition -> !partition.offline())
                        .forEach(partition -> led.add(new TopicPartition(name, partition.id())));
            }
        });
        led.retainAll(partitions);
        return led;
    }

    // ---- Transactions.

    @Override
    public List<Transaction> transactions() {
        List<String> ids =
                calls
                        .feature(
                                NO_TRANSACTIONS,
                                "the list of transactions",
                                admin.listTransactions().all())
                        .stream()
                        .map(TransactionListing::transactionalId)
                        .toList();
        if (ids.isEmpty()) {
            return List.of();
        }
        return calls
                .get(
                        "the description of transactions",
                        admin.describeTransactions(ids).all())
                .entrySet()
                .stream()
                .map(entry -> transaction(entry.getKey(), entry.getValue()))
                .toList();
    }

    @Override
    public Transaction transaction(String id) {
        // A list is asked of every broker; only a cluster that keeps transactions has coordinators to look for.
        calls.feature(
                NO_TRANSACTIONS,
                "the list of transactions",
                admin.listTransactions().all());
        return transaction(
                id,
                calls.get(
                        "the description of transaction " + id,
                        admin.describeTransactions(List.of(id)).description(id)));
    }

    private static Transaction transaction(String id, TransactionDescription described) {
        return new Transaction(
                id,
                described.state().toString(),
                described.coordinatorId(),
                described.producerId(),
                described.producerEpoch(),
                described.transactionTimeoutMs(),
                described.transactionStartTimeMs(),
                described.topicPartitions().stream().map(AdminCluster::ours).collect(Collectors.toSet()));
    }

    @Override
    public Map<TopicPartition, List<OpenProducer>> producers(Collection<TopicPartition> partitions) {
        Set<TopicPartition> askable = led(partitions);
        var answer = admin.describeProducers(
                askable.stream().map(AdminCluster::theirs).toList());
        Map<TopicPartition, List<OpenProducer>> producers = new HashMap<>();
        for (TopicPartition partition : askable) {
            DescribeProducersResult.PartitionProducerState state =
                    calls.find(answer.partitionResult(theirs(partition)));
            if (state != null) {
                producers.put(
                        partition,
                        state.activeProducers().stream()
                                .map(producer -> new OpenProducer(
                                        producer.producerId(),
                                        producer.producerEpoch(),
                                        producer.currentTransactionStartOffset(),
                                        producer.lastTimestamp()))
                                .toList());
            }
        }
        return producers;
    }

    @Override
    public Map<TopicPartition, Long> stableEnds(Collection<TopicPartition> partitions) {
        Map<TopicPartition, OffsetSpec> wanted = new HashMap<>();
        partitions.forEach(partition -> wanted.put(partition, OffsetSpec.latest()));
        return found(wanted, new ListOffsetsOptions(IsolationLevel.READ_COMMITTED));
    }

    // ---- Who may do what.

    @Override
    public Collection<AclBinding> acls(AclBindingFilter which) {
        return calls.feature(
                NO_ACLS, "the list of rights", admin.describeAcls(which).values());
    }

    @Override
    public void addAcls(Collection<AclBinding> acls) {
        calls.feature(NO_ACLS, "new rights", admin.createAcls(acls).all());
    }

    @Override
    public Collection<AclBinding> removeAcls(Collection<AclBindingFilter> which) {
        return calls.feature(
                NO_ACLS, "the removal of rights", admin.deleteAcls(which).all());
    }

    @Override
    public List<Credential> users() {
        return calls
                .feature(
                        NO_USERS,
                        "the list of users",
                        admin.describeUserScramCredentials().all())
                .values()
                .stream()
                .flatMap(user -> user.credentialInfos().stream()
                        .map(info ->
                                new Credential(user.name(), info.mechanism().mechanismName(), info.iterations())))
                .sorted(Comparator.comparing(Credential::user).thenComparing(Credential::mechanism))
                .toList();
    }

    @Override
    public void addUser(Credential credential, byte[] password) {
        var mechanism = ScramMechanism.fromMechanismName(credential.mechanism());
        calls.feature(
                NO_USERS,
                "the password of user " + credential.user(),
                admin.alterUserScramCredentials(List.of(new UserScramCredentialUpsertion(
                                credential.user(),
                                new ScramCredentialInfo(mechanism, credential.iterations()),
                                password)))
                        .all());
    }

    @Override
    public void removeUser(String user, ScramMechanism mechanism) {
        calls.feature(
                NO_USERS,
                "the removal of user " + user,
                admin.alterUserScramCredentials(List.of(new UserScramCredentialDeletion(user, mechanism)))
                        .all());
    }

    @Override
    public void close() {
        admin.close(Duration.ZERO);
    }
}
