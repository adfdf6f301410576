package io.moldau.broker.api.transaction;

import io.moldau.broker.coordinator.transaction.TransactionCoordinator;
import io.moldau.broker.request.RequestContext;
import io.moldau.broker.request.RequestHandler;
import io.moldau.wire.message.DescribeTransactionsRequestData;
import io.moldau.wire.message.DescribeTransactionsResponseData;

/// DescribeTransactions, version 0 (KIP-664).
final class DescribeTransactionsHandler implements RequestHandler<DescribeTransactionsRequestData> {

    private final TransactionCoordinator coordinator;

    DescribeTransactionsHandler(TransactionCoordinator coordinator) {
        this.coordinator = coordinator;
    }

    @Override
    public void handle(RequestContext context, DescribeTransactionsRequestData request) {
        coordinator.describe(
                request.transactionalIds(),
                described -> context.respond(new DescribeTransactionsResponseData().setTransactionStates(described)));
    }
}
