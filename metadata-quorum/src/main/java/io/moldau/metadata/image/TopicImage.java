package io.moldau.metadata.image;

import io.moldau.common.Uuid;
import io.moldau.metadata.partition.PartitionRegistration;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.pcollections.IntTreePMap;

/// A topic and its partitions by number.
public record TopicImage(String name, Uuid id, IntTreePMap<PartitionRegistration> partitionMap) {

    /// By partition number, in ascending order.
    public Map<Integer, PartitionRegistration> partitions() {
        return partitionMap;
    }

    public @Nullable PartitionRegistration partition(int partition) {
        return partitionMap.get(partition);
    }

    TopicImage with(int partition, PartitionRegistration registration) {
        return new TopicImage(name, id, partitionMap.plus(partition, registration));
    }

    TopicImage without(int partition) {
        return new TopicImage(name, id, partitionMap.minus(partition));
    }
}
