package io.moldau.ops.chaos.net;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.IntFunction;
import java.util.function.Predicate;

/// Passes connections on to another port of the loopback interface, over a [Link] that decides when bytes get through.
///
/// One virtual thread accepts, two serve each connection. A connection whose target does not listen is reset, as if the
/// target itself had refused it.
final class TcpProxy implements AutoCloseable {

    private static final int CHUNK = 16 * 1024;
    private static final int CONNECT_MILLIS = 5_000;

    private final ServerSocket server;
    private final int targetPort;
    private final IntFunction<Link> links;
    private final Set<Connection> connections = ConcurrentHashMap.newKeySet();

    private TcpProxy(ServerSocket server, int targetPort, IntFunction<Link> links) {
        this.server = server;
        this.targetPort = targetPort;
        this.links = links;
    }

    /// @param links the link of a new connection, by the port it comes from
    static TcpProxy open(int port, int targetPort, IntFunction<Link> links) throws IOException {
        var server = new ServerSocket();
        server.setReuseAddress(true);
        server.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), 500);
        var proxy = new TcpProxy(server, targetPort, links);
        Thread.ofVirtual().name("proxy-" + port).start(proxy::accept);
        return proxy;
    }

    int port() {
        return server.getLocalPort();
    }

    List<Connection> connections(Predicate<Link> over) {
        return connections.stream().filter(it -> over.test(it.link)).toList();
    }

    private void accept() {
        while (!server.isClosed()) {
            try {
                var near = server.accept();
                Thread.ofVirtual().start(() -> connect(near));
            } catch (IOException e) {
                // The proxy was closed, or the machine is out of descriptors; the next round tells.
                continue;
            }
        }
    }

    private void connect(Socket near) {
        var far = new Socket();
        try {
            var link = links.apply(near.getPort());
            far.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), targetPort), CONNECT_MILLIS);
            near.setTcpNoDelay(true);
            far.setTcpNoDelay(true);
            var connection = new Connection(near, far, link);
            connections.add(connection);
            Thread.ofVirtual().start(() -> connection.pump(near, far, Link.Direction.REQUESTS));
            Thread.ofVirtual().start(() -> connection.pump(far, near, Link.Direction.ANSWERS));
            if (server.isClosed()) {
                connection.reset();
            }
        } catch (IOException e) {
            // The target does not listen: what the opener would have been told without a proxy.
            abort(near);
            abort(far);
        }
    }

    private static void abort(Socket socket) {
        try (socket) {
            socket.setSoLinger(true, 0);
        } catch (IOException e) {
            // It is closed already, which is what was wanted.
            return;
        }
    }

    private static void close(Socket socket) {
        try {
            socket.close();
        } catch (IOException e) {
            // Its other end was faster.
            return;
        }
    }

    @Override
    public void close() {
        try {
            server.close();
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
        connections.forEach(Connection::reset);
    }

    /// Two sockets, and the link between them.
    final class Connection {

        private final Socket near;
        private final Socket far;
        private final Link link;
        private int ended;

        private Connection(Socket near, Socket far, Link link) {
            this.near = near;
            this.far = far;
            this.link = link;
        }

        /// Ends the opener's half towards the target, and leaves the other half open.
        void halfClose() {
            try {
                far.shutdownOutput();
            } catch (IOException e) {
                // The connection has ended meanwhile.
                return;
            }
        }

        private void reset() {
            connections.remove(this);
            abort(near);
            abort(far);
        }

        private void pump(Socket from, Socket to, Link.Direction direction) {
            try {
                copy(from.getInputStream(), to.getOutputStream(), direction);
                to.shutdownOutput();
                finished();
            } catch (IOException e) {
                // One end is gone without a farewell; the other learns of it the same way, once the link lets it.
                if (passes(direction, 1) > 0) {
                    reset();
                }
            }
        }

        private void copy(InputStream from, OutputStream to, Link.Direction direction) throws IOException {
            var chunk = new byte[CHUNK];
            for (int read = from.read(chunk); read >= 0; read = from.read(chunk)) {
                for (int at = 0; at < read; ) {
                    int bytes = passes(direction, read - at);
                    if (bytes == 0) {
                        throw new IOException("the link was closed");
                    }
                    to.write(chunk, at, bytes);
                    at += bytes;
                }
            }
            // The end of a stream travels like its bytes.
            if (passes(direction, 1) == 0) {
                throw new IOException("the link was closed");
            }
        }

        private int passes(Link.Direction direction, int bytes) {
            try {
                return link.admit(direction, bytes);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                return 0;
            }
        }

        private synchronized void finished() {
            ended++;
            if (ended == 2) {
                connections.remove(this);
                // In order: an abortive end would take back bytes that are still on their way.
                close(near);
                close(far);
            }
        }
    }
}
