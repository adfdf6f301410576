package io.moldau.metadata.image;

import io.moldau.common.Endpoint;
import io.moldau.common.Uuid;
import io.moldau.metadata.record.MetadataRecords;
import io.moldau.metadata.record.RegisterControllerRecord;
import java.util.List;
import java.util.Map;

/// A controller as it made itself known.
///
/// @param incarnationId drawn by the controller's process at its start
/// @param listeners where the other nodes reach it; the first one is for controllers
public record ControllerRegistration(
        int id, Uuid incarnationId, List<Endpoint> listeners, Map<String, VersionRange> features) {

    static ControllerRegistration from(RegisterControllerRecord record) {
        return new ControllerRegistration(
                record.getControllerId(),
                MetadataRecords.uuid(record.getIncarnationId()),
                MetadataRecords.endpoints(record.getEndpointsList()),
                BrokerRegistration.features(record.getFeaturesList()));
    }

    public RegisterControllerRecord toRecord() {
        var builder = RegisterControllerRecord.newBuilder()
                .setControllerId(id)
                .setIncarnationId(MetadataRecords.id(incarnationId))
                .addAllFeatures(BrokerRegistration.featureRecords(features));
        listeners.forEach(listener -> builder.addEndpoints(MetadataRecords.endpoint(listener)));
        return builder.build();
    }
}
