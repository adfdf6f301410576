package io.moldau.broker.coordinator.group.assignor;

import io.moldau.common.Uuid;
import java.util.Map;
import java.util.Set;

/// Decides which member of a consumer group reads which partitions (KIP-848). Pure, and the same for the same input.
public interface PartitionAssignor {

    /// What members name in ConsumerGroupHeartbeat's `ServerAssignor`, and `group.consumer.assignors` lists.
    String name();

    /// The new target assignment: each member of the group, and its partitions by topic. Every partition of a topic
    /// that somebody subscribes to has exactly one owner.
    Map<String, Map<Uuid, Set<Integer>>> assign(GroupSpec group, TopicLookup topics);
}
