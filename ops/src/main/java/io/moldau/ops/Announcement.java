package io.moldau.ops;

import io.moldau.broker.Node;
import io.moldau.broker.config.NodeConfig;
import io.moldau.common.Endpoint;
import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/// The few lines a person sees once a node serves: where it listens, where its data is, how to try it.
final class Announcement {

    private Announcement() {}

    static String of(Node node, @Nullable String adminUrl, String version, String data) {
        return text(version, node.config(), node.listeners(), adminUrl, data);
    }

    /// @param listeners as bound, so with their real ports
    /// @param adminUrl null if there is no admin listener
    static String text(
            String version, NodeConfig config, List<Endpoint> listeners, @Nullable String adminUrl, String data) {
        var watch = adminUrl == null
                ? ""
                : "  watch " + adminUrl + " in a browser, or its /metrics, /ready, /safe-to-stop, /api\n";
        var forClients = listeners.stream()
                .filter(listener -> !config.isControllerListener(listener.listenerName()))
                .toList();
        if (forClients.isEmpty()) {
            return """
                Moldau %s is ready: node %d, a controller, listens on %s
                  data  %s
                %s  stop  Ctrl-C""".formatted(version, config.nodeId(), addresses(listeners), data, watch);
        }
        var addresses = addresses(forClients);
        var bootstrap = address(forClients.getFirst());
        return """
                Moldau %s is ready: node %d listens on %s
                  data  %s
                  try   echo hello | kcat -b %s -P -t greetings
                        kcat -b %s -C -t greetings -o beginning -e
                %s  stop  Ctrl-C""".formatted(version, config.nodeId(), addresses, data, bootstrap, bootstrap, watch);
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
