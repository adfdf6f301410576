package io.moldau.broker.api.transaction;

import io.moldau.broker.coordinator.transaction.TransactionCoordinator;
import io.moldau.broker.request.RequestContext;
import io.moldau.broker.request.RequestHandler;
import io.moldau.common.TopicPartition;
import io.moldau.wire.message.AddOffsetsToTxnRequestData;
import io.moldau.wire.message.AddOffsetsToTxnResponseData;
import java.util.function.Function;

/// AddOffsetsToTxn, versions 0 to 4: the offsets of a group become part of a transaction.
final class AddOffsetsToTxnHandler implements RequestHandler<AddOffsetsToTxnRequestData> {

    private final TransactionCoordinator coordinator;
    private final Function<String, TopicPartition> offsetsOf;

    /// @param offsetsOf where the offsets of a group are kept
    AddOffsetsToTxnHandler(TransactionCoordinator coordinator, Function<String, TopicPartition> offsetsOf) {
        this.coordinator = coordinator;
        this.offsetsOf = offsetsOf;
    }

    @Override
    public void handle(RequestContext context, AddOffsetsToTxnRequestData request) {
        coordinator.addOffsets(
                request,
                offsetsOf.apply(request.groupId()),
                context.apiVersion(),
                error -> context.respond(new AddOffsetsToTxnResponseData().setErrorCode(error.code())));
    }
}
