package io.moldau.broker.api.security;

import io.moldau.broker.request.RequestContext;
import io.moldau.broker.request.RequestHandler;
import io.moldau.common.Errors;
import io.moldau.wire.message.SaslHandshakeRequestData;
import io.moldau.wire.message.SaslHandshakeResponseData;

/// SaslHandshake, versions 0 and 1, on a listener without SASL: a client that is set up for it is told so, and not left
/// with a closed connection.
public final class SaslHandshakeHandler implements RequestHandler<SaslHandshakeRequestData> {

    @Override
    public void handle(RequestContext context, SaslHandshakeRequestData request) {
        context.respond(new SaslHandshakeResponseData().setErrorCode(Errors.ILLEGAL_SASL_STATE.code()));
    }
}
