package io.moldau.broker.net;

/// Bounds of one connection to another node.
///
/// @param maxInFlight requests that may be open; more fail at once
/// @param maxFrameBytes largest answer; a longer one ends the connection
/// @param connectTimeoutMs how long one address is tried. Short, since a lost packet of the handshake is sent again
/// only
///     after a second and then ever later: trying anew finds a node that has come back sooner
public record PeerLimits(int maxInFlight, int maxFrameBytes, int connectTimeoutMs) {

    public static final PeerLimits DEFAULTS = new PeerLimits(1000, 128 * 1024 * 1024, 2000);
}
