package io.moldau.metadata.controller.op;

import io.moldau.metadata.controller.ControllerResult;
import io.moldau.metadata.controller.ControllerSettings;
import io.moldau.metadata.image.BrokerRegistration;
import io.moldau.metadata.image.MetadataImage;
import io.moldau.metadata.record.BrokerRegistrationChangeRecord;
import io.moldau.metadata.record.MetadataRecord;
import io.moldau.metadata.record.MetadataRecords;
import java.util.ArrayList;

/// Fences a broker that was not heard of for the session time-out, or whose process is gone.
public final class FenceBroker {

    private final ControllerSettings settings;

    public FenceBroker(ControllerSettings settings) {
        this.settings = settings;
    }

    /// Answers whether the broker was fenced by this.
    ///
    /// @param brokerEpoch of the registration that was found dead; one that has registered since stays as it is
    public ControllerResult<Boolean> plan(MetadataImage image, int brokerId, long brokerEpoch) {
        BrokerRegistration broker = image.cluster().broker(brokerId);
        if (broker == null || broker.fenced() || broker.epoch() != brokerEpoch) {
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
