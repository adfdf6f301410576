package io.moldau.ops;

import io.moldau.broker.Node;
import io.moldau.broker.config.NodeConfig;
import io.moldau.common.Endpoint;
import java.util.List;
import java.util.stream.Collectors;

/// The few lines a person sees once a node serves: where it listens, where its data is, how to try it.
final class Announcement {

    private Announcement() {}

    static String of(Node node, String version, String data) {
        return text(version, node.config(), node.listeners(), data);
    }

    /// @param listeners as bound, so with their real ports
    static String text(String version, NodeConfig config, List<Endpoint> listeners, String data) {
        var forClients = listeners.stream()
                .filter(listener -> !config.isControllerListener(listener.listenerName()))
                .toList();
        if (forClients.isEmpty()) {
            return """
                Moldau %s is ready: node %d, a controller, listens on %s
                  data  %s
                  stop  Ctrl-C""".formatted(version, config.nodeId(), addresses(listeners), data);
        }
        var addresses = addresses(forClients);
        var bootstrap = address(forClients.getFirst());
        return """
                Moldau %s is ready: node %d listens on %s
                  data  %s
                  try   echo hello | kcat -b %s -P -t greetings
                        kcat -b %s -C -t greetings -o beginning -e
                  stop  Ctrl-C""".formatted(version, config.nodeId(), addresses, data, bootstrap, bootstrap);
    }

    private static String addresses(List<Endpoint> listeners) {
        return listeners.stream()
                .map(listener -> listener.listenerName() + "://" + address(listener))
                .collect(Collectors.joining(", "));
    }

    private static String address(Endpoint listener) {
        var host = listener.host();
        // A listener on every interface is reached by this machine's own name.
        var reachable = host.isEmpty() || host.equals("0.0.0.0") || host.equals("::") ? "localhost" : host;
        return (reachable.contains(":") ? "[" + reachable + "]" : reachable) + ":" + listener.port();
    }
}
