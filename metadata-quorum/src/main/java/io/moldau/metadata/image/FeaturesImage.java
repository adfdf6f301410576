package io.moldau.metadata.image;

import io.moldau.metadata.record.FeatureLevelRecord;
import org.pcollections.PSortedMap;
import org.pcollections.TreePMap;

/// The finalized feature levels (KIP-584).
public record FeaturesImage(PSortedMap<String, Short> finalizedLevels) {

    public static final String METADATA_VERSION = "metadata.version";

    /// Whether partitions keep eligible leader replicas (KIP-966); on from level 1.
    public static final String ELIGIBLE_LEADER_REPLICAS = "eligible.leader.replicas.version";

    /// How transactions go: from level 1 on with flexible records, from 2 on with a producer epoch of its own for each
    /// (KIP-890).
    public static final String TRANSACTION_VERSION = "transaction.version";

    /// Whether there are consumer groups of the new protocol (KIP-848); on from level 1.
    public static final String GROUP_VERSION = "group.version";

    public static final FeaturesImage EMPTY = new FeaturesImage(TreePMap.empty());

    /// The level of a feature, 0 when it is off.
    public short level(String feature) {
        return finalizedLevels.getOrDefault(feature, (short) 0);
    }

    public short metadataVersion() {
        return level(METADATA_VERSION);
    }

    public boolean hasEligibleLeaderReplicas() {
        return level(ELIGIBLE_LEADER_REPLICAS) >= 1;
    }

    public short transactionVersion() {
        return level(TRANSACTION_VERSION);
    }

    public short groupVersion() {
        return level(GROUP_VERSION);
    }

    FeaturesImage with(FeatureLevelRecord record) {
        return new FeaturesImage(
                record.getLevel() == 0
                        ? finalizedLevels.minus(record.getName())
                        : finalizedLevels.plus(record.getName(), (short) record.getLevel()));
    }
}
