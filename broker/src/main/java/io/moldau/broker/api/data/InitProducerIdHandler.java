package io.moldau.broker.api.data;

import io.moldau.broker.request.RequestContext;
import io.moldau.broker.request.RequestHandler;
import io.moldau.common.ApiError;
import io.moldau.common.Errors;
import io.moldau.wire.message.InitProducerIdRequestData;
import io.moldau.wire.message.InitProducerIdResponseData;

/// InitProducerId, versions 0 to 5, for idempotent producers: every call gives out a producer id of its own, with
/// epoch 0 (KIP-98; what the client sends as its previous id matters to transactional producers only).
///
/// A transactional id needs a transaction coordinator, of which this release has none: the request is checked and
/// then told that the coordinator is not available.
public final class InitProducerIdHandler implements RequestHandler<InitProducerIdRequestData> {

    private final ProducerIds ids;
    private final int maxTransactionTimeoutMs;

    /// @param maxTransactionTimeoutMs `transaction.max.timeout.ms`
    public InitProducerIdHandler(ProducerIds ids, int maxTransactionTimeoutMs) {
        this.ids = ids;
        this.maxTransactionTimeoutMs = maxTransactionTimeoutMs;
    }

    @Override
    public void handle(RequestContext context, InitProducerIdRequestData request) {
        String transactionalId = request.transactionalId();
        if (transactionalId != null) {
            context.respond(refused(refusal(transactionalId, request.transactionTimeoutMs())));
            return;
        }
        ids.allocate(new ProducerIds.Callback() {
            @Override
            public void allocated(long producerId) {
                context.respond(new InitProducerIdResponseData()
                        .setProducerId(producerId)
                        .setProducerEpoch((short) 0));
            }

            @Override
            public void failed(ApiError error) {
                context.respond(refused(error.error()));
            }
        });
    }

    private Errors refusal(String transactionalId, int timeoutMs) {
        if (transactionalId.isEmpty()) {
            return Errors.INVALID_REQUEST;
        }
        if (timeoutMs <= 0 || timeoutMs > maxTransactionTimeoutMs) {
            return Errors.INVALID_TRANSACTION_TIMEOUT;
        }
        return Errors.COORDINATOR_NOT_AVAILABLE;
    }

    private static InitProducerIdResponseData refused(Errors error) {
        return new InitProducerIdResponseData()
                .setErrorCode(error.code())
                .setProducerId(-1L)
                .setProducerEpoch((short) -1);
    }
}
