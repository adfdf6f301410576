package io.moldau.ops.cli;

import io.moldau.common.Uuid;
import io.moldau.ops.cli.Cluster.Setting;
import io.moldau.ops.report.Picture.Partition;
import io.moldau.ops.report.Picture.Topic;
import io.moldau.ops.report.TextTable;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/// A topic at one moment, for people and for scripts. A value.
///
/// @param settings those that were set for the topic itself
/// @param minInsync the fewest in-sync replicas for a write with acks=all
record TopicReport(
        String name,
        Uuid id,
        int partitionCount,
        int replicationFactor,
        int minInsync,
        Map<String, String> settings,
        List<Partition> partitions) {

    private static final String OF_THE_TOPIC = "dynamic topic config";

    static TopicReport of(Topic topic, List<Setting> settings) {
        Map<String, String> own = new LinkedHashMap<>();
        settings.stream()
                .filter(setting -> setting.source().equals(OF_THE_TOPIC))
                .forEach(setting -> own.put(setting.name(), String.valueOf(setting.value())));
        return new TopicReport(
                topic.name(),
                topic.id(),
                topic.partitions().size(),
                topic.replicationFactor(),
                minInsync(settings),
                own,
                topic.partitions());
    }

    /// What the settings of a topic say, 1 if they say nothing.
    static int minInsync(List<Setting> settings) {
        return settings.stream()
                .filter(setting -> setting.name().equals("min.insync.replicas") && setting.value() != null)
                .mapToInt(setting -> Integer.parseInt(String.valueOf(setting.value())))
                .findFirst()
                .orElse(1);
    }

    /// The same with those partitions only that are not well.
    TopicReport unhealthy() {
        return new TopicReport(
                name,
                id,
                partitionCount,
                replicationFactor,
                minInsync,
                settings,
                partitions.stream()
                        .filter(partition -> !state(partition).equals("ok"))
                        .toList());
    }

    /// In one word, the worst first.
    String state(Partition partition) {
        if (partition.offline()) {
            return "OFFLINE";
        }
        if (partition.isr().size() < Math.min(minInsync, partition.replicas().size())) {
            return "UNDER MIN ISR";
        }
        return partition.underReplicated() ? "UNDER-REPLICATED" : "ok";
    }

    String text() {
        var table = new TextTable("PARTITION", "LEADER", "REPLICAS", "ISR", "STATE");
        for (Partition partition : partitions) {
            table.row(
                    partition.id(),
                    partition.offline() ? "-" : partition.leader(),
                    ids(partition.replicas()),
                    ids(partition.isr()),
                    state(partition));
        }
        String own = settings.entrySet().stream()
                .map(entry -> entry.getKey() + "=" + entry.getValue())
                .collect(Collectors.joining(", "));
        return "topic %s, id %s, partitions %d, replication factor %d, min in-sync %d%s\n\n%s"
                .formatted(
                        name,
                        id,
                        partitionCount,
                        replicationFactor,
                        minInsync,
                        own.isEmpty() ? "" : "\n  " + own,
                        table);
    }

    Map<String, Object> json() {
        Map<String, Object> json = new LinkedHashMap<>();
        json.put("name", name);
        json.put("id", id.toString());
        json.put("replicationFactor", replicationFactor);
        json.put("minInsyncReplicas", minInsync);
        json.put("configs", settings);
        json.put("partitions", partitions.stream().map(this::json).toList());
        return json;
    }

    private Map<String, Object> json(Partition partition) {
        Map<String, Object> json = new LinkedHashMap<>();
        json.put("partition", partition.id());
        json.put("leader", partition.leader());
        json.put("replicas", partition.replicas());
        json.put("isr", partition.isr());
        json.put("offline", partition.offline());
        json.put("underReplicated", partition.underReplicated());
        json.put("underMinIsr", state(partition).equals("UNDER MIN ISR") || partition.offline());
        return json;
    }

    /// Many topics, a line each.
    static String list(List<Topic> topics) {
        if (topics.isEmpty()) {
            return "There are no topics.";
        }
        var table = new TextTable("TOPIC", "PARTITIONS", "REPLICAS", "UNDER-REPLICATED", "OFFLINE");
        for (Topic topic : topics) {
            table.row(
                    topic.name(),
                    topic.partitions().size(),
                    topic.replicationFactor(),
                    topic.partitions().stream()
                            .filter(Partition::underReplicated)
                            .count(),
                    topic.partitions().stream().filter(Partition::offline).count());
        }
        return table.toString();
    }

    static Map<String, Object> summary(Topic topic) {
        Map<String, Object> json = new LinkedHashMap<>();
        json.put("name", topic.name());
        json.put("id", topic.id().toString());
        json.put("internal", topic.internal());
        json.put("partitions", topic.partitions().size());
        json.put("replicationFactor", topic.replicationFactor());
        json.put(
                "underReplicatedPartitions",
                topic.partitions().stream().filter(Partition::underReplicated).count());
        json.put(
                "offlinePartitions",
                topic.partitions().stream().filter(Partition::offline).count());
        return json;
    }

    static String ids(List<Integer> brokers) {
        return brokers.isEmpty() ? "-" : brokers.stream().map(String::valueOf).collect(Collectors.joining(","));
    }
}
