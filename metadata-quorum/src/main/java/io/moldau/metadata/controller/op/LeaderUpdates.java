package io.moldau.metadata.controller.op;

import io.moldau.metadata.controller.ControllerSettings;
import io.moldau.metadata.image.ConfigResource;
import io.moldau.metadata.image.MetadataImage;
import io.moldau.metadata.image.TopicImage;
import io.moldau.metadata.partition.LeaderElector;
import io.moldau.metadata.partition.PartitionChange;
import io.moldau.metadata.partition.PartitionRegistration;
import io.moldau.metadata.record.MetadataRecord;
import java.util.ArrayList;
import java.util.List;
import java.util.function.IntPredicate;

/// What has to change in partitions when a broker comes or goes.
final class LeaderUpdates {

    private static final String UNCLEAN_KEY = "unclean.leader.election.enable";

    private LeaderUpdates() {}

    /// The broker cannot lead any more: it leaves every ISR that has another member, and what it led gets another
    /// leader, or none.
    static List<MetadataRecord> brokerLeft(MetadataImage image, int brokerId, ControllerSettings settings) {
        IntPredicate active = id -> id != brokerId && image.cluster().isActive(id);
        var records = new ArrayList<MetadataRecord>();
        for (TopicImage topic : image.topics().topics()) {
            LeaderElector.Mode mode = mode(image, topic.name(), settings);
            topic.partitions().forEach((id, partition) -> {
                if (partition.leader() == brokerId || partition.isr().contains(brokerId)) {
                    change(topic, id, partition, active)
                            .withoutInIsr(brokerId)
                            .mode(mode)
                            .build()
                            .ifPresent(records::add);
                }
            });
        }
        return records;
    }

    /// The broker can lead again: partitions without a leader that have a replica there may get one.
    static List<MetadataRecord> brokerCame(MetadataImage image, int brokerId, ControllerSettings settings) {
        IntPredicate active = id -> id == brokerId || image.cluster().isActive(id);
        var records = new ArrayList<MetadataRecord>();
        for (TopicImage topic : image.topics().topics()) {
            LeaderElector.Mode mode = mode(image, topic.name(), settings);
            topic.partitions().forEach((id, partition) -> {
                if (!partition.hasLeader() && partition.replicas().contains(brokerId)) {
                    change(topic, id, partition, active).mode(mode).build().ifPresent(records::add);
                }
            });
        }
        return records;
    }

    /// Whether the broker leads any partition.
    static boolean leadsAnything(MetadataImage image, int brokerId) {
        for (TopicImage topic : image.topics().topics()) {
            for (PartitionRegistration partition : topic.partitions().values()) {
                if (partition.leader() == brokerId) {
                    return true;
                }
            }
        }
        return false;
    }

    private static PartitionChange change(
            TopicImage topic, int partitionId, PartitionRegistration partition, IntPredicate active) {
        return new PartitionChange(partition, topic.id(), partitionId, active);
    }

    private static LeaderElector.Mode mode(MetadataImage image, String topic, ControllerSettings settings) {
        return isUncleanAllowed(image, topic, settings) ? LeaderElector.Mode.UNCLEAN : LeaderElector.Mode.ONLINE;
    }

    /// The topic's setting, else the cluster's, else the controller's.
    static boolean isUncleanAllowed(MetadataImage image, String topic, ControllerSettings settings) {
        String own = image.configs().overrides(ConfigResource.topic(topic)).get(UNCLEAN_KEY);
        if (own == null) {
            own = image.configs().overrides(ConfigResource.brokerDefault()).get(UNCLEAN_KEY);
        }
        return own == null ? settings.uncleanLeaderElection() : Boolean.parseBoolean(own);
    }
}
