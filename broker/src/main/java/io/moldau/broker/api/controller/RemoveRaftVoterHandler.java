package io.moldau.broker.api.controller;

import io.moldau.broker.request.RequestContext;
import io.moldau.broker.request.RequestHandler;
import io.moldau.common.ApiException;
import io.moldau.wire.message.RemoveRaftVoterRequestData;
import io.moldau.wire.message.RemoveRaftVoterResponseData;
import io.moldau.wire.protocol.Message;

/// RemoveRaftVoter, version 0 (KIP-853): a voter becomes one that only follows.
public final class RemoveRaftVoterHandler implements RequestHandler<RemoveRaftVoterRequestData> {

    private static final long TIMEOUT_MS = 30_000;

    private final Forwarder forwarder;

    public RemoveRaftVoterHandler(Forwarder forwarder) {
        this.forwarder = forwarder;
    }

    @Override
    public void handle(RequestContext context, RemoveRaftVoterRequestData request) {
        forwarder.forward(
                context,
                request,
                TIMEOUT_MS,
                context::respond,
                failure -> context.respond(errorResponse(context, request, failure)));
    }

    @Override
    public Message errorResponse(RequestContext context, RemoveRaftVoterRequestData request, ApiException failure) {
        return new RemoveRaftVoterResponseData()
                .setErrorCode(failure.error().code())
                .setErrorMessage(failure.getMessage());
    }
}
