package io.moldau.broker;

import io.moldau.broker.config.NodeConfig;
import io.moldau.broker.lifecycle.StartException;
import io.moldau.common.Endpoint;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.ArrayList;
import java.util.List;

/// What others are told of where a node listens.
final class Advertised {

    private Advertised() {}

    /// The advertised listeners, with ports and hosts that were left open filled in.
    ///
    /// @param bound the listeners with the ports they got
    static List<Endpoint> endpoints(NodeConfig config, List<Endpoint> bound) {
        List<Endpoint> endpoints = new ArrayList<>();
        for (Endpoint endpoint : config.advertisedListeners()) {
            int port = endpoint.port();
            for (Endpoint listener : bound) {
                if (port == 0 && listener.listenerName().equals(endpoint.listenerName())) {
                    port = listener.port();
                }
            }
            endpoints.add(new Endpoint(
                    endpoint.listenerName(), endpoint.securityProtocol(), reachable(endpoint.host()), port));
        }
        return endpoints;
    }

    private static String reachable(String host) {
        if (!host.isEmpty() && !host.equals("0.0.0.0") && !host.equals("::")) {
            return host;
        }
        try {
            return InetAddress.getLocalHost().getHostName();
        } catch (UnknownHostException e) {
            throw new StartException(
                    "This machine's own name cannot be resolved (" + e.getMessage()
                            + "). Set advertised.listeners to an address that clients can reach.",
                    e);
        }
    }
}
