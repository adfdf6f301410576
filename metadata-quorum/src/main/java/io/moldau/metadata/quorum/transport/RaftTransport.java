package io.moldau.metadata.quorum.transport;

import java.net.ConnectException;
import java.nio.ByteBuffer;
import java.util.concurrent.CompletableFuture;

/// Sends the messages of this voter to other ones: over the listener that controllers have anyway, so that a quorum
/// needs no port, no certificates and no firewall rule of its own, or through memory in tests.
///
/// Any thread. It keeps no messages back: one that cannot be sent now fails now, and the next one tries to connect
/// again.
public interface RaftTransport {

    /// Sends a request and completes with the body of the answer.
    ///
    /// Completes on a thread of the network, where nobody may block. Fails with any exception: refused, broken, no
    /// answer in time. It fails as soon as the connection breaks; see [RaftMessage#WATCH].
    ///
    /// @param request the transport's from here on
    CompletableFuture<ByteBuffer> send(String host, int port, RaftMessage kind, ByteBuffer request, long timeoutMs);

    /// Gives up the connections to this address and what it knows about the name.
    void reset(String host, int port);

    /// Whether a process listens there. Completes with false only if the machine says that none does.
    CompletableFuture<Boolean> listens(String host, int port, long timeoutMs);

    /// For a quorum of one that nobody can join: sending fails.
    static RaftTransport none() {
        return new RaftTransport() {
            @Override
            public CompletableFuture<ByteBuffer> send(
                    String host, int port, RaftMessage kind, ByteBuffer request, long timeoutMs) {
                return CompletableFuture.failedFuture(
                        new ConnectException("this node has no network between controllers"));
            }

            @Override
            public void reset(String host, int port) {}

            @Override
            public CompletableFuture<Boolean> listens(String host, int port, long timeoutMs) {
                return CompletableFuture.completedFuture(true);
            }
        };
    }
}
