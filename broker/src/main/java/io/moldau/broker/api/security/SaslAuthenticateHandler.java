package io.moldau.broker.api.security;

import io.moldau.broker.request.RequestContext;
import io.moldau.broker.request.RequestHandler;
import io.moldau.common.Errors;
import io.moldau.wire.message.SaslAuthenticateRequestData;
import io.moldau.wire.message.SaslAuthenticateResponseData;

/// SaslAuthenticate, versions 0 to 2, on a listener without SASL: see [SaslHandshakeHandler].
public final class SaslAuthenticateHandler implements RequestHandler<SaslAuthenticateRequestData> {

    @Override
    public void handle(RequestContext context, SaslAuthenticateRequestData request) {
        context.respond(new SaslAuthenticateResponseData()
                .setErrorCode(Errors.ILLEGAL_SASL_STATE.code())
                .setErrorMessage("This listener takes no SASL. Set the client's security.protocol=PLAINTEXT."));
    }
}
