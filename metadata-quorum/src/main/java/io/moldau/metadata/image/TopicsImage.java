package io.moldau.metadata.image;

import io.moldau.common.Invariant;
import io.moldau.common.InvariantViolation;
import io.moldau.common.TopicPartition;
import io.moldau.common.Uuid;
import io.moldau.metadata.partition.PartitionRegistration;
import java.util.Collection;
import org.jspecify.annotations.Nullable;
import org.pcollections.HashPMap;
import org.pcollections.HashTreePMap;
import org.pcollections.IntTreePMap;
import org.pcollections.PSortedMap;
import org.pcollections.TreePMap;

/// All topics, by name and by id.
public record TopicsImage(PSortedMap<String, TopicImage> byName, HashPMap<Uuid, String> nameById) {

    public static final TopicsImage EMPTY = new TopicsImage(TreePMap.empty(), HashTreePMap.empty());

    public @Nullable TopicImage topic(String name) {
        return byName.get(name);
    }

    public @Nullable TopicImage topic(Uuid id) {
        @Nullable String name = nameById.get(id);
        return name == null ? null : byName.get(name);
    }

    /// In the order of their names.
    public Collection<TopicImage> topics() {
        return byName.values();
    }

    public @Nullable PartitionRegistration partition(TopicPartition partition) {
        @Nullable TopicImage topic = topic(partition.topic());
        return topic == null ? null : topic.partition(partition.partition());
    }

    public @Nullable PartitionRegistration partition(Uuid topicId, int partition) {
        @Nullable TopicImage topic = topic(topicId);
        return topic == null ? null : topic.partition(partition);
    }

    TopicsImage withTopic(String name, Uuid id) {
        Invariant.check(!byName.containsKey(name), () -> "a record creates topic " + name + " again");
        Invariant.check(!nameById.containsKey(id), () -> "a record creates a second topic with id " + id);
        return new TopicsImage(
                byName.plus(name, new TopicImage(name, id, IntTreePMap.empty())), nameById.plus(id, name));
    }

    TopicsImage with(TopicImage topic) {
        return new TopicsImage(byName.plus(topic.name(), topic), nameById);
    }

    TopicsImage without(TopicImage topic) {
        return new TopicsImage(byName.minus(topic.name()), nameById.minus(topic.id()));
    }

    TopicsImage without(TopicPartition partition) {
        @Nullable TopicImage topic = topic(partition.topic());
        return topic == null ? this : with(topic.without(partition.partition()));
    }

    TopicImage existing(Uuid id) {
        @Nullable TopicImage topic = topic(id);
        if (topic == null) {
            throw new InvariantViolation("a record changes topic " + id + ", which does not exist");
        }
        return topic;
    }
}
