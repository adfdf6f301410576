package io.moldau.common;

/// A partition by its topic's id and name: unlike a name alone, it never means a re-created topic.
public record TopicIdPartition(Uuid topicId, TopicPartition topicPartition) {

    public String topic() {
        return topicPartition.topic();
    }

    public int partition() {
        return topicPartition.partition();
    }
}
