package io.moldau.broker.net;

import java.util.Map;

/// Bounds of the network edge. Byte counts are real memory, not payload.
///
/// @param eventLoops threads that read, serve and answer; 0 means one per core
/// @param maxConnections connections of the whole node (`max.connections`)
/// @param maxConnectionsPerIp connections of one address (`max.connections.per.ip`)
/// @param maxConnectionsPerIpOverrides the same for single addresses or host names
/// @param idleMs a connection without traffic and without open requests for that long is closed
///     (`connections.max.idle.ms`); not positive: never
/// @param requestMaxBytes largest frame accepted (`socket.request.max.bytes`)
/// @param requestMemoryBytes request bytes held by the node at a time, over all connections
///     (`queued.max.request.bytes`, which is unlimited in Kafka by default and here is not)
/// @param maxRequestsInFlight requests of one connection that may be open at a time; then reading stops
/// @param maxPendingResponseBytes response bytes of one connection that the peer has not taken yet; then reading
///     stops
/// @param receiveBufferBytes `SO_RCVBUF` (`socket.receive.buffer.bytes`), -1 leaves it to the kernel
/// @param sendBufferBytes `SO_SNDBUF` (`socket.send.buffer.bytes`), -1 leaves it to the kernel
/// @param backlog connections the kernel completes before they are accepted (`socket.listen.backlog.size`)
public record NetworkConfig(
        int eventLoops,
        int maxConnections,
        int maxConnectionsPerIp,
        Map<String, Integer> maxConnectionsPerIpOverrides,
        long idleMs,
        int requestMaxBytes,
        long requestMemoryBytes,
        int maxRequestsInFlight,
        int maxPendingResponseBytes,
        int receiveBufferBytes,
        int sendBufferBytes,
        int backlog) {

    /// Kafka's defaults where Kafka has the setting.
    public static final NetworkConfig DEFAULTS = new NetworkConfig(
            0,
            Integer.MAX_VALUE,
            Integer.MAX_VALUE,
            Map.of(),
            600_000L,
            100 * 1024 * 1024,
            128L * 1024 * 1024,
            100,
            1024 * 1024,
            -1,
            -1,
            50);

    public NetworkConfig {
        maxConnectionsPerIpOverrides = Map.copyOf(maxConnectionsPerIpOverrides);
    }

    public NetworkConfig withEventLoops(int loops) {
        return new NetworkConfig(
                loops,
                maxConnections,
                maxConnectionsPerIp,
                maxConnectionsPerIpOverrides,
                idleMs,
                requestMaxBytes,
                requestMemoryBytes,
                maxRequestsInFlight,
                maxPendingResponseBytes,
                receiveBufferBytes,
                sendBufferBytes,
                backlog);
    }
}
