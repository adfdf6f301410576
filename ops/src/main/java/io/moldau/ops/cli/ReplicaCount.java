package io.moldau.ops.cli;

import io.moldau.common.TopicPartition;
import io.moldau.ops.report.Picture.Broker;
import io.moldau.ops.report.Picture.Partition;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/// Which brokers are to have a topic's partitions when their number of replicas changes. A function.
///
/// Replicas stay where they are. One that is added goes to a rack that has none yet, and there to the
/// broker with the fewest; one that goes is the last that is in sync with nobody, else the last.
final class ReplicaCount {

    private ReplicaCount() {}

    /// @param brokers those that serve, at least `replicas`
    /// @return only partitions that change
    static Map<TopicPartition, List<Integer>> change(
            String topic, Collection<Partition> partitions, List<Broker> brokers, int replicas) {
        Map<Integer, Integer> load = new HashMap<>();
        partitions.forEach(partition -> partition.replicas().forEach(broker -> load.merge(broker, 1, Integer::sum)));
        Map<Integer, String> racks = brokers.stream().collect(Collectors.toMap(Broker::id, Broker::rack));
        Map<TopicPartition, List<Integer>> changes = new LinkedHashMap<>();
        for (Partition partition : partitions) {
            List<Integer> wanted = new ArrayList<>(partition.replicas());
            while (wanted.size() > replicas) {
                int last = wanted.stream()
                        .filter(broker -> !partition.isr().contains(broker))
                        .reduce((_, later) -> later)
                        .orElse(wanted.getLast());
                wanted.remove((Integer) last);
                load.merge(last, -1, Integer::sum);
            }
            while (wanted.size() < replicas) {
                Set<String> used = new HashSet<>();
                wanted.forEach(broker -> used.add(racks.getOrDefault(broker, "")));
                int next = brokers.stream()
                        .filter(broker -> !wanted.contains(broker.id()))
                        .min(Comparator.<Broker>comparingInt(broker -> used.contains(broker.rack()) ? 1 : 0)
                                .thenComparing(broker -> load.getOrDefault(broker.id(), 0))
                                .thenComparing(Broker::id))
                        .orElseThrow()
                        .id();
                wanted.add(next);
                load.merge(next, 1, Integer::sum);
            }
            if (!wanted.equals(partition.replicas())) {
                changes.put(new TopicPartition(topic, partition.id()), List.copyOf(wanted));
            }
        }
        return changes;
    }
}
