package io.moldau.ops.cli;

import io.moldau.ops.report.Picture;
import io.moldau.ops.report.Picture.LogDir;
import io.moldau.ops.report.Picture.Topic;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.common.config.ConfigResource;

/// Pictures of a cluster that is asked from outside. Functions.
final class Pictures {

    private Pictures() {}

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
        var brokers = cluster.brokers();
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
            return Picture.UNKNOWN;
        }
    }
}
