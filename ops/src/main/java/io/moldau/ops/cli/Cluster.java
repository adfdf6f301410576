package io.moldau.ops.cli;

import io.moldau.common.TopicPartition;
import io.moldau.common.Uuid;
import io.moldau.ops.report.GroupReport.Group;
import io.moldau.ops.report.Picture.Broker;
import io.moldau.ops.report.Picture.LogDir;
import io.moldau.ops.report.Picture.Topic;
import io.moldau.ops.report.QuorumReport.Address;
import io.moldau.ops.report.QuorumReport.Quorum;
import io.moldau.ops.report.TransactionExplanation.OpenProducer;
import io.moldau.ops.report.TransactionExplanation.Transaction;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.admin.ScramMechanism;
import org.apache.kafka.common.acl.AclBinding;
import org.apache.kafka.common.acl.AclBindingFilter;
import org.apache.kafka.common.config.ConfigResource;
import org.jspecify.annotations.Nullable;

/// A running cluster, as commands see it. Every method waits for the answer; one that fails throws
/// [ToolException].
///
/// Owned by the command's thread.
interface Cluster extends AutoCloseable {

    String id();

    // ---- The quorum.

    Quorum quorum();

    /// Where the registered controllers listen, by node; empty if the nodes that were asked do not
    /// tell.
    Map<Integer, List<Address>> controllers();

    void addVoter(int nodeId, Uuid directoryId, List<Address> addresses);

    void removeVoter(int nodeId, Uuid directoryId);

    // ---- Brokers.

    /// Ordered by id.
    List<Broker> brokers();

    /// The log directories of a broker; empty if it does not answer.
    List<LogDir> logDirs(int broker);

    // ---- Topics.

    /// All names, sorted.
    Set<String> topicNames();

    /// In the order of the names. A topic that does not exist is a failure.
    List<Topic> topics(Collection<String> names);

    /// @param partitions the cluster's default if empty; the same for `replicationFactor`
    /// @param dryRun only to ask whether it would be done
    void createTopic(
            String name,
            OptionalInt partitions,
            OptionalInt replicationFactor,
            Map<String, String> configs,
            boolean dryRun);

    void deleteTopic(String name);

    /// @param total how many there are afterwards
    void addPartitions(String topic, int total);

    /// Begins to move partitions to these replicas.
    void reassign(Map<TopicPartition, List<Integer>> replicas);

    // ---- Settings.

    /// Each sorted by name.
    Map<ConfigResource, List<Setting>> configs(Collection<ConfigResource> resources);

    default List<Setting> configs(ConfigResource resource) {
        return configs(List.of(resource)).getOrDefault(resource, List.of());
    }

    /// @param value null if it is unset or secret
    /// @param source where it comes from, in Kafka's words, such as `dynamic topic config`
    record Setting(String name, @Nullable String value, String source, boolean readOnly, boolean sensitive) {

        boolean isDefault() {
            return source.equals("default config");
        }
    }

    /// @param changes an empty value takes the setting away
    void alterConfigs(ConfigResource resource, Map<String, Optional<String>> changes);

    // ---- Groups.

    /// Sorted by id.
    List<GroupName> groups();

    record GroupName(String id, String type, String protocol, String state) {}

    Group group(String id);

    void deleteGroup(String id);

    void commit(String group, Map<TopicPartition, Long> offsets);

    /// What cannot be told, such as the end of a partition that is offline, is left out; -1 where no
    /// record is as young as was asked for.
    Map<TopicPartition, Long> offsets(Map<TopicPartition, OffsetSpec> wanted);

    // ---- Transactions.

    /// Those that coordinators know of, with all that they say of them.
    List<Transaction> transactions();

    /// A transactional id that is not known is a failure.
    Transaction transaction(String id);

    /// Who has written there lately, as the leaders tell; partitions that do not answer are left out.
    Map<TopicPartition, List<OpenProducer>> producers(Collection<TopicPartition> partitions);

    /// Up to where readers of committed records get; partitions that do not answer are left out.
    Map<TopicPartition, Long> stableEnds(Collection<TopicPartition> partitions);

    // ---- Who may do what.

    Collection<AclBinding> acls(AclBindingFilter which);

    void addAcls(Collection<AclBinding> acls);

    /// @return those that are gone
    Collection<AclBinding> removeAcls(Collection<AclBindingFilter> which);

    /// Sorted by name and mechanism.
    List<Credential> users();

    record Credential(String user, String mechanism, int iterations) {}

    void addUser(Credential credential, byte[] password);

    void removeUser(String user, ScramMechanism mechanism);

    @Override
    void close();
}
