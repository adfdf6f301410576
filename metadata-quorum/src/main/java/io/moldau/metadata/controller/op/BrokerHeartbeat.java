package io.moldau.metadata.controller.op;

import io.moldau.common.Uuid;
import io.moldau.metadata.controller.BrokerHeartbeats;
import io.moldau.metadata.controller.ControllerResult;
import io.moldau.metadata.controller.ControllerSettings;
import io.moldau.metadata.image.BrokerRegistration;
import io.moldau.metadata.image.MetadataDelta;
import io.moldau.metadata.image.MetadataImage;
import io.moldau.metadata.message.BrokerHeartbeatRequest;
import io.moldau.metadata.message.BrokerHeartbeatResponse;
import io.moldau.metadata.record.BrokerRegistrationChangeRecord;
import io.moldau.metadata.record.MetadataRecord;
import io.moldau.metadata.record.MetadataRecords;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// A broker reports: unfences it when it has caught up, fences it when it asks, and leads it through its shutdown.
///
///     fenced --caught up--> unfenced --wants to stop--> in controlled shutdown --leads nothing--> may stop
///        ^------wants a fence------|
public final class BrokerHeartbeat {

    private final ControllerSettings settings;

    public BrokerHeartbeat(ControllerSettings settings) {
        this.settings = settings;
    }

    /// @param heartbeats already knows of this heartbeat
    public ControllerResult<BrokerHeartbeatResponse> plan(
            MetadataImage image, BrokerHeartbeatRequest request, BrokerHeartbeats heartbeats) {
        BrokerRegistration broker = BrokerEpochs.check(image, request.getBrokerId(), request.getBrokerEpoch());
        var changed = new ArrayList<MetadataRecord>(offlineDirs(image, broker, request));
        changed.addAll(cordonedDirs(broker, request));
        if (changed.isEmpty()) {
            return judge(image, broker, request, heartbeats);
        }
        // What follows looks at partitions that this changes.
        var delta = new MetadataDelta(image);
        delta.replayAll(changed);
        ControllerResult<BrokerHeartbeatResponse> rest = judge(
                delta.current(),
                BrokerEpochs.check(delta.current(), request.getBrokerId(), request.getBrokerEpoch()),
                request,
                heartbeats);
        var records = new ArrayList<>(changed);
        records.addAll(rest.records());
        return ControllerResult.of(records, rest.response());
    }

    private ControllerResult<BrokerHeartbeatResponse> judge(
            MetadataImage image,
            BrokerRegistration broker,
            BrokerHeartbeatRequest request,
            BrokerHeartbeats heartbeats) {
        boolean caughtUp = heartbeats.isCaughtUp(broker.id());
        var response = BrokerHeartbeatResponse.newBuilder().setIsCaughtUp(caughtUp);
        var records = new ArrayList<MetadataRecord>();

        if (request.getWantShutDown()) {
            if (broker.fenced()) {
                return ControllerResult.of(
                        records,
                        response.setIsFenced(true).setShouldShutDown(true).build());
            }
            if (!broker.inControlledShutdown()) {
                records.add(change(broker, null, true));
                records.addAll(LeaderUpdates.brokerLeftInOrder(image, broker.id(), settings));
            }
            var delta = new MetadataDelta(image);
            delta.replayAll(records);
            List<Integer> others = delta.current().cluster().brokers().stream()
                    .filter(other -> other.id() != broker.id() && other.isActive())
                    .map(BrokerRegistration::id)
                    .toList();
            boolean done = !LeaderUpdates.leadsForOthers(delta.current(), broker.id())
                    && (others.isEmpty()
                            || (broker.inControlledShutdown() && heartbeats.shutdownIsSeenBy(broker.id(), others)));
            if (done) {
                // It will not be heard of again: nobody need wait for its session to end.
                records.add(change(broker, true, false));
            }
            return ControllerResult.of(
                    records, response.setIsFenced(done).setShouldShutDown(done).build());
        }
        if (broker.fenced()) {
            if (!request.getWantFence() && caughtUp) {
                records.add(change(broker, false, false));
                records.addAll(LeaderUpdates.brokerCame(image, broker.id(), settings));
                return ControllerResult.of(records, response.setIsFenced(false).build());
            }
            return ControllerResult.of(records, response.setIsFenced(true).build());
        }
        if (request.getWantFence()) {
            records.addAll(LeaderUpdates.brokerLeft(image, broker.id(), settings));
            records.add(change(broker, true, false));
            return ControllerResult.of(records, response.setIsFenced(true).build());
        }
        return ControllerResult.of(records, response.setIsFenced(false).build());
    }

    private static MetadataRecord change(BrokerRegistration broker, @Nullable Boolean fenced, boolean shutdown) {
        var change = BrokerRegistrationChangeRecord.newBuilder()
                .setBrokerId(broker.id())
                .setBrokerEpoch(broker.epoch());
        if (fenced != null) {
            change.setFenced(fenced);
        }
        if (shutdown) {
            change.setInControlledShutdown(true);
        }
        return MetadataRecords.of(change.build());
    }

    private static List<MetadataRecord> cordonedDirs(BrokerRegistration broker, BrokerHeartbeatRequest request) {
        if (MetadataRecords.uuids(request.getCordonedLogDirsList()).equals(broker.cordonedLogDirs())) {
            return List.of();
        }
        return List.of(MetadataRecords.of(BrokerRegistrationChangeRecord.newBuilder()
                .setBrokerId(broker.id())
                .setBrokerEpoch(broker.epoch())
                .setReplaceCordonedLogDirs(true)
                .addAllCordonedLogDirs(request.getCordonedLogDirsList())
                .build()));
    }

    private List<MetadataRecord> offlineDirs(
            MetadataImage image, BrokerRegistration broker, BrokerHeartbeatRequest request) {
        if (request.getOfflineLogDirsCount() == 0) {
            return List.of();
        }
        var online = new ArrayList<Uuid>(broker.logDirs());
        List<Uuid> offline = MetadataRecords.uuids(request.getOfflineLogDirsList());
        if (!online.removeAll(offline)) {
            return List.of();
        }
        var records = new ArrayList<MetadataRecord>();
        records.add(MetadataRecords.of(BrokerRegistrationChangeRecord.newBuilder()
                .setBrokerId(broker.id())
                .setBrokerEpoch(broker.epoch())
                .setReplaceLogDirs(true)
                .addAllLogDirs(MetadataRecords.ids(online))
                .build()));
        records.addAll(LeaderUpdates.directoriesFailed(image, broker.id(), offline, settings));
        return records;
    }
}
