package io.moldau.broker.coordinator.group;

import io.moldau.common.Uuid;
import io.moldau.metadata.image.MetadataDelta;
import io.moldau.metadata.image.MetadataImage;
import io.moldau.metadata.image.loader.LoaderManifest;
import io.moldau.metadata.image.publisher.MetadataPublisher;
import java.util.HashMap;

/// Tells the group coordinator which partitions of its topic this node leads and which topics are gone. Runs on the
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
        var changes = topics.localChanges(localId);
        var runtime = coordinator.runtime();
        for (var gone : changes.deleted()) {
            if (gone.topic().equals(OffsetsTopic.NAME)) {
                runtime.resigned(gone.partition());
            }
        }
        for (var followed : changes.followers().keySet()) {
            if (followed.topic().equals(OffsetsTopic.NAME)) {
                runtime.resigned(followed.partition());
            }
        }
        changes.electedLeaders().forEach((partition, registration) -> {
            if (partition.topic().equals(OffsetsTopic.NAME)) {
                coordinator.elected(partition.partition(), registration.leaderEpoch());
            }
        });
        var deleted = new HashMap<String, Uuid>();
        topics.deletedTopics().forEach(topic -> deleted.put(topic.name(), topic.id()));
        if (!deleted.isEmpty()) {
            coordinator.onTopicsDeleted(deleted);
        }
    }
}
