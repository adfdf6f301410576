package io.moldau.metadata.controller.op;

import io.moldau.common.Uuid;
import io.moldau.metadata.controller.ControllerSettings;
import io.moldau.metadata.image.BrokerRegistration;
import io.moldau.metadata.image.MetadataImage;
import io.moldau.metadata.image.TopicImage;
import io.moldau.metadata.partition.PartitionChange;
import io.moldau.metadata.partition.PartitionRegistration;
import io.moldau.metadata.partition.PartitionRules;
import io.moldau.metadata.record.MetadataRecord;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.function.IntPredicate;

/// What has to change in partitions when a broker comes or goes.
///
/// Each looks at all partitions of the cluster, which at 100,000 of them takes a few milliseconds; see the README.
final class LeaderUpdates {

    private LeaderUpdates() {}

    /// The broker was fenced or unregistered. It leaves every ISR, except as its last member where there are no
    /// eligible leaders; what it led gets another leader, or none.
    static List<MetadataRecord> brokerLeft(MetadataImage image, int brokerId, ControllerSettings settings) {
        return brokerLeft(image, brokerId, settings, SoleReplica.LOSES_LEADERSHIP);
    }

    /// The broker leaves in order, or another process takes its place after it had. As [#brokerLeft], but partitions of
    /// which it has the only replica stay with it.
    static List<MetadataRecord> brokerLeftInOrder(MetadataImage image, int brokerId, ControllerSettings settings) {
        return brokerLeft(image, brokerId, settings, SoleReplica.KEEPS_LEADERSHIP);
    }

    private enum SoleReplica {
        LOSES_LEADERSHIP,
        /// Nobody else can ever lead. Saves two changes of every such partition each time a broker restarts.
        KEEPS_LEADERSHIP
    }

    private static List<MetadataRecord> brokerLeft(
            MetadataImage image, int brokerId, ControllerSettings settings, SoleReplica sole) {
        IntPredicate active = activeBut(image, brokerId);
        var rules = new TopicRules(image, settings);
        var records = new ArrayList<MetadataRecord>();
        for (TopicImage topic : image.topics().topics()) {
            PartitionRules topicRules = rules.of(topic.name());
            topic.partitions().forEach((id, partition) -> {
                boolean concerned =
                        partition.leader() == brokerId || partition.isr().contains(brokerId);
                if (concerned && !(sole == SoleReplica.KEEPS_LEADERSHIP && isSole(partition, brokerId))) {
                    new PartitionChange(partition, topic.id(), id, active, topicRules)
                            .withoutInIsr(brokerId)
                            .mode(topicRules.mode())
                            .build()
                            .ifPresent(records::add);
                }
            });
        }
        return records;
    }

    /// The broker's process ended without having said that all it had is on disk, so it may lack records it had
    /// acknowledged (KIP-966): it leaves every ISR and is no eligible leader any more. Partitions of
    /// which it has the only replica stay with it, in a new leader epoch: what it has is all there is.
    ///
    /// Where records have to be on disk before they are acknowledged (`moldau.durability`) none can be
    /// missing: there the broker leaves as one that was fenced does, and may be an eligible leader.
    ///
    /// @param hasItsDisks whether it came back with all its log directories
    static List<MetadataRecord> brokerCrashed(
            MetadataImage image, int brokerId, boolean hasItsDisks, ControllerSettings settings) {
        IntPredicate active = activeBut(image, brokerId);
        var rules = new TopicRules(image, settings);
        var records = new ArrayList<MetadataRecord>();
        for (TopicImage topic : image.topics().topics()) {
            PartitionRules topicRules = rules.of(topic.name());
            boolean kept = hasItsDisks && rules.isFlushed(topic.name());
            topic.partitions().forEach((id, partition) -> {
                if (isSole(partition, brokerId)) {
                    if (partition.leader() == brokerId) {
                        new PartitionChange(partition, topic.id(), id, other -> true, topicRules)
                                .newEpoch()
                                .build()
                                .ifPresent(records::add);
                    }
                } else if (partition.leader() == brokerId
                        || partition.isr().contains(brokerId)
                        || (!kept && partition.elr().contains(brokerId))) {
                    var change = new PartitionChange(partition, topic.id(), id, active, topicRules);
                    (kept ? change.withoutInIsr(brokerId) : change.lost(brokerId))
                            .mode(topicRules.mode())
                            .build()
                            .ifPresent(records::add);
                }
            });
        }
        return records;
    }

    /// Log directories of a broker failed: what it had there is lost.
    static List<MetadataRecord> directoriesFailed(
            MetadataImage image, int brokerId, Collection<Uuid> directories, ControllerSettings settings) {
        IntPredicate active = activeBut(image, brokerId);
        var rules = new TopicRules(image, settings);
        var records = new ArrayList<MetadataRecord>();
        for (TopicImage topic : image.topics().topics()) {
            PartitionRules topicRules = rules.of(topic.name());
            topic.partitions().forEach((id, partition) -> {
                if (partition.replicas().contains(brokerId) && directories.contains(partition.directory(brokerId))) {
                    new PartitionChange(partition, topic.id(), id, active, topicRules)
                            .lost(brokerId)
                            .mode(topicRules.mode())
                            .build()
                            .ifPresent(records::add);
                }
            });
        }
        return records;
    }

    /// Who may lead, but for one. Asked for every partition of the cluster, so it is put together once.
    private static IntPredicate activeBut(MetadataImage image, int brokerId) {
        var active = new HashSet<Integer>();
        for (BrokerRegistration broker : image.cluster().brokers()) {
            if (broker.isActive() && broker.id() != brokerId) {
                active.add(broker.id());
            }
        }
        return active::contains;
    }

    private static boolean isSole(PartitionRegistration partition, int brokerId) {
        return partition.replicas().size() == 1 && partition.replicas().getFirst() == brokerId;
    }

    /// The broker can lead again: partitions without a leader, or with one that is away, that have a replica there
    /// may get one.
    static List<MetadataRecord> brokerCame(MetadataImage image, int brokerId, ControllerSettings settings) {
        IntPredicate others = activeBut(image, brokerId);
        IntPredicate active = id -> id == brokerId || others.test(id);
        var rules = new TopicRules(image, settings);
        var records = new ArrayList<MetadataRecord>();
        for (TopicImage topic : image.topics().topics()) {
            PartitionRules topicRules = rules.of(topic.name());
            topic.partitions().forEach((id, partition) -> {
                if (!active.test(partition.leader()) && partition.replicas().contains(brokerId)) {
                    new PartitionChange(partition, topic.id(), id, active, topicRules)
                            .mode(topicRules.mode())
                            .build()
                            .ifPresent(records::add);
                }
            });
        }
        return records;
    }

    /// Whether the broker leads any partition that others could lead.
    static boolean leadsForOthers(MetadataImage image, int brokerId) {
        for (TopicImage topic : image.topics().topics()) {
            for (PartitionRegistration partition : topic.partitions().values()) {
                if (partition.leader() == brokerId && !isSole(partition, brokerId)) {
                    return true;
                }
            }
        }
        return false;
    }
}
