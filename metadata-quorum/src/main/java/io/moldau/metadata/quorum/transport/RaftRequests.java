package io.moldau.metadata.quorum.transport;

import java.nio.ByteBuffer;
import java.util.concurrent.CompletableFuture;

/// The receiving end of [RaftTransport]: what a voter does with the messages of others.
public interface RaftRequests {

    /// Called on any thread; hands the work to others and never blocks.
    ///
    /// Completes with the body of the answer, or fails, in which case the sender gets no answer or an error.
    ///
    /// @param request must stay as it is until the future completes
    CompletableFuture<ByteBuffer> handle(RaftMessage kind, ByteBuffer request);
}
