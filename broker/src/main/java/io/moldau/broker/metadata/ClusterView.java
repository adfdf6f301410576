package io.moldau.broker.metadata;

import io.moldau.common.Endpoint;
import io.moldau.metadata.image.BrokerRegistration;
import io.moldau.metadata.image.MetadataImage;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// A metadata image as the clients of one listener see it: a broker is there if it is not fenced and has that listener.
///
/// @param hungUp brokers that are there and lead nothing that a client could use, see [HungUpBrokers]
public record ClusterView(MetadataImage image, String listenerName, Set<Integer> hungUp) {

    public ClusterView(MetadataImage image, String listenerName) {
        this(image, listenerName, Set.of());
    }

    /// What to tell clients now.
    public ClusterView(MetadataImage image, String listenerName, HungUpBrokers hungUp) {
        this(image, listenerName, hungUp.in(image));
    }

    /// A broker and its address on the listener.
    public record Node(
            int id, String host, int port, @Nullable String rack, boolean fenced) {}

    /// The brokers that serve, by id.
    public List<Node> nodes() {
        return nodes(false);
    }

    /// @param includeFenced with those that are registered and do not serve
    public List<Node> nodes(boolean includeFenced) {
        List<Node> nodes = new ArrayList<>();
        for (BrokerRegistration broker : image.cluster().brokers()) {
            Node node = node(broker);
            if (node != null && (includeFenced || !node.fenced())) {
                nodes.add(node);
            }
        }
        return nodes;
    }

    /// The broker if it serves.
    public @Nullable Node node(int id) {
        BrokerRegistration broker = image.cluster().broker(id);
        Node node = broker == null ? null : node(broker);
        return node == null || node.fenced() ? null : node;
    }

    /// Whether a leader that the metadata names can be asked, as far as is known here.
    public boolean leads(int id) {
        BrokerRegistration broker = image.cluster().broker(id);
        return broker != null && !broker.fenced() && !hungUp.contains(id);
    }

    public boolean isReachable(int id) {
        return node(id) != null;
    }

    private @Nullable Node node(BrokerRegistration broker) {
        for (Endpoint endpoint : broker.listeners()) {
            if (endpoint.listenerName().equals(listenerName)) {
                return new Node(broker.id(), endpoint.host(), endpoint.port(), broker.rack(), broker.fenced());
            }
        }
        return null;
    }

    /// The broker clients should send requests for the controller to. Any will do, for each forwards them: the one that
    /// is asked, or the lowest while that one is fenced. -1 if there is none.
    public int controllerFor(int localId) {
        if (isReachable(localId)) {
            return localId;
        }
        List<Node> nodes = nodes();
        return nodes.isEmpty() ? -1 : nodes.getFirst().id();
    }
}
