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

    /// The answer was written, to leave with the next flush (or none was due). The three times follow each other and
    /// begin with the last byte of the request.
    ///
    /// @param handleNanos until the handler had answered, or had left the answer to later
    /// @param waitNanos until that later answer
    /// @param sendNanos until it was the answer's turn and it was written
    default void requestCompleted(
            ApiKey api, short version, long handleNanos, long waitNanos, long sendNanos, int responseBytes) {}

    /// An answer carries this error code; once for each place where it does.
    default void errorAnswered(ApiKey api, short errorCode) {}

    /// A handler failed, with the error the client was told.
    default void requestFailed(ApiKey api, short version, Errors error) {}

    /// Reading from a connection stopped: too many open requests, too much unsent, or no request memory left.
    default void readingPaused(String listener) {}

    /// And goes on.
    default void readingResumed(String listener) {}
}
