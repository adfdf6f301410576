package io.moldau.broker.net;

import io.moldau.common.time.Time;
import io.netty.bootstrap.Bootstrap;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.PooledByteBufAllocator;
import io.netty.channel.Channel;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoop;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.ServerChannel;
import io.netty.channel.epoll.Epoll;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.epoll.EpollServerSocketChannel;
import io.netty.channel.epoll.EpollSocketChannel;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.netty.util.concurrent.DefaultThreadFactory;
import io.netty.util.concurrent.EventExecutor;
import io.netty.util.internal.PlatformDependent;
import java.net.InetSocketAddress;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/// The network threads of a node, one per core unless told otherwise, and their deadlines.
///
/// They run on Linux's epoll where its native library loads, else on the JDK's selector. Accepting, reading,
/// serving and answering all happen on them.
public final class EventLoops implements AutoCloseable {

    private static final int PAGE_BYTES = 8192;

    /// Chunks of 2^9 pages, 4 MiB: the unit in which memory is taken from and given back to the system.
    private static final int CHUNK_ORDER = 9;

    private static final int SMALL_CACHE = 256;
    private static final int NORMAL_CACHE = 64;

    private final EventLoopGroup group;
    private final boolean epoll;
    private final Map<EventExecutor, LoopDeadlines> deadlines;
    private final PooledByteBufAllocator allocator;

    /// @param threads 0 means one per core
    public EventLoops(int threads, Time time) {
        int count = threads > 0 ? threads : Runtime.getRuntime().availableProcessors();
        this.epoll = Epoll.isAvailable();
        IoHandlerFactory io = epoll ? EpollIoHandler.newFactory() : NioIoHandler.newFactory();
        this.group = new MultiThreadIoEventLoopGroup(count, new DefaultThreadFactory("moldau-network", true), io);
        var ofLoop = new IdentityHashMap<EventExecutor, LoopDeadlines>();
        for (EventExecutor executor : group) {
            ofLoop.put(executor, new LoopDeadlines((EventLoop) executor, time));
        }
        this.deadlines = ofLoop;
        this.allocator =
                new PooledByteBufAllocator(true, 1, count, PAGE_BYTES, CHUNK_ORDER, SMALL_CACHE, NORMAL_CACHE, true, 0);
    }

    /// Direct memory in as many arenas as there are loops.
    public ByteBufAllocator allocator() {
        return allocator;
    }

    /// What the servers on these loops, together, hold now.
    public NetworkState state(List<NettyServer> servers, long requestBytesLimit) {
        int connections = 0;
        long requestBytes = 0;
        long unsentBytes = 0;
        for (NettyServer server : servers) {
            connections += server.connectionCount();
            requestBytes += server.requestMemoryUsed();
            unsentBytes += server.unsentBytes();
        }
        return new NetworkState(
                connections,
                requestBytes,
                requestBytesLimit * servers.size(),
                unsentBytes,
                allocator.metric().usedDirectMemory(),
                PlatformDependent.usedDirectMemory());
    }

    EventLoopGroup group() {
        return group;
    }

    Class<? extends ServerChannel> serverChannelType() {
        return epoll ? EpollServerSocketChannel.class : NioServerSocketChannel.class;
    }

    /// For one connection to another node, made and served by this loop.
    Bootstrap client(EventLoop loop, int connectTimeoutMs) {
        return new Bootstrap()
                .group(loop)
                .channel(epoll ? EpollSocketChannel.class : NioSocketChannel.class)
                .option(ChannelOption.ALLOCATOR, allocator)
                .option(ChannelOption.TCP_NODELAY, true)
                .option(ChannelOption.SO_KEEPALIVE, true)
                .option(ChannelOption.CONNECT_TIMEOUT_MILLIS, connectTimeoutMs);
    }

    LoopDeadlines deadlinesOf(EventLoop loop) {
        LoopDeadlines of = deadlines.get(loop);
        if (of == null) {
            throw new IllegalArgumentException(loop + " is not an event loop of this group");
        }
        return of;
    }

    /// The peer's address without its port.
    static String addressOf(Channel channel) {
        return channel.remoteAddress() instanceof InetSocketAddress address && address.getAddress() != null
                ? address.getAddress().getHostAddress()
                : String.valueOf(channel.remoteAddress());
    }

    /// Stops the threads, once all servers on them are closed.
    @Override
    public void close() {
        group.shutdownGracefully(0, 2, TimeUnit.SECONDS).awaitUninterruptibly();
    }
}
