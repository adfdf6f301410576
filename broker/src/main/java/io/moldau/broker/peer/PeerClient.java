package io.moldau.broker.peer;

import io.moldau.wire.protocol.Message;
import java.nio.ByteBuffer;
import java.util.concurrent.CompletableFuture;

/// Requests to one other node over one connection, answered in the order they were sent.
///
/// The connection is made by the first request and, after it broke, by the next one: how long to wait between the two
/// is the caller's decision. A request that waits at the other side (a long poll) holds back the answers of those
/// behind it, so it needs a client of its own.
///
/// Callable from any thread. Futures complete on the connection's event loop: do not block there. They fail with
/// [io.moldau.common.ApiException]:
///  * `NETWORK_EXCEPTION`: the connection was refused or broke, the client was closed, or too many requests are open;
///  * `REQUEST_TIMED_OUT`: no answer came in time. The connection is then given up, and with it all that were behind;
///  * for [#call] also whatever error the other node answered.
public interface PeerClient extends AutoCloseable {

    /// Sends a request of the Kafka protocol, in a version that the caller knows the other node to serve. Whoever gets
    /// the answer closes it: record bytes inside it are slices of the received frame.
    CompletableFuture<PeerResponse> send(short apiVersion, Message request, long timeoutMs);

    /// Sends one of the nodes' own requests: bytes under an API key of [NodeApi]. The body is sent as it is between its
    /// position and limit and must not change until the answer is there. The answer is the caller's to keep.
    CompletableFuture<ByteBuffer> call(short apiKey, ByteBuffer body, long timeoutMs);

    /// Gives the connection up. Every open request fails with `NETWORK_EXCEPTION`, and so does every later one.
    @Override
    void close();
}
