package io.moldau.ops.admin;

import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// What the JSON interface answers; `openapi.json` describes the same. A number that is not known is null.
final class Answers {

    private Answers() {}

    record Live(boolean live) {}

    record Ready(boolean ready, List<String> reasons) {}

    record Safe(boolean safeToStop, List<String> reasons, int blockedPartitions, boolean quorumBlocked) {}

    record Failure(String error) {}

    record Cluster(
            String clusterId,
            String version,
            int nodeId,
            List<String> roles,
            @Nullable Integer activeControllerId,
            long metadataOffset,
            int brokers,
            int fencedBrokers,
            int topics,
            int partitions,
            int offlinePartitions,
            int underReplicatedPartitions) {}

    record Brokers(List<Broker> brokers) {}

    /// @param here whether it is the node that answers
    record Broker(
            int id,
            boolean here,
            long epoch,
            @Nullable String rack,
            String state,
            List<Listener> listeners,
            int replicas,
            int leaders,
            int preferredLeaders) {}

    record Listener(String name, String host, int port) {}

    /// @param total how many match
    /// @param leftOff how many of them are not told
    record Topics(List<TopicSummary> topics, int total, int leftOff) {}

    record TopicSummary(
            String name,
            String id,
            boolean internal,
            int partitions,
            int replicationFactor,
            int offlinePartitions,
            int underReplicatedPartitions) {}

    /// @param leftOff partitions behind those that are told
    record Topic(
            String name,
            String id,
            boolean internal,
            int partitionCount,
            int replicationFactor,
            int minInsyncReplicas,
            List<Partition> partitions,
            int leftOff) {}

    /// @param eligible replicas outside the ISR that may lead nevertheless (KIP-966)
    /// @param startOffset of the first record that is left, as the leader says; null if it does not
    /// @param endOffset the high watermark, the same
    /// @param local what this node's replica says; null if it has none
    record Partition(
            int partition,
            @Nullable Integer leader,
            int leaderEpoch,
            List<Integer> replicas,
            List<Integer> isr,
            List<Integer> eligible,
            boolean offline,
            boolean underReplicated,
            boolean underMinIsr,
            @Nullable Long startOffset,
            @Nullable Long endOffset,
            @Nullable Replica local) {}

    record Replica(long logStartOffset, long highWatermark, long logEndOffset, long sizeInBytes, int segments) {}

    /// @param atMs when the node looked; ages are as of then
    /// @param leftOff groups over the limit of one answer
    /// @param loadingShards of this node's coordinator
    /// @param silentBrokers that coordinate groups and did not answer
    record Groups(long atMs, List<GroupSummary> groups, int leftOff, int loadingShards, List<Integer> silentBrokers) {}

    record GroupSummary(
            String groupId,
            String type,
            String state,
            String protocolType,
            int coordinator,
            int members,
            int partitions,
            long lagRecords,
            @Nullable Double lagSeconds) {}

    /// @param atMs when it was looked at
    record Group(
            String groupId,
            String type,
            String state,
            String protocolType,
            String assignor,
            int coordinator,
            long atMs,
            long lagRecords,
            @Nullable Double lagSeconds,
            List<GroupMember> members,
            List<GroupPartition> partitions) {}

    record GroupMember(String id, String clientId, String host, int partitions) {}

    /// @param committedMs null where another node coordinates the group
    /// @param stillSeconds how long the group has been seen to stand there
    /// @param member whose partition it is
    record GroupPartition(
            String topic,
            int partition,
            long committedOffset,
            @Nullable Long committedMs,
            @Nullable Long endOffset,
            @Nullable Long lagRecords,
            @Nullable Double lagSeconds,
            long stillSeconds,
            @Nullable String member) {}

    record Configs(String resource, List<Config> configs) {}

    /// @param value null if it has none, or is secret
    /// @param source Kafka's word for where it comes from
    record Config(
            String name,
            @Nullable String value,
            String source,
            boolean isDefault,
            boolean readOnly,
            boolean sensitive,
            String type,
            String documentation,
            List<Synonym> synonyms) {}

    /// One place that gives a value; the first is in effect.
    record Synonym(String name, @Nullable String value, String source) {}

    /// @param worst `ok`, `note`, `warning` or `problem`
    /// @param atMs when it was looked at
    record Findings(String subject, String worst, long atMs, List<Map<String, Object>> findings) {}

    record QuorumAnswer(
            @Nullable Integer leaderId, int epoch, long highWatermark, List<Voter> voters, List<Voter> observers) {}

    record Voter(
            int id,
            @Nullable Long logEndOffset,
            @Nullable Long lag,
            @Nullable Long lastFetchMs,
            @Nullable Long lastCaughtUpMs) {}
}
