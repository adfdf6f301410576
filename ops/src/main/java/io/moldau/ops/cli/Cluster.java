package io.moldau.ops.cli;

import io.moldau.ops.cli.QuorumReport.Address;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.Set;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.admin.ScramMechanism;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.Uuid;
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

    /// What the leader of the quorum tells.
    ///
    /// @param leaderId -1 if there is none
    /// @param addresses where members listen, as far as it is told, by node
    record Quorum(
            int leaderId,
            long epoch,
            long highWatermark,
            List<Replica> voters,
            List<Replica> observers,
            Map<Integer, List<Address>> addresses) {}

    /// @param directoryId zero if it has none
    /// @param logEndOffset the first offset it does not have; -1 if unknown
    /// @param lastFetchMs by the leader's wall clock
    record Replica(
            int id, Uuid directoryId, long logEndOffset, OptionalLong lastFetchMs, OptionalLong lastCaughtUpMs) {}

    /// Where the registered controllers listen, by node; empty if the nodes that were asked do not
    /// tell.
    Map<Integer, List<Address>> controllers();

    void addVoter(int nodeId, Uuid directoryId, List<Address> addresses);

    void removeVoter(int nodeId, Uuid directoryId);

    // ---- Brokers.

    /// Ordered by id.
    List<Broker> brokers();

    /// @param rack empty if it has none
    /// @param controller whether it says to be the active controller, or where it is reached
    /// @param fenced whether it is registered but does not serve
    record Broker(int id, String host, int port, String rack, boolean controller, boolean fenced) {}

    /// The log directories of a broker; empty if it does not answer.
    List<LogDir> logDirs(int broker);

    /// @param error empty if it is sound
    /// @param totalBytes of its disk, -1 if unknown
    /// @param usableBytes of its disk, -1 if unknown
    /// @param sizes of the partitions in it
    record LogDir(String path, String error, long totalBytes, long usableBytes, Map<TopicPartition, Long> sizes) {}

    // ---- Topics.

    /// All names, sorted.
    Set<String> topicNames();

    /// In the order of the names. A topic that does not exist is a failure.
    List<Topic> topics(Collection<String> names);

    record Topic(String name, Uuid id, boolean internal, List<Partition> partitions) {

        int replicationFactor() {
            return partitions.isEmpty() ? 0 : partitions.getFirst().replicas().size();
        }
    }

    /// @param leader -1 if there is none
    /// @param eligible replicas outside the ISR that may lead nevertheless (KIP-966)
    record Partition(int id, int leader, List<Integer> replicas, List<Integer> isr, List<Integer> eligible) {

        boolean offline() {
            return leader < 0;
        }

        boolean underReplicated() {
            return isr.size() < replicas.size();
        }
    }

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

    /// @param coordinator -1 if it is not known
    /// @param committed the next offset to read
    record Group(
            String id,
            String type,
            String state,
            String assignor,
            int coordinator,
            List<Member> members,
            Map<TopicPartition, Long> committed) {}

    record Member(String id, String clientId, String host, Set<TopicPartition> assigned) {}

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

    /// @param state in Kafka's words, such as `Ongoing`
    /// @param coordinator the broker
    /// @param startMs by the coordinator's clock, if a transaction is open
    record Transaction(
            String id,
            String state,
            int coordinator,
            long producerId,
            int producerEpoch,
            long timeoutMs,
            OptionalLong startMs,
            Set<TopicPartition> partitions) {}

    /// Who has written there lately, as the leaders tell; partitions that do not answer are left out.
    Map<TopicPartition, List<OpenProducer>> producers(Collection<TopicPartition> partitions);

    /// @param start the first offset of its open transaction
    record OpenProducer(long producerId, int epoch, OptionalLong start, long lastTimestampMs) {}

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
