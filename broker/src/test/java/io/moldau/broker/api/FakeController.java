package io.moldau.broker.api;

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
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;

/// A controller that answers what the test tells it to, when the test tells it to.
public final class FakeController implements NodeToController {

    private final List<Message> requests = new ArrayList<>();
    private final List<CompletableFuture<Message>> answers = new ArrayList<>();
    private Function<Message, CompletableFuture<Message>> behaviour = request -> {
        CompletableFuture<Message> answer = new CompletableFuture<>();
        answers.add(answer);
        return answer;
    };

    /// Answers every request at once.
    public FakeController answering(Function<Message, Message> answer) {
        behaviour = request -> CompletableFuture.completedFuture(answer.apply(request));
        return this;
    }

    /// Fails every request at once.
    public FakeController failing(RuntimeException failure) {
        behaviour = request -> CompletableFuture.failedFuture(failure);
        return this;
    }

    public List<Message> requests() {
        return requests;
    }

    /// The answer that is still to be given to a request, in their order.
    public CompletableFuture<Message> pending(int index) {
        return answers.get(index);
    }

    @Override
    public CompletableFuture<Message> forward(ControllerContext context, Message request) {
        requests.add(request);
        return behaviour.apply(request);
    }

    @Override
    public CompletableFuture<RegisterBrokerResponse> register(RegisterBrokerRequest request) {
        throw new UnsupportedOperationException();
    }

    @Override
    public CompletableFuture<BrokerHeartbeatResponse> heartbeat(BrokerHeartbeatRequest request) {
        throw new UnsupportedOperationException();
    }

    @Override
    public CompletableFuture<AlterPartitionResponse> alterPartition(AlterPartitionRequest request) {
        throw new UnsupportedOperationException();
    }

    @Override
    public CompletableFuture<AllocateProducerIdsResponse> allocateProducerIds(AllocateProducerIdsRequest request) {
        throw new UnsupportedOperationException();
    }

    @Override
    public CompletableFuture<FetchMetadataResponse> fetchMetadata(FetchMetadataRequest request) {
        throw new UnsupportedOperationException();
    }

    @Override
    public CompletableFuture<FetchSnapshotResponse> fetchSnapshot(FetchSnapshotRequest request) {
        throw new UnsupportedOperationException();
    }
}
