package io.moldau.ops.node;

/// A broker that a test talks to as a client.
///
/// @param bootstrap its `HOST:PORT`
public record Broker(String bootstrap) {}
