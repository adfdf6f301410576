package io.moldau.broker.net;

import io.moldau.broker.request.NodeRequestHandler;
import io.moldau.broker.request.RequestMetrics;
import io.moldau.broker.request.RequestRouter;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.WriteBufferWaterMark;
import io.netty.channel.group.ChannelGroup;
import io.netty.channel.group.DefaultChannelGroup;
import io.netty.channel.socket.SocketChannel;
import io.netty.util.concurrent.GlobalEventExecutor;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Accepts connections on the node's listeners and serves the requests that come over them.
///
/// Every connection stays on the event loop that got it. Closing stops accepting first and then ends the
/// connections; the event loops belong to whoever made them.
public final class NettyServer implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(NettyServer.class);

    private static final long DRAIN_MS = 1000;

    private final NetworkConfig config;
    private final EventLoops loops;
    private final ConnectionHandler.Shared shared;
    private final ChannelGroup connections = new DefaultChannelGroup("connections", GlobalEventExecutor.INSTANCE, true);
    private final Map<String, Channel> listeners = new LinkedHashMap<>();

    public NettyServer(NetworkConfig config, EventLoops loops, RequestRouter router, RequestMetrics metrics) {
        this(config, loops, router, NodeRequestHandler.NONE, metrics);
    }

    /// @param nodeRequests serves what nodes ask of each other in their own way
    public NettyServer(
            NetworkConfig config,
            EventLoops loops,
            RequestRouter router,
            NodeRequestHandler nodeRequests,
            RequestMetrics metrics) {
        this.config = config;
        this.loops = loops;
        this.shared = new ConnectionHandler.Shared(
                router,
                nodeRequests,
                metrics,
                new RequestMemory(config.requestMemoryBytes()),
                new UnsentMemory(config.requestMemoryBytes()),
                new ConnectionLimits(
                        config.maxConnections(),
                        config.maxConnectionsPerIp(),
                        byAddress(config.maxConnectionsPerIpOverrides())),
                config,
                loops::deadlinesOf);
    }

    /// The overrides by address where they are given by host name.
    private static Map<String, Integer> byAddress(Map<String, Integer> byHost) {
        Map<String, Integer> limits = new HashMap<>();
        byHost.forEach((host, limit) -> {
            try {
                for (InetAddress address : InetAddress.getAllByName(host)) {
                    limits.put(address.getHostAddress(), limit);
                }
            } catch (UnknownHostException e) {
                LOG.warn("max.connections.per.ip.overrides names a host that is not known host={}", host);
            }
        });
        return limits;
    }

    /// Begins to accept connections.
    ///
    /// @return the address bound to, with its port
    /// @throws IOException if the address cannot be bound
    public InetSocketAddress bind(ListenerConfig listener) throws IOException {
        return bind(listener, true);
    }

    /// Takes the address only: who connects waits in the kernel's queue until [#startAccepting].
    ///
    /// @return the address bound to, with its port
    /// @throws IOException if the address cannot be bound
    public InetSocketAddress reserve(ListenerConfig listener) throws IOException {
        return bind(listener, false);
    }

    private synchronized InetSocketAddress bind(ListenerConfig listener, boolean accepting) throws IOException {
        var bootstrap = new ServerBootstrap()
                .group(loops.group())
                .channel(loops.serverChannelType())
                .option(ChannelOption.SO_BACKLOG, config.backlog())
                .option(ChannelOption.SO_REUSEADDR, true)
                .option(ChannelOption.AUTO_READ, accepting)
                .option(ChannelOption.ALLOCATOR, loops.allocator())
                .childOption(ChannelOption.ALLOCATOR, loops.allocator())
                .childOption(ChannelOption.TCP_NODELAY, true)
                .childOption(ChannelOption.SO_KEEPALIVE, true)
                .childOption(
                        ChannelOption.WRITE_BUFFER_WATER_MARK,
                        // Reading goes on when the peer has taken half.
                        new WriteBufferWaterMark(
                                config.maxPendingResponseBytes() / 2, config.maxPendingResponseBytes()))
                .childOption(ChannelOption.MESSAGE_SIZE_ESTIMATOR, ResponseSize.ESTIMATOR)
                .childHandler(new ChannelInitializer<SocketChannel>() {
                    @Override
                    protected void initChannel(SocketChannel channel) {
                        var receive = new ReceiveAllocator();
                        channel.config().setRecvByteBufAllocator(receive);
                        channel.pipeline().addLast(new ConnectionHandler(shared, listener.name(), receive));
                        connections.add(channel);
                    }
                });
        if (config.receiveBufferBytes() > 0) {
            bootstrap.option(ChannelOption.SO_RCVBUF, config.receiveBufferBytes());
            bootstrap.childOption(ChannelOption.SO_RCVBUF, config.receiveBufferBytes());
        }
        if (config.sendBufferBytes() > 0) {
            bootstrap.childOption(ChannelOption.SO_SNDBUF, config.sendBufferBytes());
        }
        var address = listener.host().isEmpty()
                ? new InetSocketAddress(listener.port())
                : new InetSocketAddress(listener.host(), listener.port());
        ChannelFuture bound = bootstrap.bind(address).awaitUninterruptibly();
        Throwable failure = bound.cause();
        if (failure != null) {
            throw new IOException(
                    "listener " + listener.name() + " cannot bind " + address + ": " + failure.getMessage()
                            + ". End the process that uses the port, or set another one in listeners.",
                    failure);
        }
        listeners.put(listener.name(), bound.channel());
        var local = (InetSocketAddress) bound.channel().localAddress();
        LOG.debug("Listening listener={} address={}", listener.name(), local);
        return local;
    }

    /// Where a listener accepts connections; null if it does not.
    public synchronized @Nullable InetSocketAddress addressOf(String listener) {
        Channel channel = listeners.get(listener);
        return channel == null ? null : (InetSocketAddress) channel.localAddress();
    }

    /// Open connections, over all listeners.
    public int connectionCount() {
        return shared.limits().total();
    }

    /// Bytes of requests that are not answered yet.
    public long requestMemoryUsed() {
        return shared.memory().used();
    }

    /// Bytes of answers that peers have not taken yet, as of the last time each connection was written to.
    public long unsentBytes() {
        return shared.unsent().bytes();
    }

    /// Accepts connections on every address that was reserved.
    public synchronized void startAccepting() {
        for (Channel channel : listeners.values()) {
            channel.config().setAutoRead(true);
        }
    }

    /// Stops accepting; open connections go on.
    public synchronized void stopAccepting() {
        for (Channel channel : listeners.values()) {
            channel.close().awaitUninterruptibly();
        }
        listeners.clear();
    }

    /// Stops accepting, has waits given up and what is under way answered for a moment, and ends the connections.
    @Override
    public void close() {
        stopAccepting();
        for (Channel channel : connections) {
            var handler = channel.pipeline().get(ConnectionHandler.class);
            if (handler != null) {
                channel.eventLoop().execute(handler::drain);
            }
        }
        connections.newCloseFuture().awaitUninterruptibly(DRAIN_MS);
        connections.close().awaitUninterruptibly();
    }
}
