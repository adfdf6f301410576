package io.moldau.broker.request;

import java.nio.ByteBuffer;
import java.util.concurrent.CompletableFuture;

/// Serves the requests that nodes make of each other, on listeners that have it.
public interface NodeRequestHandler {

    /// Serves none: whoever asks loses the connection.
    NodeRequestHandler NONE = new NodeRequestHandler() {
        @Override
        public boolean serves(short key) {
            return false;
        }

        @Override
        public CompletableFuture<ByteBuffer> handle(NodeRequest request) {
            throw new IllegalArgumentException("key " + request.key() + " is not served");
        }
    };

    boolean serves(short key);

    /// Called on the connection's event loop, where nothing may block. The future may complete on any thread, with the
    /// bytes of the answer, or fail: an [io.moldau.common.ApiException] is told to the other node as it is.
    CompletableFuture<ByteBuffer> handle(NodeRequest request);
}
