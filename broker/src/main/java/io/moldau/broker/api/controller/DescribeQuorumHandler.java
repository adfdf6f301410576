package io.moldau.broker.api.controller;

import io.moldau.broker.request.RequestContext;
import io.moldau.broker.request.RequestHandler;
import io.moldau.common.ApiException;
import io.moldau.wire.message.DescribeQuorumRequestData;
import io.moldau.wire.message.DescribeQuorumResponseData;
import io.moldau.wire.protocol.Message;

/// DescribeQuorum, versions 0 to 2: who the voters of the metadata quorum are and how far each of them and of those who
/// follow is. The active controller knows.
public final class DescribeQuorumHandler implements RequestHandler<DescribeQuorumRequestData> {

    private static final long TIMEOUT_MS = 30_000;

    private final Forwarder forwarder;

    public DescribeQuorumHandler(Forwarder forwarder) {
        this.forwarder = forwarder;
    }

    @Override
    public void handle(RequestContext context, DescribeQuorumRequestData request) {
        forwarder.forward(
                context,
                request,
                TIMEOUT_MS,
                context::respond,
                failure -> context.respond(errorResponse(context, request, failure)));
    }

    @Override
    public Message errorResponse(RequestContext context, DescribeQuorumRequestData request, ApiException failure) {
        return new DescribeQuorumResponseData()
                .setErrorCode(failure.error().code())
                .setErrorMessage(failure.getMessage());
    }
}
