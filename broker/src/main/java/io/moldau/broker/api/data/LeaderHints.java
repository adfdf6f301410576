package io.moldau.broker.api.data;

import io.moldau.common.Endpoint;
import io.moldau.metadata.image.BrokerRegistration;
import io.moldau.metadata.image.MetadataImage;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/// Collects which brokers to name in an answer, so that a client that asked the wrong one knows at once where to go
/// (KIP-951).
final class LeaderHints {

    /// A broker by the listener the client used.
    record Node(int id, String host, int port, @Nullable String rack) {}

    private final MetadataImage image;
    private final String listenerName;
    private final Map<Integer, Node> nodes = new TreeMap<>();

    LeaderHints(MetadataImage image, String listenerName) {
        this.image = image;
        this.listenerName = listenerName;
    }

    /// Names the broker if it is known and reachable by the listener.
    void add(int brokerId) {
        BrokerRegistration broker = image.cluster().broker(brokerId);
        if (broker == null) {
            return;
        }
        for (Endpoint endpoint : broker.listeners()) {
            if (endpoint.listenerName().equals(listenerName)) {
                nodes.put(brokerId, new Node(brokerId, endpoint.host(), endpoint.port(), broker.rack()));
            }
        }
    }

    List<Node> nodes() {
        return new ArrayList<>(nodes.values());
    }
}
