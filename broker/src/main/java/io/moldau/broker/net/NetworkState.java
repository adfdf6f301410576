package io.moldau.broker.net;

/// What the network of a node holds at a moment.
///
/// @param requestBytes of requests that are not answered yet
/// @param requestBytesLimit when reading stops
/// @param unsentBytes of answers that peers have not taken yet
/// @param pooledBytes direct memory the buffer pool has taken from the system
/// @param directBytes direct memory in use by Netty, the pool's included; -1 if it does not know
public record NetworkState(
        int connections,
        long requestBytes,
        long requestBytesLimit,
        long unsentBytes,
        long pooledBytes,
        long directBytes) {}
