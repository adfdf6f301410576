package io.moldau.metadata.image;

import io.moldau.common.Endpoint;
import io.moldau.common.Uuid;
import io.moldau.metadata.record.BrokerRegistrationChangeRecord;
import io.moldau.metadata.record.FeatureRange;
import io.moldau.metadata.record.MetadataRecords;
import io.moldau.metadata.record.RegisterBrokerRecord;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/// A broker as it registered, and what became of it since.
///
/// @param epoch number of this registration; unique in the cluster
/// @param incarnationId drawn by the broker's process at its start
/// @param fenced registered, but not eligible to lead and not shown to clients
/// @param inControlledShutdown leaving in order; gets no new leaderships or replicas
/// @param logDirs the directories that are online
/// @param cordonedLogDirs those that are to get no new replicas (KIP-1066)
public record BrokerRegistration(
        int id,
        long epoch,
        Uuid incarnationId,
        List<Endpoint> listeners,
        @Nullable String rack,
        boolean fenced,
        boolean inControlledShutdown,
        List<Uuid> logDirs,
        List<Uuid> cordonedLogDirs,
        Map<String, VersionRange> features) {

    public static BrokerRegistration from(RegisterBrokerRecord record) {
        return new BrokerRegistration(
                record.getBrokerId(),
                record.getBrokerEpoch(),
                MetadataRecords.uuid(record.getIncarnationId()),
                MetadataRecords.endpoints(record.getEndpointsList()),
                record.hasRack() ? record.getRack() : null,
                record.getFenced(),
                record.getInControlledShutdown(),
                MetadataRecords.uuids(record.getLogDirsList()),
                MetadataRecords.uuids(record.getCordonedLogDirsList()),
                features(record.getFeaturesList()));
    }

    static Map<String, VersionRange> features(List<FeatureRange> ranges) {
        var features = new TreeMap<String, VersionRange>();
        for (FeatureRange range : ranges) {
            features.put(range.getName(), new VersionRange((short) range.getMinLevel(), (short) range.getMaxLevel()));
        }
        return Collections.unmodifiableMap(features);
    }

    static List<FeatureRange> featureRecords(Map<String, VersionRange> features) {
        return features.entrySet().stream()
                .map(feature -> FeatureRange.newBuilder()
                        .setName(feature.getKey())
                        .setMinLevel(feature.getValue().min())
                        .setMaxLevel(feature.getValue().max())
                        .build())
                .toList();
    }

    BrokerRegistration merge(BrokerRegistrationChangeRecord change) {
        return new BrokerRegistration(
                id,
                epoch,
                incarnationId,
                listeners,
                rack,
                change.hasFenced() ? change.getFenced() : fenced,
                change.hasInControlledShutdown() ? change.getInControlledShutdown() : inControlledShutdown,
                change.getReplaceLogDirs() ? MetadataRecords.uuids(change.getLogDirsList()) : logDirs,
                change.getReplaceCordonedLogDirs()
                        ? MetadataRecords.uuids(change.getCordonedLogDirsList())
                        : cordonedLogDirs,
                features);
    }

    public RegisterBrokerRecord toRecord() {
        var builder = RegisterBrokerRecord.newBuilder()
                .setBrokerId(id)
                .setBrokerEpoch(epoch)
                .setIncarnationId(MetadataRecords.id(incarnationId))
                .setFenced(fenced)
                .setInControlledShutdown(inControlledShutdown)
                .addAllLogDirs(MetadataRecords.ids(logDirs))
                .addAllCordonedLogDirs(MetadataRecords.ids(cordonedLogDirs))
                .addAllFeatures(featureRecords(features));
        listeners.forEach(listener -> builder.addEndpoints(MetadataRecords.endpoint(listener)));
        if (rack != null) {
            builder.setRack(rack);
        }
        return builder.build();
    }

    /// Whether partitions may be led by this broker and new replicas placed on it.
    public boolean isActive() {
        return !fenced && !inControlledShutdown;
    }

    /// Whether new replicas may be placed here: one directory at least is not cordoned.
    public boolean takesReplicas() {
        return logDirs.isEmpty() || !cordonedLogDirs.containsAll(logDirs);
    }

    public @Nullable Endpoint listener(String listenerName) {
        for (Endpoint endpoint : listeners) {
            if (endpoint.listenerName().equals(listenerName)) {
                return endpoint;
            }
        }
        return null;
    }
}
