package io.moldau.broker.api.transaction;

import io.moldau.broker.coordinator.transaction.TransactionCoordinator;
import io.moldau.broker.request.RequestContext;
import io.moldau.broker.request.RequestHandler;
import io.moldau.wire.message.AddPartitionsToTxnRequestData;

/// AddPartitionsToTxn, versions 0 to 5: up to 3 clients ask, from 4 on brokers, for several transactions at a time and
/// perhaps only whether partitions are in one (KIP-890).
final class AddPartitionsToTxnHandler implements RequestHandler<AddPartitionsToTxnRequestData> {

    private final TransactionCoordinator coordinator;

    AddPartitionsToTxnHandler(TransactionCoordinator coordinator) {
        this.coordinator = coordinator;
    }

    @Override
    public void handle(RequestContext context, AddPartitionsToTxnRequestData request) {
        coordinator.addPartitions(request, context.apiVersion(), context::respond);
    }
}
