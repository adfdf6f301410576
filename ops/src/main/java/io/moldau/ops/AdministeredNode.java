package io.moldau.ops;

import io.moldau.broker.Node;
import io.moldau.broker.NodeServices;
import io.moldau.broker.NodeView;
import io.moldau.broker.config.LogLevels;
import io.moldau.broker.config.MoldauKeys;
import io.moldau.broker.config.NodeConfig;
import io.moldau.broker.lifecycle.StartException;
import io.moldau.ops.admin.AdminServer;
import io.moldau.ops.metrics.NodeMetrics;
import io.moldau.ops.state.AdvertisedCheck;
import io.moldau.ops.state.BrokerCalls;
import io.moldau.ops.state.GroupLags;
import io.moldau.ops.state.LeaderReads;
import io.moldau.ops.state.SelfDial;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// A node with its metrics and its admin listener, as `moldau start` runs it.
///
/// The listener is bound while the node starts, so that it costs the start nothing and says early that the node lives.
/// It
/// goes last, so that it says to the end that the node is not ready any more.
public final class AdministeredNode implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(AdministeredNode.class);

    private final Node node;
    private final NodeMetrics metrics;
    private final @Nullable AdminServer admin;
    private final BrokerCalls calls;

    private AdministeredNode(Node node, NodeMetrics metrics, @Nullable AdminServer admin, BrokerCalls calls) {
        this.node = node;
        this.metrics = metrics;
        this.admin = admin;
        this.calls = calls;
    }

    /// Returns as [Node#start(NodeConfig)] does.
    ///
    /// @throws StartException if the node cannot start, or its admin listener cannot be bound
    public static AdministeredNode start(NodeConfig config, String version) {
        NodeServices services = NodeServices.real();
        return start(
                config,
                LoggerFactory.getILoggerFactory() instanceof LogLevels levels
                        ? services.withLogLevels(levels)
                        : services,
                version);
    }

    public static AdministeredNode start(NodeConfig config, NodeServices services, String version) {
        var metrics = new NodeMetrics(config, services, version);
        CompletableFuture<@Nullable AdminServer> opening = CompletableFuture.supplyAsync(
                () -> AdminServer.open(config, metrics),
                task -> Thread.ofPlatform()
                        .name("moldau-admin-start")
                        .daemon(true)
                        .start(task));
        Node node;
        try {
            node = Node.start(config, metrics.services());
        } catch (RuntimeException e) {
            opening.thenAccept(AdministeredNode::close);
            throw e;
        }
        AdminServer admin;
        try {
            admin = opening.join();
        } catch (CompletionException e) {
            node.stop();
            if (e.getCause() instanceof StartException cause) {
                throw cause;
            }
            throw e;
        }
        NodeView view = node.view();
        var calls = new BrokerCalls(view);
        metrics.observe(view, lags(view, calls, config));
        if (admin != null) {
            admin.observe(view, calls, version);
        }
        return new AdministeredNode(node, metrics, admin, calls);
    }

    private static @Nullable GroupLags lags(NodeView view, BrokerCalls calls, NodeConfig config) {
        NodeView.Broker broker = view.broker();
        return broker == null
                ? null
                : new GroupLags(
                        view,
                        broker,
                        new LeaderReads(view, calls),
                        config.get(MoldauKeys.METRICS_GROUPS),
                        config.get(MoldauKeys.METRICS_GROUP_PARTITIONS));
    }

    public Node node() {
        return node;
    }

    /// Where the admin listener is, null if there is none.
    public @Nullable String adminUrl() {
        return admin == null ? null : admin.url();
    }

    /// Dials the addresses that clients are told, in the background, and warns of those that will fail. For a node that
    /// is ready.
    ///
    /// @return what was found, once it is known; empty if nothing is wrong
    public CompletableFuture<List<AdvertisedCheck.Problem>> dialItself() {
        NodeView view = node.view();
        CompletableFuture<List<AdvertisedCheck.Problem>> found = new CompletableFuture<>();
        Thread.ofVirtual().name("moldau-self-dial").start(() -> {
            try {
                var verdicts = new SelfDial(view).run();
                List<AdvertisedCheck.Problem> problems =
                        verdicts.values().stream().filter(Objects::nonNull).toList();
                // A node that is told to stop meanwhile does not answer itself any more.
                if (!view.stopping().getAsBoolean()) {
                    metrics.dialled(verdicts);
                    problems.forEach(
                            problem -> LOG.warn("clients will fail listener={} {}", problem.endpoint(), problem));
                }
                found.complete(problems);
            } catch (RuntimeException e) {
                LOG.warn("looking whether clients reach this node failed", e);
                found.completeExceptionally(e);
            }
        });
        return found;
    }

    /// Stops the node in order, then the rest.
    @Override
    public void close() {
        calls.close();
        node.stop();
        close(admin);
        metrics.close();
    }

    private static void close(@Nullable AdminServer server) {
        if (server != null) {
            server.close();
        }
    }
}
