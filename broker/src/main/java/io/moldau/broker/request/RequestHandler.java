package io.moldau.broker.request;

import io.moldau.wire.protocol.Message;

/// Serves one API in all its versions.
///
/// Runs on the event loop of the connection: it must not block, and may answer later from any thread. An
/// [io.moldau.common.ApiException] it throws becomes the API's error response.
@FunctionalInterface
public interface RequestHandler<Q extends Message> {

    void handle(RequestContext context, Q request);
}
