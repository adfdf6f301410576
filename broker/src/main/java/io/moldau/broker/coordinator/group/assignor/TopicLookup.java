package io.moldau.broker.coordinator.group.assignor;

import io.moldau.common.Uuid;
import java.util.Set;

/// What an assignor may ask about topics.
public interface TopicLookup {

    /// How many partitions the topic has; 0 if it does not exist.
    int partitionCount(Uuid topic);

    /// The racks of the brokers that hold the partition; empty where racks are not set.
    Set<String> racks(Uuid topic, int partition);
}
