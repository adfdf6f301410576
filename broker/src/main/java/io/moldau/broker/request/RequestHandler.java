package io.moldau.broker.request;

import io.moldau.common.ApiException;
import io.moldau.wire.protocol.Message;
import org.jspecify.annotations.Nullable;

/// Serves one API in all its versions.
///
/// Runs on the event loop of the connection: it must not block, and may answer later from any thread. An
/// [ApiException] it throws becomes the API's error response. Record bytes inside the request are lent for the time
/// of the call: to keep them longer, retain them.
@FunctionalInterface
public interface RequestHandler<Q extends Message> {

    void handle(RequestContext context, Q request);

    /// The answer when [#handle] threw. Null if this API has no way to say it: then the connection closes.
    default @Nullable Message errorResponse(RequestContext context, Q request, ApiException failure) {
        return ErrorResponses.of(context.apiKey(), context.apiVersion(), failure);
    }
}
