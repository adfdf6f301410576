package io.moldau.metadata.controller.op;

import io.moldau.common.Uuid;
import io.moldau.metadata.record.ClusterRecord;
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

    /// @param features the levels to finalize
    /// @param random draws the incarnation, which tells this cluster from another of the same id
    public static List<MetadataRecord> records(Uuid clusterId, Map<String, Short> features, RandomGenerator random) {
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
        return records;
    }
}
