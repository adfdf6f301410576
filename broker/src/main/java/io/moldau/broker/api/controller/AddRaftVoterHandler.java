package io.moldau.broker.api.controller;

import io.moldau.broker.request.RequestContext;
import io.moldau.broker.request.RequestHandler;
import io.moldau.common.ApiException;
import io.moldau.wire.message.AddRaftVoterRequestData;
import io.moldau.wire.message.AddRaftVoterResponseData;
import io.moldau.wire.protocol.Message;

/// AddRaftVoter, versions 0 and 1 (KIP-853): makes a running controller a voter.
public final class AddRaftVoterHandler implements RequestHandler<AddRaftVoterRequestData> {

    private final Forwarder forwarder;

    public AddRaftVoterHandler(Forwarder forwarder) {
        this.forwarder = forwarder;
    }

    @Override
    public void handle(RequestContext context, AddRaftVoterRequestData request) {
        forwarder.forward(
                context,
                request,
                request.timeoutMs(),
                context::respond,
                failure -> context.respond(errorResponse(context, request, failure)));
    }

    @Override
    public Message errorResponse(RequestContext context, AddRaftVoterRequestData request, ApiException failure) {
        return new AddRaftVoterResponseData()
                .setErrorCode(failure.error().code())
                .setErrorMessage(failure.getMessage());
    }
}
