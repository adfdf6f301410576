package io.moldau.broker.peer;

/// What trying to connect to an address has shown.
public enum Reachability {
    /// The machine accepts the connection. The process behind it may hang, but its sockets are there.
    ACCEPTS,
    /// The machine answers and says that nobody listens, or each of several connections was
    /// accepted and ended at once, as by a proxy that does not reach the process: the process that
    /// listened there is gone.
    REFUSED,
    /// Anything else: no answer in time, no route, no such name. Says nothing about the process.
    UNKNOWN
}
