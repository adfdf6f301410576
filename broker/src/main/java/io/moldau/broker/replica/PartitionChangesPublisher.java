package io.moldau.broker.replica;

import io.moldau.common.TopicIdPartition;
import io.moldau.metadata.image.ConfigResource;
import io.moldau.metadata.image.LocalReplicaChanges;
import io.moldau.metadata.image.MetadataDelta;
import io.moldau.metadata.image.MetadataImage;
import io.moldau.metadata.image.TopicImage;
import io.moldau.metadata.image.loader.LoaderManifest;
import io.moldau.metadata.image.publisher.MetadataPublisher;
import io.moldau.metadata.partition.PartitionRegistration;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;

/// Turns what changed in the metadata into what this node's replicas have to do: lead, follow, go, or use other
/// settings. Runs on the metadata loader's thread.
public final class PartitionChangesPublisher implements MetadataPublisher {

    private final PartitionRegistry registry;
    private final TopicSettingsSource settings;

    public PartitionChangesPublisher(PartitionRegistry registry, TopicSettingsSource settings) {
        this.registry = registry;
        this.settings = settings;
    }

    @Override
    public String name() {
        return "partition changes";
    }

    @Override
    public void onMetadataUpdate(MetadataDelta delta, MetadataImage newImage, LoaderManifest manifest) {
        LocalReplicaChanges changes = delta.topicsDelta().localChanges(registry.localId());
        for (TopicIdPartition gone : changes.deleted()) {
            registry.delete(gone.topicPartition());
        }
        Map<String, TopicSettings> ofTopic = new HashMap<>();
        for (Map.Entry<TopicIdPartition, PartitionRegistration> it :
                changes.leaders().entrySet()) {
            registry.becomeLeader(it.getKey(), it.getValue(), settingsOf(it.getKey(), newImage, ofTopic));
        }
        for (Map.Entry<TopicIdPartition, PartitionRegistration> it :
                changes.followers().entrySet()) {
            registry.becomeFollower(it.getKey(), it.getValue(), settingsOf(it.getKey(), newImage, ofTopic));
        }
        if (!delta.clusterDelta().isEmpty()) {
            registry.checkFollowers();
        }
        Map<String, TopicSettings> changed = new HashMap<>();
        for (String topic : topicsWithOtherSettings(delta, newImage)) {
            changed.put(topic, settings.settings(newImage, topic));
        }
        if (!changed.isEmpty()) {
            registry.updateSettings(changed);
        }
    }

    private TopicSettings settingsOf(
            TopicIdPartition partition, MetadataImage image, Map<String, TopicSettings> known) {
        return known.computeIfAbsent(partition.topic(), topic -> settings.settings(image, topic));
    }

    /// A change of a broker's own settings may reach every topic that does not override them.
    private Set<String> topicsWithOtherSettings(MetadataDelta delta, MetadataImage image) {
        Set<String> topics = new LinkedHashSet<>();
        for (ConfigResource resource : delta.configsDelta().changedResources()) {
            switch (resource.type()) {
                case TOPIC -> {
                    if (image.topics().topic(resource.name()) != null) {
                        topics.add(resource.name());
                    }
                }
                case BROKER -> {
                    if (resource.name().isEmpty() || resource.name().equals(Integer.toString(registry.localId()))) {
                        for (TopicImage topic : image.topics().topics()) {
                            topics.add(topic.name());
                        }
                    }
                }
                case BROKER_LOGGER, CLIENT_METRICS, GROUP -> {}
            }
        }
        return topics;
    }
}
