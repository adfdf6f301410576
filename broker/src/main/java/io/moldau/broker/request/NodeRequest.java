package io.moldau.broker.request;

import java.nio.ByteBuffer;

/// One of the nodes' own requests, which have no form in the Kafka protocol: bytes under a key of theirs.
public interface NodeRequest {

    short key();

    /// The request's bytes, the handler's to keep.
    ByteBuffer body();

    /// Who the other node is: `User:alice`, or `User:ANONYMOUS` where nobody logged in.
    String principal();

    /// The other node's address as text, without port.
    String clientAddress();

    /// Runs on the connection's event loop when the connection ends, whoever ended it. There is one such action for
    /// each
    /// connection; a later one takes the place of an earlier one. To be called where the request is handed over.
    void whenConnectionEnds(Runnable action);
}
