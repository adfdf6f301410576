package io.moldau.broker.api.transaction;

import io.moldau.broker.coordinator.transaction.TransactionCoordinator;
import io.moldau.broker.request.RequestContext;
import io.moldau.broker.request.RequestHandler;
import io.moldau.wire.message.EndTxnRequestData;

/// EndTxn, versions 0 to 5: 2 knows PRODUCER_FENCED (KIP-588), 4 knows TRANSACTION_ABORTABLE, and with 5 the producer
/// goes on in another epoch, which the answer tells (KIP-890).
final class EndTxnHandler implements RequestHandler<EndTxnRequestData> {

    private final TransactionCoordinator coordinator;

    EndTxnHandler(TransactionCoordinator coordinator) {
        this.coordinator = coordinator;
    }

    @Override
    public void handle(RequestContext context, EndTxnRequestData request) {
        coordinator.endTransaction(request, context.apiVersion(), context::respond);
    }
}
