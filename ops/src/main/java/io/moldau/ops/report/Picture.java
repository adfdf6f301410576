package io.moldau.ops.cli;

import io.moldau.ops.cli.Cluster.Broker;
import io.moldau.ops.cli.Cluster.LogDir;
import io.moldau.ops.cli.Cluster.Topic;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.kafka.common.config.ConfigResource;

/// A cluster at one moment, as far as its brokers tell. A value; what is wrong in it is found by functions.
///
/// @param topics by name; those that were asked for
/// @param minInsync `min.insync.replicas` by topic
/// @param logDirs by broker; empty for one that serves and does not answer
/// @param quorumLeader -1 if there is none, [#UNKNOWN] if nobody could tell
record Picture(
        List<Broker> brokers,
        Map<String, Topic> topics,
        Map<String, Integer> minInsync,
        Map<Integer, List<LogDir>> logDirs,
        int quorumLeader) {

    static final int UNKNOWN = -2;

    /// Looks at the cluster, and at these topics.
    static Picture of(Cluster cluster, Collection<String> names) {
        Map<String, Topic> topics = new LinkedHashMap<>();
        Map<String, Integer> minInsync = new HashMap<>();
        if (!names.isEmpty()) {
            cluster.topics(names).forEach(topic -> topics.put(topic.name(), topic));
            var settings = cluster.configs(names.stream()
                    .map(name -> new ConfigResource(ConfigResource.Type.TOPIC, name))
                    .toList());
            for (String name : names) {
                minInsync.put(
                        name,
                        TopicReport.minInsync(
                                settings.getOrDefault(new ConfigResource(ConfigResource.Type.TOPIC, name), List.of())));
            }
        }
        List<Broker> brokers = cluster.brokers();
        Map<Integer, List<LogDir>> logDirs = new HashMap<>();
        brokers.stream()
                .filter(broker -> !broker.fenced())
                .forEach(broker -> logDirs.put(broker.id(), cluster.logDirs(broker.id())));
        return new Picture(brokers, topics, minInsync, logDirs, leader(cluster));
    }

    private static int leader(Cluster cluster) {
        try {
            return cluster.quorum().leaderId();
        } catch (ToolException e) {
            return UNKNOWN;
        }
    }

    Optional<Broker> broker(int id) {
        return brokers.stream().filter(broker -> broker.id() == id).findFirst();
    }

    boolean serves(int id) {
        return broker(id).filter(broker -> !broker.fenced()).isPresent();
    }

    /// Those of a broker that cannot be used.
    List<LogDir> failedDirs(int id) {
        return logDirs.getOrDefault(id, List.of()).stream()
                .filter(dir -> !dir.error().isEmpty())
                .toList();
    }

    int minInsync(Topic topic) {
        return minInsync.getOrDefault(topic.name(), 1);
    }
}
