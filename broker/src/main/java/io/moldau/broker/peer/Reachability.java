package io.moldau.broker.peer;

/// What trying to connect to an address has shown.
public enum Reachability {
    /// The machine accepts the connection. The process behind it may hang, but its sockets are there.
    ACCEPTS,
    /// The machine answers and says that nobody listens: the process that did is gone.
    REFUSED,
    /// Anything else: no answer in time, no route, no such name. Says nothing about the process.
    UNKNOWN
}
