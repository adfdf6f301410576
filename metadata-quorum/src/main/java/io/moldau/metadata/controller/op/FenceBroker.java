package io.moldau.metadata.controller.op;

import io.moldau.metadata.controller.ControllerResult;
import io.moldau.metadata.controller.ControllerSettings;
import io.moldau.metadata.image.BrokerRegistration;
import io.moldau.metadata.image.MetadataImage;
import io.moldau.metadata.record.BrokerRegistrationChangeRecord;
import io.moldau.metadata.record.MetadataRecord;
import io.moldau.metadata.record.MetadataRecords;
import java.util.ArrayList;

/// Fences a broker that was not heard of for the session time-out.
public final class FenceBroker {

    private final ControllerSettings settings;

    public FenceBroker(ControllerSettings settings) {
        this.settings = settings;
    }

    /// Answers whether the broker was fenced by this.
    public ControllerResult<Boolean> plan(MetadataImage image, int brokerId) {
        BrokerRegistration broker = image.cluster().broker(brokerId);
        if (broker == null || broker.fenced()) {
            return ControllerResult.answer(false);
        }
        var records = new ArrayList<MetadataRecord>();
        records.add(MetadataRecords.of(BrokerRegistrationChangeRecord.newBuilder()
                .setBrokerId(brokerId)
                .setBrokerEpoch(broker.epoch())
                .setFenced(true)
                .build()));
        records.addAll(LeaderUpdates.brokerLeft(image, brokerId, settings));
        return ControllerResult.of(records, true);
    }
}
