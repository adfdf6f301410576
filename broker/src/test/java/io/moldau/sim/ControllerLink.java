package io.moldau.sim;

import io.moldau.common.ApiException;
import io.moldau.common.Errors;
import io.moldau.metadata.channel.ControllerChannels;
import io.moldau.metadata.channel.NodeToController;
import io.moldau.metadata.controller.ControllerContext;
import io.moldau.metadata.message.AllocateProducerIdsRequest;
import io.moldau.metadata.message.AllocateProducerIdsResponse;
import io.moldau.metadata.message.AlterPartitionRequest;
import io.moldau.metadata.message.AlterPartitionResponse;
import io.moldau.metadata.message.BrokerHeartbeatRequest;
import io.moldau.metadata.message.BrokerHeartbeatResponse;
import io.moldau.metadata.message.FetchMetadataRequest;
import io.moldau.metadata.message.FetchMetadataResponse;
import io.moldau.metadata.message.FetchSnapshotRequest;
import io.moldau.metadata.message.FetchSnapshotResponse;
import io.moldau.metadata.message.RegisterBrokerRequest;
import io.moldau.metadata.message.RegisterBrokerResponse;
import io.moldau.wire.protocol.Message;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.Function;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;

/// A process's way to the controllers over the simulated network: asks the one it takes for the active one, and another
/// after an error. One connection to each for requests, one for the long poll of metadata.
final class ControllerLink implements NodeToController, ControllerChannels {

    private static final long TIMEOUT_MS = 2_000;
    private static final long FETCH_TIMEOUT_MS = 12_000;

    private final SimulatedNetwork network;
    private final Machine machine;
    private final SimulatedExecutor thread;
    private final int controllers;
    private final IntFunction<@Nullable NodeToController> local;
    private final Map<Integer, SimulatedNetwork.Connection> connections = new HashMap<>();
    private int active;
    private int followed;

    /// @param local the controller of a node, at the node; null if it is none
    ControllerLink(
            SimulatedNetwork network, Machine machine, int controllers, IntFunction<@Nullable NodeToController> local) {
        this.network = network;
        this.machine = machine;
        this.thread = SimulatedExecutor.thread(machine, "controller link");
        this.controllers = controllers;
        this.local = local;
        this.active = machine.id() % controllers;
        this.followed = machine.id() % controllers;
    }

    private <R> CompletableFuture<R> ask(
            int node, boolean poll, String what, Function<NodeToController, CompletableFuture<R>> request) {
        int key = poll ? -1 - node : node;
        SimulatedNetwork.Connection connection = connections.get(key);
        if (connection == null || !connection.isOpen()) {
            connection = network.connect(machine, thread, node);
            connections.put(key, connection);
        }
        return connection.call(what, poll ? FETCH_TIMEOUT_MS : TIMEOUT_MS, (exchange, answer) -> {
            NodeToController controller = local.apply(node);
            if (controller == null) {
                answer.accept(null, new ApiException(Errors.NOT_CONTROLLER, "no controller"));
            } else {
                request.apply(controller)
                        .whenComplete((response, failure) -> answer.accept(
                                response,
                                failure instanceof CompletionException && failure.getCause() != null
                                        ? failure.getCause()
                                        : failure));
            }
        });
    }

    private <R> CompletableFuture<R> askActive(String what, Function<NodeToController, CompletableFuture<R>> request) {
        int asked = active;
        return this.<R>ask(asked, false, what, request).whenComplete((response, failure) -> {
            if (failure != null && asked == active) {
                active = (active + 1) % controllers;
            }
        });
    }

    @Override
    public CompletableFuture<RegisterBrokerResponse> register(RegisterBrokerRequest request) {
        return askActive("register", controller -> controller.register(request));
    }

    @Override
    public CompletableFuture<BrokerHeartbeatResponse> heartbeat(BrokerHeartbeatRequest request) {
        return askActive("heartbeat", controller -> controller.heartbeat(request));
    }

    @Override
    public CompletableFuture<AlterPartitionResponse> alterPartition(AlterPartitionRequest request) {
        return askActive("alter partition", controller -> controller.alterPartition(request));
    }

    @Override
    public CompletableFuture<AllocateProducerIdsResponse> allocateProducerIds(AllocateProducerIdsRequest request) {
        return askActive("producer ids", controller -> controller.allocateProducerIds(request));
    }

    @Override
    public CompletableFuture<FetchMetadataResponse> fetchMetadata(FetchMetadataRequest request) {
        return this.<FetchMetadataResponse>ask(
                        followed, true, "fetch metadata", controller -> controller.fetchMetadata(request))
                .whenComplete((response, failure) -> {
                    if (response != null && response.getLeaderId() >= 0) {
                        active = response.getLeaderId();
                    }
                });
    }

    @Override
    public CompletableFuture<FetchSnapshotResponse> fetchSnapshot(FetchSnapshotRequest request) {
        return ask(followed, true, "fetch snapshot", controller -> controller.fetchSnapshot(request));
    }

    @Override
    public CompletableFuture<Message> forward(ControllerContext context, Message request) {
        // Nanoseconds mean nothing on another machine.
        return askActive("forward", controller -> {
            var there = new ControllerContext(
                    context.principal(), context.clientAddress(), context.apiVersion(), deadline(controller));
            return controller.forward(there, request);
        });
    }

    private static long deadline(NodeToController controller) {
        return controller instanceof SimulatedNode.LocalController it ? it.deadline(TIMEOUT_MS) : 0;
    }

    @Override
    public NodeToController current() {
        return this;
    }

    @Override
    public void failed(NodeToController channel) {
        followed = (followed + 1) % controllers;
    }
}
