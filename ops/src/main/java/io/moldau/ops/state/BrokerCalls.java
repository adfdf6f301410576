package io.moldau.ops.state;

import io.moldau.broker.NodeView;
import io.moldau.broker.peer.PeerClient;
import io.moldau.broker.peer.PeerResponse;
import io.moldau.common.Endpoint;
import io.moldau.metadata.image.BrokerRegistration;
import io.moldau.wire.protocol.Message;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/// Asks brokers in Kafka's protocol, as a client would, on the listener they use among themselves. What does not answer
/// within a second has no answer. Thread-safe; there is one connection to each broker, made when it is first asked.
public final class BrokerCalls implements AutoCloseable {

    private static final long TIMEOUT_MS = 1_000;

    private final NodeView node;

    /// As many as there are listeners of brokers.
    private final Map<Endpoint, PeerClient> clients = new HashMap<>();

    private boolean closed;

    public BrokerCalls(NodeView node) {
        this.node = node;
    }

    /// Asks without waiting. Whoever gets the answer closes it; [#await] waits for it.
    ///
    /// @return null if there is no such broker, or no way to it is known
    @Nullable
    CompletableFuture<PeerResponse> send(int broker, short version, Message request) {
        PeerClient client = client(broker);
        return client == null ? null : client.send(version, request, TIMEOUT_MS);
    }

    /// Asks and waits; null if there is no answer.
    @Nullable
    PeerResponse ask(int broker, short version, Message request) {
        return await(send(broker, version, request));
    }

    private synchronized @Nullable PeerClient client(int id) {
        String listener = node.config().interBrokerListener();
        if (listener == null || closed) {
            return null;
        }
        BrokerRegistration broker = node.image().get().cluster().broker(id);
        Endpoint endpoint = broker == null ? null : broker.listener(listener);
        if (endpoint == null) {
            return null;
        }
        PeerClient known = clients.get(endpoint);
        if (known != null) {
            return known;
        }
        forgetOthers(listener);
        PeerClient made = node.peers().connect(endpoint.host(), endpoint.port(), "admin");
        clients.put(endpoint, made);
        return made;
    }

    /// Brokers move, and leave.
    private void forgetOthers(String listener) {
        var brokers = node.image().get().cluster().brokers();
        clients.entrySet().removeIf(entry -> {
            boolean gone = brokers.stream().noneMatch(broker -> entry.getKey().equals(broker.listener(listener)));
            if (gone) {
                entry.getValue().close();
            }
            return gone;
        });
    }

    static @Nullable PeerResponse await(@Nullable CompletableFuture<PeerResponse> answer) {
        if (answer == null) {
            return null;
        }
        try {
            return answer.orTimeout(2 * TIMEOUT_MS, TimeUnit.MILLISECONDS).join();
        } catch (CompletionException e) {
            // The broker is gone or cut off: that is the answer.
            return null;
        }
    }

    /// Asks nobody any more.
    @Override
    public synchronized void close() {
        closed = true;
        clients.values().forEach(PeerClient::close);
        clients.clear();
    }
}
