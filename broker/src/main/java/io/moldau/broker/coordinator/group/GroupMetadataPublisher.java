package io.moldau.broker.coordinator.group;

import io.moldau.common.Uuid;
import io.moldau.metadata.image.MetadataDelta;
import io.moldau.metadata.image.MetadataImage;
import io.moldau.metadata.image.TopicImage;
import io.moldau.metadata.image.TopicsDelta;
import io.moldau.metadata.image.loader.LoaderManifest;
import io.moldau.metadata.image.publisher.MetadataPublisher;
import java.util.HashMap;
import java.util.HashSet;

/// Tells the group coordinator which partitions of its topic this node leads and what has become of topics. Runs on the
/// metadata loader's thread, after the partitions themselves have been told.
public final class GroupMetadataPublisher implements MetadataPublisher {

    private final int localId;
    private final GroupCoordinator coordinator;

    public GroupMetadataPublisher(int localId, GroupCoordinator coordinator) {
        this.localId = localId;
        this.coordinator = coordinator;
    }

    @Override
    public String name() {
        return "group coordinator";
    }

    @Override
    public void onMetadataUpdate(MetadataDelta delta, MetadataImage newImage, LoaderManifest manifest) {
        var topics = delta.topicsDelta();
        topics.localChanges(localId)
                .leaderships(OffsetsTopic.NAME, coordinator.runtime()::resigned, coordinator::elected);
        var deleted = new HashMap<String, Uuid>();
        topics.deletedTopics().forEach(topic -> deleted.put(topic.name(), topic.id()));
        if (!deleted.isEmpty()) {
            coordinator.onTopicsDeleted(deleted);
        }
        tellChanges(topics, newImage.offset());
    }

    /// Consumer groups divide topics by their partitions and where these are, not by who leads them.
    private void tellChanges(TopicsDelta topics, long metadataOffset) {
        var changed = new HashSet<String>();
        boolean anyNew = false;
        for (var id : topics.changedPartitions().keySet()) {
            var before = topics.base().topic(id);
            var after = topics.image().topic(id);
            if (after != null && (before == null || !samePlaces(before, after))) {
                changed.add(after.name());
                anyNew |= before == null;
            }
        }
        topics.deletedTopics().forEach(topic -> changed.add(topic.name()));
        if (!changed.isEmpty()) {
            coordinator.onTopicsChanged(changed, anyNew, metadataOffset);
        }
    }

    private static boolean samePlaces(TopicImage before, TopicImage after) {
        if (before.partitions().size() != after.partitions().size()) {
            return false;
        }
        for (var entry : after.partitions().entrySet()) {
            var old = before.partition(entry.getKey());
            if (old == null || !old.replicas().equals(entry.getValue().replicas())) {
                return false;
            }
        }
        return true;
    }
}
