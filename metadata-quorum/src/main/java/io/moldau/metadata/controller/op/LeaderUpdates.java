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
        return brokerLeft(image, brokerId, settings, Alone.LOSES_LEADERSHIP);
    }

    /// What becomes of partitions that a broker leads and of whose ISR it is the only member.
    enum Alone {
        /// They have no leader until it is back.
        LOSES_LEADERSHIP,
        /// It stays their leader while it is away: nobody else can be. Saves two changes of every such partition each
        /// time a broker restarts.
        STAYS_LEADER,
        /// It stays their leader, but in a new leader epoch, since it may have lost records of the old one.
        STAYS_LEADER_IN_NEW_EPOCH
    }

    static List<MetadataRecord> brokerLeft(
            MetadataImage image, int brokerId, ControllerSettings settings, Alone alone) {
        IntPredicate active = id -> id != brokerId && image.cluster().isActive(id);
        var records = new ArrayList<MetadataRecord>();
        for (TopicImage topic : image.topics().topics()) {
            LeaderElector.Mode mode = mode(image, topic.name(), settings);
            topic.partitions().forEach((id, partition) -> {
                if (alone != Alone.LOSES_LEADERSHIP && isAlone(partition, brokerId)) {
                    if (alone == Alone.STAYS_LEADER_IN_NEW_EPOCH) {
                        change(topic, id, partition, other -> true)
                                .newEpoch()
                                .build()
                                .ifPresent(records::add);
                    }
                } else if (partition.leader() == brokerId || partition.isr().contains(brokerId)) {
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

    private static boolean isAlone(PartitionRegistration partition, int brokerId) {
        return partition.leader() == brokerId
                && partition.isr().size() == 1
                && partition.isr().getFirst() == brokerId;
    }

    /// The broker can lead again: partitions without a leader, or with one that is away, that have a replica there
    /// may
    /// get one.
    static List<MetadataRecord> brokerCame(MetadataImage image, int brokerId, ControllerSettings settings) {
        IntPredicate active = id -> id == brokerId || image.cluster().isActive(id);
        var records = new ArrayList<MetadataRecord>();
        for (TopicImage topic : image.topics().topics()) {
            LeaderElector.Mode mode = mode(image, topic.name(), settings);
            topic.partitions().forEach((id, partition) -> {
                if (!active.test(partition.leader()) && partition.replicas().contains(brokerId)) {
                    change(topic, id, partition, active).mode(mode).build().ifPresent(records::add);
                }
            });
        }
        return records;
    }

    /// Whether the broker leads any partition that others could lead.
    static boolean leadsForOthers(MetadataImage image, int brokerId) {
        for (TopicImage topic : image.topics().topics()) {
            for (PartitionRegistration partition : topic.partitions().values()) {
                if (partition.leader() == brokerId && !isAlone(partition, brokerId)) {
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
