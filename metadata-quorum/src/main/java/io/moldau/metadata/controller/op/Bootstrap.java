package io.moldau.metadata.controller.op;

import io.moldau.common.Uuid;
import io.moldau.metadata.controller.ControllerSettings;
import io.moldau.metadata.image.ConfigResource;
import io.moldau.metadata.image.FeaturesImage;
import io.moldau.metadata.record.ClusterRecord;
import io.moldau.metadata.record.ConfigRecord;
import io.moldau.metadata.record.FeatureLevelRecord;
import io.moldau.metadata.record.MetadataRecord;
import io.moldau.metadata.record.MetadataRecords;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.random.RandomGenerator;

/// The first records of a new cluster.
public final class Bootstrap {

    private Bootstrap() {}

    /// @param settings tell the levels to finalize, and the `min.insync.replicas` of the cluster: with eligible leaders
    ///     it is part of the metadata, so that controller and brokers never go by different ones
    /// @param random draws the incarnation, which tells this cluster from another of the same id
    public static List<MetadataRecord> records(Uuid clusterId, ControllerSettings settings, RandomGenerator random) {
        Map<String, Short> features = settings.features();
        var records = new ArrayList<MetadataRecord>();
        records.add(MetadataRecords.of(ClusterRecord.newBuilder()
                .setClusterId(MetadataRecords.id(clusterId))
                .setIncarnation(MetadataRecords.id(Uuid.random(random)))
                .build()));
        new TreeMap<>(features)
                .forEach((name, level) -> records.add(MetadataRecords.of(FeatureLevelRecord.newBuilder()
                        .setName(name)
                        .setLevel(level)
                        .build())));
        if (features.getOrDefault(FeaturesImage.ELIGIBLE_LEADER_REPLICAS, (short) 0) >= 1) {
            records.add(MetadataRecords.of(ConfigRecord.newBuilder()
                    .setResourceType(ConfigResource.Type.BROKER.code())
                    .setResourceName("")
                    .setName(TopicRules.MIN_INSYNC_REPLICAS)
                    .setValue(Integer.toString(settings.minInsyncReplicas()))
                    .build()));
        }
        return records;
    }
}
