package io.moldau.broker.controller;

/// Where a controller can be reached.
///
/// @param id of its node, or [#UNKNOWN] when only the address is known (`controller.quorum.bootstrap.servers`)
public record ControllerAddress(int id, String host, int port) {

    public static final int UNKNOWN = -1;

    /// For people.
    String hostAndPort() {
        return (host.indexOf(':') >= 0 ? "[" + host + "]" : host) + ":" + port;
    }
}
