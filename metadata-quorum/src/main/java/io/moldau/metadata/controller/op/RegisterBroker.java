package io.moldau.metadata.controller.op;

import io.moldau.common.ApiException;
import io.moldau.common.Errors;
import io.moldau.common.Uuid;
import io.moldau.metadata.controller.ControllerResult;
import io.moldau.metadata.controller.ControllerSettings;
import io.moldau.metadata.image.BrokerRegistration;
import io.moldau.metadata.image.MetadataImage;
import io.moldau.metadata.message.RegisterBrokerRequest;
import io.moldau.metadata.message.RegisterBrokerResponse;
import io.moldau.metadata.record.FeatureRange;
import io.moldau.metadata.record.MetadataRecord;
import io.moldau.metadata.record.MetadataRecords;
import io.moldau.metadata.record.RegisterBrokerRecord;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;

/// Registers a broker's process under its id, fenced at first.
public final class RegisterBroker {

    private final ControllerSettings settings;

    public RegisterBroker(ControllerSettings settings) {
        this.settings = settings;
    }

    /// @param hasLiveSession whether the process that is registered now was heard of lately
    public ControllerResult<RegisterBrokerResponse> plan(
            MetadataImage image, RegisterBrokerRequest request, boolean hasLiveSession) {
        int brokerId = request.getBrokerId();
        check(image, request);
        Uuid incarnation = MetadataRecords.uuid(request.getIncarnationId());
        BrokerRegistration existing = image.cluster().broker(brokerId);
        boolean sameProcess = existing != null && existing.incarnationId().equals(incarnation);
        if (existing != null
                && !sameProcess
                && hasLiveSession
                && !existing.inControlledShutdown()
                && !holdsDirectoriesOf(existing, request)) {
            throw new ApiException(
                    Errors.DUPLICATE_BROKER_REGISTRATION,
                    "Another broker is registered with id " + brokerId
                            + " and its session has not ended: stop it, or give this node another node.id.");
        }

        var records = new ArrayList<MetadataRecord>();
        if (!sameProcess) {
            // The old process is gone, and with it everything it led. After an orderly end nothing is lost. One that
            // was unregistered may still be an eligible leader somewhere.
            boolean clean = existing != null && request.getPreviousBrokerEpoch() == existing.epoch();
            records.addAll(
                    clean
                            ? LeaderUpdates.brokerLeftInOrder(image, brokerId, settings)
                            : LeaderUpdates.brokerCrashed(
                                    image, brokerId, existing != null && holdsAll(existing, request), settings));
        }
        long epoch = sameProcess && existing != null
                ? existing.epoch()
                : image.cluster().lastBrokerEpoch() + 1;
        var record = RegisterBrokerRecord.newBuilder()
                .setBrokerId(brokerId)
                .setIncarnationId(request.getIncarnationId())
                .setBrokerEpoch(epoch)
                .addAllEndpoints(request.getEndpointsList())
                .addAllFeatures(request.getFeaturesList())
                .setFenced(existing == null || !sameProcess || existing.fenced())
                .setInControlledShutdown(existing != null && sameProcess && existing.inControlledShutdown())
                .addAllLogDirs(request.getLogDirsList())
                .addAllCordonedLogDirs(request.getCordonedLogDirsList());
        if (request.hasRack()) {
            record.setRack(request.getRack());
        }
        records.add(MetadataRecords.of(record.build()));
        return ControllerResult.of(
                records,
                RegisterBrokerResponse.newBuilder().setBrokerEpoch(epoch).build());
    }

    /// A process holds its data directories' locks from before it registers until it ends. Whoever
    /// comes with a directory of the registered process therefore proves that this one is gone, and
    /// need not wait for the end of its session, which would be most of the time a node is away
    /// after a crash.
    private static boolean holdsDirectoriesOf(BrokerRegistration existing, RegisterBrokerRequest request) {
        return MetadataRecords.uuids(request.getLogDirsList()).stream()
                .anyMatch(dir -> !dir.equals(Uuid.ZERO) && existing.logDirs().contains(dir));
    }

    /// Whether no directory of the registered process is missing: one that is may have been
    /// replaced by an empty one.
    private static boolean holdsAll(BrokerRegistration existing, RegisterBrokerRequest request) {
        return !existing.logDirs().isEmpty()
                && !existing.logDirs().contains(Uuid.ZERO)
                && MetadataRecords.uuids(request.getLogDirsList()).containsAll(existing.logDirs());
    }

    private static void check(MetadataImage image, RegisterBrokerRequest request) {
        Uuid cluster = MetadataRecords.uuid(request.getClusterId());
        if (!cluster.equals(image.cluster().clusterId())) {
            throw new ApiException(
                    Errors.INCONSISTENT_CLUSTER_ID,
                    "Broker " + request.getBrokerId() + " belongs to cluster " + cluster + ", but this is cluster "
                            + image.cluster().clusterId() + ".");
        }
        if (request.getBrokerId() < 0) {
            throw new ApiException(
                    Errors.INVALID_REQUEST, "Broker id " + request.getBrokerId() + " is negative; ids start at 0.");
        }
        if (request.getEndpointsCount() == 0) {
            throw new ApiException(
                    Errors.INVALID_REGISTRATION,
                    "Broker " + request.getBrokerId() + " names no listener; set advertised.listeners.");
        }
        checkLogDirs(image, request);
        for (Map.Entry<String, Short> feature :
                image.features().finalizedLevels().entrySet()) {
            checkFeature(request, feature.getKey(), feature.getValue());
        }
    }

    private static void checkLogDirs(MetadataImage image, RegisterBrokerRequest request) {
        List<Uuid> dirs = MetadataRecords.uuids(request.getLogDirsList());
        if (new HashSet<>(dirs).size() < dirs.size()) {
            throw new ApiException(
                    Errors.INVALID_REGISTRATION,
                    "Two log directories of broker " + request.getBrokerId()
                            + " have the same directory id: one is a copy of the other. Remove the copy.");
        }
        for (BrokerRegistration other : image.cluster().brokers()) {
            if (other.id() != request.getBrokerId()
                    && other.logDirs().stream().anyMatch(dir -> !dir.equals(Uuid.ZERO) && dirs.contains(dir))) {
                throw new ApiException(
                        Errors.INVALID_REGISTRATION,
                        "Broker " + request.getBrokerId() + " has a log directory that broker " + other.id()
                                + " registered: it is a copy. Remove it.");
            }
        }
    }

    private static void checkFeature(RegisterBrokerRequest request, String name, short level) {
        for (FeatureRange range : request.getFeaturesList()) {
            if (range.getName().equals(name)) {
                if (level < range.getMinLevel() || level > range.getMaxLevel()) {
                    throw new ApiException(
                            Errors.UNSUPPORTED_VERSION,
                            "Unable to register broker " + request.getBrokerId() + ": it supports " + name
                                    + " from level " + range.getMinLevel() + " to " + range.getMaxLevel()
                                    + ", but level " + level + " is finalized. Run a release that supports it.");
                }
                return;
            }
        }
        throw new ApiException(
                Errors.UNSUPPORTED_VERSION,
                "Unable to register broker " + request.getBrokerId() + ": it does not know feature " + name
                        + ", of which level " + level + " is finalized. Run a release that supports it.");
    }
}
