package io.moldau.ops.admin;

import java.util.List;
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

    record Broker(
            int id,
            long epoch,
            @Nullable String rack,
            String state,
            List<Listener> listeners,
            int replicas,
            int leaders,
            int preferredLeaders) {}

    record Listener(String name, String host, int port) {}

    record Topics(List<TopicSummary> topics) {}

    record TopicSummary(
            String name,
            String id,
            boolean internal,
            int partitions,
            int replicationFactor,
            int offlinePartitions,
            int underReplicatedPartitions) {}

    record Topic(String name, String id, boolean internal, int minInsyncReplicas, List<Partition> partitions) {}

    /// @param local what this node's replica says; null if it has none
    record Partition(
            int partition,
            @Nullable Integer leader,
            int leaderEpoch,
            List<Integer> replicas,
            List<Integer> isr,
            boolean underReplicated,
            @Nullable Replica local) {}

    record Replica(long logStartOffset, long highWatermark, long logEndOffset, long sizeInBytes, int segments) {}

    /// @param atMs when the node looked, at most a second ago; ages are as of then
    /// @param leftOff groups over `moldau.metrics.max.groups`
    record Groups(long atMs, List<Group> groups, int leftOff, int loadingShards) {}

    record Group(
            String groupId,
            String state,
            String protocolType,
            int members,
            long lagRecords,
            @Nullable Double lagSeconds,
            List<GroupPartition> partitions) {}

    record GroupPartition(
            String topic,
            int partition,
            long committedOffset,
            long committedMs,
            @Nullable Long endOffset,
            @Nullable Long lagRecords,
            @Nullable Double lagSeconds) {}

    record QuorumAnswer(
            @Nullable Integer leaderId, int epoch, long highWatermark, List<Voter> voters, List<Voter> observers) {}

    record Voter(
            int id,
            @Nullable Long logEndOffset,
            @Nullable Long lag,
            @Nullable Long lastFetchMs,
            @Nullable Long lastCaughtUpMs) {}
}
