package io.moldau.broker.net;

import io.netty.util.NetUtil;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;

/// Looks host names up. A name server may be slow, so that happens on an executor that may wait; an address that is
/// written as one needs nobody.
final class PeerAddresses {

    private final Executor lookups;

    PeerAddresses(Executor lookups) {
        this.lookups = lookups;
    }

    /// All addresses of the host, in the order to try them. Fails with [UnknownHostException], or with
    /// [RejectedExecutionException] when the node is stopping.
    CompletableFuture<List<InetSocketAddress>> resolve(String host, int port) {
        byte @Nullable [] literal = NetUtil.createByteArrayFromIpAddressString(host);
        try {
            if (literal != null) {
                return CompletableFuture.completedFuture(
                        List.of(new InetSocketAddress(InetAddress.getByAddress(host, literal), port)));
            }
            var found = new CompletableFuture<List<InetSocketAddress>>();
            lookups.execute(() -> lookUp(host, port, found));
            return found;
        } catch (RejectedExecutionException | UnknownHostException e) {
            return CompletableFuture.failedFuture(e);
        }
    }

    private static void lookUp(String host, int port, CompletableFuture<List<InetSocketAddress>> found) {
        try {
            List<InetSocketAddress> addresses = new ArrayList<>();
            for (InetAddress address : InetAddress.getAllByName(host)) {
                addresses.add(new InetSocketAddress(address, port));
            }
            found.complete(addresses);
        } catch (UnknownHostException e) {
            found.completeExceptionally(e);
        }
    }
}
