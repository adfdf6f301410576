package io.moldau.metadata.controller.op;

import io.moldau.common.ApiException;
import io.moldau.common.Endpoint;
import io.moldau.common.Errors;
import io.moldau.common.Uuid;
import io.moldau.metadata.controller.ControllerResult;
import io.moldau.metadata.image.ControllerRegistration;
import io.moldau.metadata.image.MetadataImage;
import io.moldau.metadata.image.VersionRange;
import io.moldau.metadata.record.MetadataRecords;
import io.moldau.metadata.record.UnregisterControllerRecord;
import io.moldau.wire.message.ControllerRegistrationRequestData;
import io.moldau.wire.message.ControllerRegistrationResponseData;
import io.moldau.wire.message.UnregisterControllerRequestData;
import io.moldau.wire.message.UnregisterControllerResponseData;
import java.util.List;
import java.util.TreeMap;

/// Notes that a controller's process runs, where it listens and which features it supports
/// (KIP-919), or forgets it.
public final class RegisterController {

    /// The codes of Kafka's security protocols.
    private static final List<String> PROTOCOLS = List.of("PLAINTEXT", "SSL", "SASL_PLAINTEXT", "SASL_SSL");

    public ControllerResult<ControllerRegistrationResponseData> register(
            MetadataImage image, ControllerRegistrationRequestData request) {
        if (request.controllerId() < 0 || request.listeners().isEmpty()) {
            throw new ApiException(
                    Errors.INVALID_REGISTRATION,
                    "Controller " + request.controllerId() + " needs an id from 0 on and a controller listener.");
        }
        ControllerRegistration registration = registration(request);
        var answer = new ControllerRegistrationResponseData().setErrorMessage(null);
        return registration.equals(image.cluster().controller(request.controllerId()))
                ? ControllerResult.answer(answer)
                : ControllerResult.atomic(List.of(MetadataRecords.of(registration.toRecord())), answer);
    }

    private static ControllerRegistration registration(ControllerRegistrationRequestData request) {
        var features = new TreeMap<String, VersionRange>();
        request.features()
                .forEach(feature -> features.put(
                        feature.name(),
                        new VersionRange(feature.minSupportedVersion(), feature.maxSupportedVersion())));
        return new ControllerRegistration(
                request.controllerId(),
                request.incarnationId(),
                request.listeners().stream()
                        .map(listener -> new Endpoint(
                                listener.name(),
                                protocol(listener.securityProtocol()),
                                listener.host(),
                                listener.port()))
                        .toList(),
                features);
    }

    private static String protocol(short code) {
        if (code < 0 || code >= PROTOCOLS.size()) {
            throw new ApiException(Errors.INVALID_REGISTRATION, "There is no security protocol " + code + ".");
        }
        return PROTOCOLS.get(code);
    }

    /// What a controller says of itself.
    public static ControllerRegistrationRequestData request(ControllerRegistration registration) {
        var request = new ControllerRegistrationRequestData()
                .setControllerId(registration.id())
                .setIncarnationId(registration.incarnationId());
        request.setListeners(registration.listeners().stream()
                .map(listener -> new ControllerRegistrationRequestData.Listener()
                        .setName(listener.listenerName())
                        .setHost(listener.host())
                        .setPort(listener.port())
                        .setSecurityProtocol((short) PROTOCOLS.indexOf(listener.securityProtocol())))
                .toList());
        request.setFeatures(registration.features().entrySet().stream()
                .map(feature -> new ControllerRegistrationRequestData.Feature()
                        .setName(feature.getKey())
                        .setMinSupportedVersion(feature.getValue().min())
                        .setMaxSupportedVersion(feature.getValue().max()))
                .toList());
        return request;
    }

    /// A voter is reached elsewhere than it registered (KIP-853).
    public ControllerResult<Boolean> moved(MetadataImage image, int controllerId, List<Endpoint> listeners) {
        ControllerRegistration before = image.cluster().controller(controllerId);
        var now = before == null
                ? new ControllerRegistration(controllerId, Uuid.ZERO, listeners, new TreeMap<>())
                : new ControllerRegistration(controllerId, before.incarnationId(), listeners, before.features());
        return now.equals(before)
                ? ControllerResult.answer(true)
                : ControllerResult.atomic(List.of(MetadataRecords.of(now.toRecord())), true);
    }

    /// Forgets a controller. One whose process runs registers again.
    public ControllerResult<UnregisterControllerResponseData> unregister(
            MetadataImage image, UnregisterControllerRequestData request) {
        if (image.cluster().controller(request.controllerId()) == null) {
            throw new ApiException(
                    Errors.CONTROLLER_ID_NOT_REGISTERED,
                    "Controller " + request.controllerId() + " is not registered.");
        }
        return ControllerResult.atomic(
                List.of(MetadataRecords.of(UnregisterControllerRecord.newBuilder()
                        .setControllerId(request.controllerId())
                        .build())),
                new UnregisterControllerResponseData().setErrorMessage(null));
    }
}
