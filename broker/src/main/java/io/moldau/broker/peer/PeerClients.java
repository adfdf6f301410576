package io.moldau.broker.peer;

import java.util.concurrent.CompletableFuture;

/// Makes clients of other nodes. Callable from any thread.
public interface PeerClients {

    /// A client that will connect when it is first used. Host names are looked up anew for every connection.
    ///
    /// @param purpose part of the client id that the other node sees and logs, such as `replica-fetcher`
    PeerClient connect(String host, int port, String purpose);

    /// Looks whether anybody listens there, and hangs up at once. Never fails.
    CompletableFuture<Reachability> probe(String host, int port, long timeoutMs);
}
