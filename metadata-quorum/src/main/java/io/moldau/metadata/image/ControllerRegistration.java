package io.moldau.metadata.image;

import io.moldau.common.Endpoint;
import io.moldau.common.Uuid;
import io.moldau.metadata.record.MetadataRecords;
import io.moldau.metadata.record.RegisterControllerRecord;
import java.util.List;
import java.util.Map;

/// A controller as it made itself known.
///
/// @param directoryId names the voter together with the id: a wiped disk is a new voter (KIP-853)
public record ControllerRegistration(
        int id, Uuid incarnationId, Uuid directoryId, List<Endpoint> listeners, Map<String, VersionRange> features) {

    static ControllerRegistration from(RegisterControllerRecord record) {
        return new ControllerRegistration(
                record.getControllerId(),
                MetadataRecords.uuid(record.getIncarnationId()),
                MetadataRecords.uuid(record.getDirectoryId()),
                MetadataRecords.endpoints(record.getEndpointsList()),
                BrokerRegistration.features(record.getFeaturesList()));
    }

    public RegisterControllerRecord toRecord() {
        var builder = RegisterControllerRecord.newBuilder()
                .setControllerId(id)
                .setIncarnationId(MetadataRecords.id(incarnationId))
                .setDirectoryId(MetadataRecords.id(directoryId))
                .addAllFeatures(BrokerRegistration.featureRecords(features));
        listeners.forEach(listener -> builder.addEndpoints(MetadataRecords.endpoint(listener)));
        return builder.build();
    }
}
