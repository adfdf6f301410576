package io.moldau.broker.controller;

import io.moldau.common.ApiException;
import io.moldau.common.Errors;
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
import io.moldau.wire.message.CreateTopicsResponseData;
import io.moldau.wire.protocol.Message;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

/// A controller that answers only while it is the active one, and says who it takes for that.
final class FakeQuorumMember implements NodeToController {

    boolean active;
    int leaderId = -1;
    int epoch = 1;
    int asked;
    long brokerEpoch;
    final List<ControllerContext> forwarded = new ArrayList<>();
    final List<Message> requests = new ArrayList<>();

    private <T> CompletableFuture<T> ifActive(Supplier<T> answer) {
        asked++;
        return active
                ? CompletableFuture.completedFuture(answer.get())
                : CompletableFuture.failedFuture(new ApiException(Errors.NOT_CONTROLLER, "ask another"));
    }

    @Override
    public CompletableFuture<RegisterBrokerResponse> register(RegisterBrokerRequest request) {
        return ifActive(() ->
                RegisterBrokerResponse.newBuilder().setBrokerEpoch(brokerEpoch).build());
    }

    @Override
    public CompletableFuture<BrokerHeartbeatResponse> heartbeat(BrokerHeartbeatRequest request) {
        return ifActive(
                () -> BrokerHeartbeatResponse.newBuilder().setIsCaughtUp(true).build());
    }

    @Override
    public CompletableFuture<AlterPartitionResponse> alterPartition(AlterPartitionRequest request) {
        return ifActive(AlterPartitionResponse::getDefaultInstance);
    }

    @Override
    public CompletableFuture<AllocateProducerIdsResponse> allocateProducerIds(AllocateProducerIdsRequest request) {
        return ifActive(AllocateProducerIdsResponse::getDefaultInstance);
    }

    @Override
    public CompletableFuture<FetchMetadataResponse> fetchMetadata(FetchMetadataRequest request) {
        return CompletableFuture.completedFuture(FetchMetadataResponse.newBuilder()
                .setLeaderId(leaderId)
                .setLeaderEpoch(epoch)
                .build());
    }

    @Override
    public CompletableFuture<FetchSnapshotResponse> fetchSnapshot(FetchSnapshotRequest request) {
        return CompletableFuture.completedFuture(FetchSnapshotResponse.getDefaultInstance());
    }

    @Override
    public CompletableFuture<Message> forward(ControllerContext context, Message request) {
        return ifActive(() -> {
            forwarded.add(context);
            requests.add(request);
            return new CreateTopicsResponseData().setThrottleTimeMs(7);
        });
    }
}
