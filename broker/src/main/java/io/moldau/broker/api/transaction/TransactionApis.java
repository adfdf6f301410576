package io.moldau.broker.api.transaction;

import io.moldau.broker.coordinator.transaction.TransactionCoordinator;
import io.moldau.broker.request.RequestRouter;
import io.moldau.common.TopicPartition;
import io.moldau.wire.message.AddOffsetsToTxnRequestData;
import io.moldau.wire.message.AddPartitionsToTxnRequestData;
import io.moldau.wire.message.DescribeTransactionsRequestData;
import io.moldau.wire.message.EndTxnRequestData;
import io.moldau.wire.message.InitProducerIdRequestData;
import io.moldau.wire.message.ListTransactionsRequestData;
import io.moldau.wire.protocol.ApiKey;
import java.util.function.Function;

/// Registers the handlers that the transaction coordinator stands behind.
public final class TransactionApis {

    private TransactionApis() {}

    /// @param offsetsOf where the offsets of a group are kept
    public static void register(
            RequestRouter.Builder router,
            TransactionCoordinator coordinator,
            Function<String, TopicPartition> offsetsOf) {
        router.on(ApiKey.INIT_PRODUCER_ID, InitProducerIdRequestData.class, new InitProducerIdHandler(coordinator))
                .on(
                        ApiKey.ADD_PARTITIONS_TO_TXN,
                        AddPartitionsToTxnRequestData.class,
                        new AddPartitionsToTxnHandler(coordinator))
                .on(
                        ApiKey.ADD_OFFSETS_TO_TXN,
                        AddOffsetsToTxnRequestData.class,
                        new AddOffsetsToTxnHandler(coordinator, offsetsOf))
                .on(ApiKey.END_TXN, EndTxnRequestData.class, new EndTxnHandler(coordinator))
                .on(
                        ApiKey.DESCRIBE_TRANSACTIONS,
                        DescribeTransactionsRequestData.class,
                        new DescribeTransactionsHandler(coordinator))
                .on(
                        ApiKey.LIST_TRANSACTIONS,
                        ListTransactionsRequestData.class,
                        new ListTransactionsHandler(coordinator));
    }
}
