package io.moldau.broker.request;

import io.moldau.broker.delayed.Deadlines;
import io.moldau.wire.protocol.ApiKey;
import io.moldau.wire.protocol.Message;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/// One request on its way: who sent it, and the one answer it gets.
///
/// Exactly one of [#respond], [#respondNothing] and [#disconnect] must be called, once, from any thread. Answers
/// leave the connection in the order of its requests, whatever the order of these calls.
public interface RequestContext {

    ApiKey apiKey();

    short apiVersion();

    int correlationId();

    @Nullable
    String clientId();

    String listenerName();

    /// Kafka's form: `User:alice`, or `User:ANONYMOUS` where nobody logged in.
    String principal();

    /// The peer's address as text, without port.
    String clientAddress();

    /// When the last byte of the request had arrived, on the node's monotonic clock.
    long receivedNanos();

    /// Sends the answer. Records inside it belong to the context from here on: it releases them once they are sent,
    /// or at once if the connection is gone.
    void respond(Message response);

    /// Ends the request without an answer (Produce with acks=0).
    void respondNothing();

    /// Closes the connection, the only way left to tell the peer; the reason goes to the log.
    void disconnect(String reason);

    /// Runs on [#executor] if the connection goes away, or is about to, before this request is answered, so that a
    /// wait for it is given up; at once if it is gone already. At most one per request, set on [#executor].
    void whenDisconnected(Runnable giveUp);

    /// The event loop of the connection. What runs there must not block.
    Executor executor();

    /// True on the thread of [#executor].
    boolean inExecutor();

    /// Deadlines of the connection's event loop; to be used on [#executor] only.
    Deadlines deadlines();
}
