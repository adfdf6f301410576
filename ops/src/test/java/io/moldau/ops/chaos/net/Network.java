package io.moldau.ops.chaos.net;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.IntUnaryOperator;

/// The links between all nodes of a cluster, each of which can be cut or slowed down by itself. Any thread.
///
/// It works with user-space proxies and needs no rights. What it cannot do: lose a connection's first packet. A new
/// connection over a cut link is established and then silent.
public final class Network implements AutoCloseable {

    private record Key(int from, int to, LinkKind kind) {}

    private final Map<Key, Link> links = new ConcurrentHashMap<>();
    private final List<TcpProxy> proxies = new CopyOnWriteArrayList<>();
    private volatile IntUnaryOperator owners = _ -> -1;

    /// Who opened a connection, by its local port.
    public void owners(IntUnaryOperator ownerOfPort) {
        owners = ownerOfPort;
    }

    /// The way from one node to a listener of another.
    public Link link(int from, int to, LinkKind kind) {
        return links.computeIfAbsent(new Key(from, to, kind), _ -> new Link());
    }

    /// Accepts connections at a port and passes them on to the listener of node `to`.
    public void open(int port, int targetPort, int to, LinkKind kind) {
        try {
            proxies.add(TcpProxy.open(port, targetPort, remotePort -> link(owners.applyAsInt(remotePort), to, kind)));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /// Everything passes again.
    public void heal() {
        links.values().forEach(link -> link.set(Flow.OPEN));
    }

    /// Ends the sending half of every connection into the node's listener: it can still answer, and gets nothing more.
    public void halfClose(int to, LinkKind kind) {
        for (var proxy : proxies) {
            proxy.connections(link -> links.entrySet().stream()
                            .anyMatch(it -> it.getValue() == link
                                    && it.getKey().to() == to
                                    && it.getKey().kind() == kind))
                    .forEach(TcpProxy.Connection::halfClose);
        }
    }

    @Override
    public void close() {
        links.values().forEach(Link::close);
        new ArrayList<>(proxies).forEach(TcpProxy::close);
    }
}
