package io.moldau.common;

/// A partition by its topic's name.
public record TopicPartition(String topic, int partition) implements Comparable<TopicPartition> {

    /// The directory name of this partition's log: `topic-partition`.
    @Override
    public String toString() {
        return topic + "-" + partition;
    }

    @Override
    public int compareTo(TopicPartition other) {
        int byTopic = topic.compareTo(other.topic);
        return byTopic != 0 ? byTopic : Integer.compare(partition, other.partition);
    }
}
