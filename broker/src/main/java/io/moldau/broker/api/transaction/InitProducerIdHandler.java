package io.moldau.broker.api.transaction;

import io.moldau.broker.coordinator.transaction.TransactionCoordinator;
import io.moldau.broker.request.RequestContext;
import io.moldau.broker.request.RequestHandler;
import io.moldau.wire.message.InitProducerIdRequestData;

/// InitProducerId, versions 0 to 5: 3 lets a producer go on after an error (KIP-360), 4 knows PRODUCER_FENCED
/// (KIP-588), 5 knows TRANSACTION_ABORTABLE (KIP-890).
final class InitProducerIdHandler implements RequestHandler<InitProducerIdRequestData> {

    private final TransactionCoordinator coordinator;

    InitProducerIdHandler(TransactionCoordinator coordinator) {
        this.coordinator = coordinator;
    }

    @Override
    public void handle(RequestContext context, InitProducerIdRequestData request) {
        coordinator.initProducer(request, context.apiVersion(), context::respond);
    }
}
