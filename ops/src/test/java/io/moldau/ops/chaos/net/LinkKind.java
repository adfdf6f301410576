package io.moldau.ops.chaos.net;

/// Which listener of the target a link leads to.
public enum LinkKind {
    /// The brokers' own: replica fetches and what else brokers ask each other.
    BROKER,
    /// A controller's: registration, heartbeats, metadata, and the quorum itself.
    CONTROLLER
}
