package io.moldau.metadata.image;

import io.moldau.metadata.record.FeatureLevelRecord;
import org.pcollections.PSortedMap;
import org.pcollections.TreePMap;

/// The finalized feature levels (KIP-584).
public record FeaturesImage(PSortedMap<String, Short> finalizedLevels) {

    public static final String METADATA_VERSION = "metadata.version";

    public static final FeaturesImage EMPTY = new FeaturesImage(TreePMap.empty());

    /// The level of a feature, 0 when it is off.
    public short level(String feature) {
        return finalizedLevels.getOrDefault(feature, (short) 0);
    }

    public short metadataVersion() {
        return level(METADATA_VERSION);
    }

    FeaturesImage with(FeatureLevelRecord record) {
        return new FeaturesImage(
                record.getLevel() == 0
                        ? finalizedLevels.minus(record.getName())
                        : finalizedLevels.plus(record.getName(), (short) record.getLevel()));
    }
}
