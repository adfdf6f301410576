package io.moldau.broker.api.metadata;

import io.moldau.broker.metadata.AuthorizedOperations;
import io.moldau.broker.metadata.ClusterView;
import io.moldau.broker.metadata.MetadataCache;
import io.moldau.broker.request.RequestContext;
import io.moldau.broker.request.RequestHandler;
import io.moldau.common.Errors;
import io.moldau.wire.message.DescribeClusterRequestData;
import io.moldau.wire.message.DescribeClusterResponseData;
import io.moldau.wire.message.DescribeClusterResponseData.DescribeClusterBroker;
import java.util.ArrayList;
import java.util.List;
import java.util.function.IntSupplier;
import java.util.function.Supplier;

/// DescribeCluster, versions 0 to 2: who is in the cluster.
///
/// v1 added the choice between brokers and controllers (KIP-919), v2 fenced brokers (KIP-1073).
public final class DescribeClusterHandler implements RequestHandler<DescribeClusterRequestData> {

    private static final byte BROKERS = 1;
    private static final byte CONTROLLERS = 2;

    private final int localId;
    private final MetadataCache cache;
    private final boolean onController;
    private final IntSupplier activeController;
    private final Supplier<List<ClusterView.Node>> controllers;

    private DescribeClusterHandler(
            int localId,
            MetadataCache cache,
            boolean onController,
            IntSupplier activeController,
            Supplier<List<ClusterView.Node>> controllers) {
        this.localId = localId;
        this.cache = cache;
        this.onController = onController;
        this.activeController = activeController;
        this.controllers = controllers;
    }

    /// For listeners of clients: tells of brokers.
    public static DescribeClusterHandler ofBrokers(int localId, MetadataCache cache) {
        return new DescribeClusterHandler(localId, cache, false, () -> -1, List::of);
    }

    /// For the controller's listener: tells of controllers.
    ///
    /// @param activeController the id of the active controller, -1 if unknown
    /// @param controllers those that are known, with their addresses
    public static DescribeClusterHandler ofControllers(
            MetadataCache cache, IntSupplier activeController, Supplier<List<ClusterView.Node>> controllers) {
        return new DescribeClusterHandler(-1, cache, true, activeController, controllers);
    }

    @Override
    public void handle(RequestContext context, DescribeClusterRequestData request) {
        byte wanted = onController ? CONTROLLERS : BROKERS;
        byte asked = context.apiVersion() >= 1 ? request.endpointType() : BROKERS;
        if (asked != wanted) {
            boolean known = asked == BROKERS || asked == CONTROLLERS;
            context.respond(new DescribeClusterResponseData()
                    .setErrorCode((known ? Errors.MISMATCHED_ENDPOINT_TYPE : Errors.UNSUPPORTED_ENDPOINT_TYPE).code())
                    .setErrorMessage(
                            known
                                    ? "This listener is " + (onController ? "the controllers'" : "the brokers'")
                                            + ": ask one of the "
                                            + (onController ? "brokers'" : "controllers'") + " for the others."
                                    : "The endpoint type " + asked + " is unknown: it is 1 for brokers, 2 for"
                                            + " controllers."));
            return;
        }
        ClusterView view = new ClusterView(cache.image(), context.listenerName());
        context.respond(new DescribeClusterResponseData()
                .setEndpointType(wanted)
                .setClusterId(view.image().cluster().clusterId().toString())
                .setControllerId(onController ? activeController.getAsInt() : view.controllerFor(localId))
                .setBrokers(
                        onController
                                ? described(controllers.get())
                                : described(view.nodes(context.apiVersion() >= 2 && request.includeFencedBrokers())))
                .setClusterAuthorizedOperations(
                        request.includeClusterAuthorizedOperations()
                                ? AuthorizedOperations.CLUSTER
                                : AuthorizedOperations.NOT_ASKED));
    }

    private static List<DescribeClusterBroker> described(List<ClusterView.Node> nodes) {
        List<DescribeClusterBroker> brokers = new ArrayList<>();
        for (ClusterView.Node node : nodes) {
            brokers.add(new DescribeClusterBroker()
                    .setBrokerId(node.id())
                    .setHost(node.host())
                    .setPort(node.port())
                    .setRack(node.rack())
                    .setIsFenced(node.fenced()));
        }
        return brokers;
    }
}
