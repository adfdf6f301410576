package io.moldau.metadata.controller.op;

import io.moldau.common.ApiException;
import io.moldau.common.Errors;
import io.moldau.metadata.image.BrokerRegistration;
import io.moldau.metadata.image.MetadataImage;

/// Lets only the process speak for a broker that is registered now.
final class BrokerEpochs {

    private BrokerEpochs() {}

    /// @throws ApiException with BROKER_ID_NOT_REGISTERED or STALE_BROKER_EPOCH
    static BrokerRegistration check(MetadataImage image, int brokerId, long epoch) {
        BrokerRegistration broker = image.cluster().broker(brokerId);
        if (broker == null) {
            throw new ApiException(
                    Errors.BROKER_ID_NOT_REGISTERED,
                    "Broker " + brokerId + " is not registered; it has to register before anything else.");
        }
        if (broker.epoch() != epoch) {
            throw new ApiException(
                    Errors.STALE_BROKER_EPOCH,
                    "Expected broker epoch " + broker.epoch() + " of broker " + brokerId + ", but got " + epoch
                            + ": another process has registered since.");
        }
        return broker;
    }
}
