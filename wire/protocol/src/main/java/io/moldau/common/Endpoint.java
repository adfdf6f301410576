package io.moldau.common;

/// Where a node can be reached by one of its listeners. `securityProtocol` is Kafka's name, such as `PLAINTEXT`.
public record Endpoint(String listenerName, String securityProtocol, String host, int port) {

    /// In the form of the `listeners` setting: `NAME://host:port`, an IPv6 address in brackets.
    @Override
    public String toString() {
        String shownHost = host.indexOf(':') >= 0 ? "[" + host + "]" : host;
        return listenerName + "://" + shownHost + ":" + port;
    }
}
