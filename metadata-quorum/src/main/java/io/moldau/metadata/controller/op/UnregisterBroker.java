package io.moldau.metadata.controller.op;

import io.moldau.common.ApiException;
import io.moldau.common.Errors;
import io.moldau.metadata.controller.ControllerResult;
import io.moldau.metadata.controller.ControllerSettings;
import io.moldau.metadata.image.BrokerRegistration;
import io.moldau.metadata.image.MetadataImage;
import io.moldau.metadata.record.MetadataRecord;
import io.moldau.metadata.record.MetadataRecords;
import io.moldau.metadata.record.UnregisterBrokerRecord;
import io.moldau.wire.message.UnregisterBrokerRequestData;
import io.moldau.wire.message.UnregisterBrokerResponseData;
import java.util.ArrayList;

/// Forgets a broker. If its process still runs it is told at its next heartbeat and registers again.
public final class UnregisterBroker {

    private final ControllerSettings settings;

    public UnregisterBroker(ControllerSettings settings) {
        this.settings = settings;
    }

    public ControllerResult<UnregisterBrokerResponseData> plan(
            MetadataImage image, UnregisterBrokerRequestData request) {
        BrokerRegistration broker = image.cluster().broker(request.brokerId());
        if (broker == null) {
            throw new ApiException(
                    Errors.BROKER_ID_NOT_REGISTERED, "Broker " + request.brokerId() + " is not registered.");
        }
        var records = new ArrayList<MetadataRecord>();
        records.addAll(LeaderUpdates.brokerLeft(image, broker.id(), settings));
        records.add(MetadataRecords.of(UnregisterBrokerRecord.newBuilder()
                .setBrokerId(broker.id())
                .setBrokerEpoch(broker.epoch())
                .build()));
        return ControllerResult.of(records, new UnregisterBrokerResponseData().setErrorMessage(null));
    }
}
