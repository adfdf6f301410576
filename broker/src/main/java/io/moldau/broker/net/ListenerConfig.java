package io.moldau.broker.net;

/// One address this node accepts connections on. Port 0 takes any free port.
public record ListenerConfig(String name, String securityProtocol, String host, int port) {}
