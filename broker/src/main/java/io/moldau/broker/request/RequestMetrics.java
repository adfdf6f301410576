package io.moldau.broker.request;

import io.moldau.common.Errors;
import io.moldau.wire.protocol.ApiKey;

/// Events of connections and requests, for whoever counts them. Called on event loops: implementations must be
/// quick and thread-safe.
public interface RequestMetrics {

    /// Counts nothing.
    RequestMetrics NONE = new RequestMetrics() {};

    /// Why a connection was not accepted or was closed by this side.
    enum Closed {
        TOO_MANY_CONNECTIONS,
        TOO_MANY_CONNECTIONS_PER_IP,
        IDLE,
        STALLED,
        BAD_FRAME,
        BAD_REQUEST,
        HANDLER,
        ERROR,
        SHUTDOWN
    }

    default void connectionOpened(String listener) {}

    default void connectionClosed(String listener) {}

    /// This side refused or closed a connection.
    default void connectionDropped(String listener, Closed cause) {}

    default void requestReceived(ApiKey api, short version, int bytes) {}

    /// The answer went to the socket (or none was due). `nanos` counts from the last byte of the request.
    default void requestCompleted(ApiKey api, short version, long nanos, int responseBytes) {}

    /// A handler failed, with the error the client was told.
    default void requestFailed(ApiKey api, short version, Errors error) {}

    /// Reading from a connection stopped: too many open requests, too much unsent, or no request memory left.
    default void readingPaused(String listener) {}
}
