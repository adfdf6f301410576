package io.moldau.broker.net;

import io.moldau.broker.peer.PeerClient;
import io.moldau.broker.peer.PeerClients;
import io.moldau.broker.peer.Reachability;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.EventLoop;
import java.net.ConnectException;
import java.net.InetSocketAddress;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;

/// Clients of other nodes, on the event loops the node has anyway. Thread-safe.
public final class NettyPeers implements PeerClients {

    /// A proxy accepts a connection for a process that is gone, and then ends it. One that stays so
    /// long was accepted by the process itself, or by a proxy that reached it.
    private static final long STAYS_MS = 150;

    /// So often in a row a connection must end by itself until that counts as refused.
    private static final int LOOKS = 3;

    private static final long BETWEEN_LOOKS_MS = 50;

    private final EventLoops loops;
    private final PeerAddresses addresses;
    private final String clientIdPrefix;
    private final PeerLimits limits;

    /// @param lookups where host names are looked up, which can take its time
    /// @param clientIdPrefix how this node calls itself
    public NettyPeers(EventLoops loops, Executor lookups, String clientIdPrefix, PeerLimits limits) {
        this.loops = loops;
        this.addresses = new PeerAddresses(lookups);
        this.clientIdPrefix = clientIdPrefix;
        this.limits = limits;
    }

    @Override
    public PeerClient connect(String host, int port, String purpose) {
        return new NettyPeerClient(
                loops, loops.group().next(), addresses, host, port, clientIdPrefix + "-" + purpose, limits);
    }

    @Override
    public CompletableFuture<Reachability> probe(String host, int port, long timeoutMs) {
        EventLoop loop = loops.group().next();
        var verdict = new CompletableFuture<Reachability>();
        try {
            var timeout = loop.schedule(() -> verdict.complete(Reachability.UNKNOWN), timeoutMs, TimeUnit.MILLISECONDS);
            verdict.whenComplete((result, failure) -> timeout.cancel(false));
            addresses.resolve(host, port).whenComplete((found, failure) -> {
                if (failure != null || found.isEmpty()) {
                    verdict.complete(Reachability.UNKNOWN);
                } else {
                    onLoop(loop, () -> probe(loop, found.getFirst(), timeoutMs, LOOKS, verdict), verdict);
                }
            });
        } catch (RejectedExecutionException e) {
            verdict.complete(Reachability.UNKNOWN); // the node is stopping
        }
        return verdict;
    }

    /// Netty complains in the log when somebody else's thread connects by a loop that has ended meanwhile.
    private static void onLoop(EventLoop loop, Runnable task, CompletableFuture<Reachability> verdict) {
        try {
            loop.execute(task);
        } catch (RejectedExecutionException e) {
            verdict.complete(Reachability.UNKNOWN); // the node is stopping
        }
    }

    private void probe(
            EventLoop loop,
            InetSocketAddress address,
            long timeoutMs,
            int looks,
            CompletableFuture<Reachability> verdict) {
        ChannelFuture connected = loops.client(loop, Math.toIntExact(timeoutMs))
                .handler(new ChannelInboundHandlerAdapter())
                .connect(address);
        connected.addListener((ChannelFutureListener) outcome -> {
            Channel channel = outcome.channel();
            if (!outcome.isSuccess()) {
                channel.close();
                verdict.complete(isRefusal(outcome.cause()) ? Reachability.REFUSED : Reachability.UNKNOWN);
                return;
            }
            var stays = loop.schedule(() -> verdict.complete(Reachability.ACCEPTS), STAYS_MS, TimeUnit.MILLISECONDS);
            verdict.whenComplete((result, failure) -> channel.close());
            channel.closeFuture().addListener(end -> {
                stays.cancel(false);
                if (verdict.isDone()) {
                    return;
                }
                if (looks > 1) {
                    loop.schedule(
                            () -> probe(loop, address, timeoutMs, looks - 1, verdict),
                            BETWEEN_LOOKS_MS,
                            TimeUnit.MILLISECONDS);
                } else {
                    verdict.complete(Reachability.REFUSED);
                }
            });
        });
    }

    /// Other failures to connect have the same type; only the system's own words tell them apart.
    private static boolean isRefusal(Throwable cause) {
        String message = cause.getMessage();
        return cause instanceof ConnectException && message != null && message.contains("refused");
    }
}
