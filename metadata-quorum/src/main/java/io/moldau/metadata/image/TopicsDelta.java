package io.moldau.metadata.image;

import io.moldau.common.InvariantViolation;
import io.moldau.common.TopicIdPartition;
import io.moldau.common.TopicPartition;
import io.moldau.common.Uuid;
import io.moldau.metadata.partition.PartitionRegistration;
import io.moldau.metadata.record.MetadataRecords;
import io.moldau.metadata.record.PartitionChangeRecord;
import io.moldau.metadata.record.PartitionRecord;
import io.moldau.metadata.record.RemoveTopicRecord;
import io.moldau.metadata.record.TopicRecord;
import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/// What changed about topics. Owned by whoever owns the [MetadataDelta].
public final class TopicsDelta {

    private final TopicsImage base;
    private TopicsImage image;
    /// The topic changed last; not in `image` yet, because more of its partitions usually follow.
    private @Nullable TopicImage open;

    /// Topics that exist now: partitions that are new or changed. A new topic without partitions has an empty set.
    private final Map<Uuid, Set<Integer>> changed = new LinkedHashMap<>();
    /// Topics of the base image that are gone.
    private final Map<Uuid, TopicImage> deleted = new LinkedHashMap<>();

    TopicsDelta(TopicsImage base) {
        this.base = base;
        this.image = base;
    }

    /// The difference between two images.
    static TopicsDelta between(TopicsImage base, TopicsImage target) {
        var delta = new TopicsDelta(base);
        delta.image = target;
        for (TopicImage old : base.topics()) {
            if (target.topic(old.id()) == null) {
                delta.deleted.put(old.id(), old);
            }
        }
        for (TopicImage topic : target.topics()) {
            @Nullable TopicImage old = base.topic(topic.id());
            if (topic == old) {
                continue;
            }
            var partitions = new TreeSet<Integer>();
            topic.partitions().forEach((id, registration) -> {
                if (old == null || !registration.equals(old.partition(id))) {
                    partitions.add(id);
                }
            });
            if (old == null || !partitions.isEmpty()) {
                delta.changed.put(topic.id(), partitions);
            }
        }
        return delta;
    }

    void replay(TopicRecord record) {
        Uuid id = MetadataRecords.uuid(record.getTopicId());
        close();
        image = image.withTopic(record.getName(), id);
        changed.put(id, new TreeSet<>());
    }

    void replay(PartitionRecord record) {
        TopicImage topic = existing(MetadataRecords.uuid(record.getTopicId()));
        put(topic, record.getPartitionId(), PartitionRegistration.from(record));
    }

    void replay(PartitionChangeRecord record) {
        TopicImage topic = existing(MetadataRecords.uuid(record.getTopicId()));
        @Nullable PartitionRegistration partition = topic.partition(record.getPartitionId());
        if (partition == null) {
            throw new InvariantViolation("a record changes partition " + topic.name() + "-" + record.getPartitionId()
                    + ", which does not exist");
        }
        put(topic, record.getPartitionId(), partition.merge(record));
    }

    /// Returns the name of the topic that is gone.
    String replay(RemoveTopicRecord record) {
        TopicImage topic = existing(MetadataRecords.uuid(record.getTopicId()));
        open = null;
        image = image.without(topic);
        changed.remove(topic.id());
        @Nullable TopicImage old = base.topic(topic.id());
        if (old != null) {
            deleted.put(topic.id(), old);
        }
        return topic.name();
    }

    private void put(TopicImage topic, int partition, PartitionRegistration registration) {
        open = topic.with(partition, registration);
        changed.computeIfAbsent(topic.id(), id -> new TreeSet<>()).add(partition);
    }

    /// The topic as it is now; closes the one changed before if it is another.
    private TopicImage existing(Uuid id) {
        TopicImage current = open;
        if (current != null && current.id().equals(id)) {
            return current;
        }
        close();
        return image.existing(id);
    }

    private void close() {
        TopicImage current = open;
        if (current != null) {
            image = image.with(current);
            open = null;
        }
    }

    public TopicsImage base() {
        return base;
    }

    public TopicsImage image() {
        close();
        return image;
    }

    public boolean isEmpty() {
        return changed.isEmpty() && deleted.isEmpty();
    }

    /// Topics that are new or of which a partition changed, with the changed partitions.
    public Map<Uuid, Set<Integer>> changedPartitions() {
        return Collections.unmodifiableMap(changed);
    }

    /// Topics the base image had and that are gone, as they were. One that was created again under the same name is
    /// here with its old id.
    public Collection<TopicImage> deletedTopics() {
        return Collections.unmodifiableCollection(deleted.values());
    }

    public boolean isDeleted(Uuid topicId) {
        return deleted.containsKey(topicId);
    }

    /// What this means for the replicas of one broker.
    public LocalReplicaChanges localChanges(int brokerId) {
        var deletedReplicas = new LinkedHashSet<TopicIdPartition>();
        var electedLeaders = new LinkedHashMap<TopicIdPartition, PartitionRegistration>();
        var leaders = new LinkedHashMap<TopicIdPartition, PartitionRegistration>();
        var followers = new LinkedHashMap<TopicIdPartition, PartitionRegistration>();
        var topicIds = new LinkedHashMap<String, Uuid>();
        for (TopicImage topic : deleted.values()) {
            topic.partitions().forEach((partition, registration) -> {
                if (registration.replicas().contains(brokerId)) {
                    deletedReplicas.add(idPartition(topic, partition));
                }
            });
        }
        changed.forEach((id, partitions) -> {
            TopicImage topic = existing(id);
            @Nullable TopicImage oldTopic = base.topic(id);
            for (int partition : partitions) {
                PartitionRegistration now = Objects.requireNonNull(topic.partition(partition));
                @Nullable PartitionRegistration before = oldTopic == null ? null : oldTopic.partition(partition);
                if (!now.replicas().contains(brokerId)) {
                    if (before != null && before.replicas().contains(brokerId)) {
                        deletedReplicas.add(idPartition(topic, partition));
                    }
                    continue;
                }
                TopicIdPartition key = idPartition(topic, partition);
                topicIds.put(topic.name(), id);
                if (now.leader() == brokerId) {
                    leaders.put(key, now);
                    if (before == null || before.leaderEpoch() != now.leaderEpoch()) {
                        electedLeaders.put(key, now);
                    }
                } else {
                    followers.put(key, now);
                }
            }
        });
        return new LocalReplicaChanges(deletedReplicas, electedLeaders, leaders, followers, topicIds);
    }

    private static TopicIdPartition idPartition(TopicImage topic, int partition) {
        return new TopicIdPartition(topic.id(), new TopicPartition(topic.name(), partition));
    }
}
