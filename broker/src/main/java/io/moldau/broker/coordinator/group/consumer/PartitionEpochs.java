package io.moldau.broker.coordinator.group.consumer;

import io.moldau.common.Uuid;
import java.util.Collections;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/// Partitions of a member, each with the member's epoch when it got it (KIP-1251).
///
/// @param byTopic in order, never with an empty topic; not to be changed
public record PartitionEpochs(SortedMap<Uuid, SortedMap<Integer, Integer>> byTopic) {

    public static final PartitionEpochs NONE = new PartitionEpochs(Collections.emptySortedMap());

    /// Does something with each partition.
    @FunctionalInterface
    public interface Visitor {
        void visit(Uuid topic, int partition, int epoch);
    }

    /// Collects partitions.
    public static final class Builder {
        private final SortedMap<Uuid, SortedMap<Integer, Integer>> byTopic = new TreeMap<>();

        public Builder add(Uuid topic, int partition, int epoch) {
            byTopic.computeIfAbsent(topic, id -> new TreeMap<>()).put(partition, epoch);
            return this;
        }

        public PartitionEpochs build() {
            return byTopic.isEmpty() ? NONE : new PartitionEpochs(byTopic);
        }
    }

    /// All of these in one epoch.
    public static PartitionEpochs of(Map<Uuid, Set<Integer>> partitions, int epoch) {
        var builder = new Builder();
        partitions.forEach((topic, indexes) -> indexes.forEach(index -> builder.add(topic, index, epoch)));
        return builder.build();
    }

    public boolean isEmpty() {
        return byTopic.isEmpty();
    }

    /// The epoch in which the member got the partition, or null if it does not have it.
    public @Nullable Integer epoch(Uuid topic, int partition) {
        var ofTopic = byTopic.get(topic);
        return ofTopic == null ? null : ofTopic.get(partition);
    }

    public boolean contains(Uuid topic, int partition) {
        return epoch(topic, partition) != null;
    }

    public void forEach(Visitor visitor) {
        byTopic.forEach((topic, partitions) ->
                partitions.forEach((partition, epoch) -> visitor.visit(topic, partition, epoch)));
    }

    /// Whether both have the same partitions, whatever the epochs.
    public boolean samePartitions(PartitionEpochs other) {
        if (!byTopic.keySet().equals(other.byTopic.keySet())) {
            return false;
        }
        for (var entry : byTopic.entrySet()) {
            var others = other.byTopic.get(entry.getKey());
            if (others == null || !entry.getValue().keySet().equals(others.keySet())) {
                return false;
            }
        }
        return true;
    }

    /// The same partitions as if they had been there from the beginning.
    public PartitionEpochs inEpochZero() {
        var builder = new Builder();
        forEach((topic, partition, epoch) -> builder.add(topic, partition, 0));
        return builder.build();
    }

    /// Whether any of these is among `partitions`.
    boolean intersects(Map<Uuid, Set<Integer>> partitions) {
        for (var entry : partitions.entrySet()) {
            for (int partition : entry.getValue()) {
                if (contains(entry.getKey(), partition)) {
                    return true;
                }
            }
        }
        return false;
    }

    /// Whether all of `partitions` are among these.
    public boolean containsAll(Map<Uuid, Set<Integer>> partitions) {
        for (var entry : partitions.entrySet()) {
            for (int partition : entry.getValue()) {
                if (!contains(entry.getKey(), partition)) {
                    return false;
                }
            }
        }
        return true;
    }
}
