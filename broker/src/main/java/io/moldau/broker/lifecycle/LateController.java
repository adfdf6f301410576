package io.moldau.broker.lifecycle;

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
import java.util.concurrent.CompletableFuture;

/// A controller that is still starting: what it is asked waits until it is there. So the rest of a node can be put
/// together in the meantime.
public final class LateController implements NodeToController {

    private final CompletableFuture<? extends NodeToController> controller;

    public LateController(CompletableFuture<? extends NodeToController> controller) {
        this.controller = controller;
    }

    @Override
    public CompletableFuture<RegisterBrokerResponse> register(RegisterBrokerRequest request) {
        return controller.thenCompose(it -> it.register(request));
    }

    @Override
    public CompletableFuture<BrokerHeartbeatResponse> heartbeat(BrokerHeartbeatRequest request) {
        return controller.thenCompose(it -> it.heartbeat(request));
    }

    @Override
    public CompletableFuture<AlterPartitionResponse> alterPartition(AlterPartitionRequest request) {
        return controller.thenCompose(it -> it.alterPartition(request));
    }

    @Override
    public CompletableFuture<AllocateProducerIdsResponse> allocateProducerIds(AllocateProducerIdsRequest request) {
        return controller.thenCompose(it -> it.allocateProducerIds(request));
    }

    @Override
    public CompletableFuture<FetchMetadataResponse> fetchMetadata(FetchMetadataRequest request) {
        return controller.thenCompose(it -> it.fetchMetadata(request));
    }

    @Override
    public CompletableFuture<FetchSnapshotResponse> fetchSnapshot(FetchSnapshotRequest request) {
        return controller.thenCompose(it -> it.fetchSnapshot(request));
    }

    @Override
    public CompletableFuture<Message> forward(ControllerContext context, Message request) {
        return controller.thenCompose(it -> it.forward(context, request));
    }
}
