package io.moldau.metadata.controller.op;

import io.moldau.metadata.controller.ControllerSettings;
import io.moldau.metadata.image.ConfigResource;
import io.moldau.metadata.image.MetadataImage;
import io.moldau.metadata.partition.PartitionRules;
import java.util.Map;

/// The settings that decide about elections: a topic's own, else the cluster's, else the controller's.
final class TopicRules {

    static final String MIN_INSYNC_REPLICAS = "min.insync.replicas";
    static final String UNCLEAN_ELECTION = "unclean.leader.election.enable";
    private static final String DURABILITY = "moldau.durability";
    private static final String FLUSHED = "flushed";

    private final MetadataImage image;
    private final PartitionRules ofCluster;
    private final boolean clusterFlushes;

    TopicRules(MetadataImage image, ControllerSettings settings) {
        this.image = image;
        this.ofCluster = overridden(
                new PartitionRules(
                        image.features().hasEligibleLeaderReplicas(),
                        settings.minInsyncReplicas(),
                        settings.uncleanLeaderElection(),
                        image.cluster()::hasOnlineDirectory),
                image.configs().overrides(ConfigResource.brokerDefault()));
        this.clusterFlushes =
                flushes(image.configs().overrides(ConfigResource.brokerDefault()), settings.flushedDurability());
    }

    /// Whether replicas of the topic are known to have on disk what they have acknowledged.
    boolean isFlushed(String topic) {
        return flushes(image.configs().overrides(ConfigResource.topic(topic)), clusterFlushes);
    }

    private static boolean flushes(Map<String, String> overrides, boolean otherwise) {
        String durability = overrides.get(DURABILITY);
        return durability == null ? otherwise : durability.strip().equals(FLUSHED);
    }

    PartitionRules of(String topic) {
        Map<String, String> overrides = image.configs().overrides(ConfigResource.topic(topic));
        return overrides.isEmpty() ? ofCluster : overridden(ofCluster, overrides);
    }

    private static PartitionRules overridden(PartitionRules rules, Map<String, String> overrides) {
        String minIsr = overrides.get(MIN_INSYNC_REPLICAS);
        String unclean = overrides.get(UNCLEAN_ELECTION);
        return new PartitionRules(
                rules.eligibleLeaders(),
                minIsr == null ? rules.minInsyncReplicas() : minIsr(minIsr, rules.minInsyncReplicas()),
                unclean == null ? rules.uncleanElection() : Boolean.parseBoolean(unclean.strip()),
                rules.directories());
    }

    /// Values are checked before they get into the log; one that is not a number may come from another release.
    private static int minIsr(String text, int otherwise) {
        try {
            return Math.max(1, Integer.parseInt(text.strip()));
        } catch (NumberFormatException e) {
            return otherwise;
        }
    }
}
