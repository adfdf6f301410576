package io.moldau.metadata.controller;

import io.moldau.common.Endpoint;
import java.util.concurrent.CompletableFuture;

/// Finds out whether a broker's process is gone, by connecting to one of its listeners.
///
/// The process behind a connection that ended may be dead, or only the connection may be. A machine that refuses a new
/// one says that nobody listens there any more, and so does a proxy that accepts one connection
/// after the other and ends each at once; everything else (accepted, no answer, no route) proves
/// nothing, since a process can hang or a network can be cut, and then the session time-out
/// decides.
@FunctionalInterface
public interface LivenessProbe {

    /// Answers true only if the machine refused the connection, or ended it at once again and
    /// again. Does not block; the future completes within about `timeoutMs`, on any thread. One
    /// that fails counts as false.
    CompletableFuture<Boolean> isGone(Endpoint listener, long timeoutMs);

    /// Never proves anything.
    static LivenessProbe none() {
        return (listener, timeoutMs) -> CompletableFuture.completedFuture(false);
    }
}
