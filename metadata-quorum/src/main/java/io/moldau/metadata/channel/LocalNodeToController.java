package io.moldau.metadata.channel;

import io.moldau.common.ApiException;
import io.moldau.common.Errors;
import io.moldau.common.Uuid;
import io.moldau.common.time.Time;
import io.moldau.metadata.controller.Controller;
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
import io.moldau.metadata.quorum.MetadataQuorum;
import io.moldau.wire.message.AlterConfigsRequestData;
import io.moldau.wire.message.AlterPartitionReassignmentsRequestData;
import io.moldau.wire.message.AssignReplicasToDirsRequestData;
import io.moldau.wire.message.ControllerRegistrationRequestData;
import io.moldau.wire.message.CreatePartitionsRequestData;
import io.moldau.wire.message.CreateTopicsRequestData;
import io.moldau.wire.message.DeleteTopicsRequestData;
import io.moldau.wire.message.ElectLeadersRequestData;
import io.moldau.wire.message.IncrementalAlterConfigsRequestData;
import io.moldau.wire.message.ListPartitionReassignmentsRequestData;
import io.moldau.wire.message.UnregisterBrokerRequestData;
import io.moldau.wire.message.UnregisterControllerRequestData;
import io.moldau.wire.message.UpdateFeaturesRequestData;
import io.moldau.wire.protocol.Message;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/// The controller in the same process: plain method calls. Answers NOT_CONTROLLER when another node's is active.
public final class LocalNodeToController implements NodeToController {

    private static final long TIMEOUT_NANOS = TimeUnit.SECONDS.toNanos(10);

    private final Controller controller;
    private final MetadataFetchService fetches;
    private final QuorumRequests quorumRequests;
    private final Time time;

    public LocalNodeToController(
            Uuid clusterId, MetadataQuorum quorum, Controller controller, MetadataFetchService fetches, Time time) {
        this.quorumRequests = new QuorumRequests(clusterId, quorum, controller, fetches, time);
        this.controller = controller;
        this.fetches = fetches;
        this.time = time;
    }

    private ControllerContext context() {
        return ControllerContext.internal(time.nanoseconds() + TIMEOUT_NANOS);
    }

    @Override
    public CompletableFuture<RegisterBrokerResponse> register(RegisterBrokerRequest request) {
        return controller.registerBroker(context(), request);
    }

    @Override
    public CompletableFuture<BrokerHeartbeatResponse> heartbeat(BrokerHeartbeatRequest request) {
        return controller.brokerHeartbeat(context(), request);
    }

    @Override
    public CompletableFuture<AlterPartitionResponse> alterPartition(AlterPartitionRequest request) {
        return controller.alterPartition(context(), request);
    }

    @Override
    public CompletableFuture<AllocateProducerIdsResponse> allocateProducerIds(AllocateProducerIdsRequest request) {
        return controller.allocateProducerIds(context(), request);
    }

    @Override
    public CompletableFuture<FetchMetadataResponse> fetchMetadata(FetchMetadataRequest request) {
        return fetches.fetchMetadata(request);
    }

    @Override
    public CompletableFuture<FetchSnapshotResponse> fetchSnapshot(FetchSnapshotRequest request) {
        return fetches.fetchSnapshot(request);
    }

    @Override
    public CompletableFuture<Message> forward(ControllerContext context, Message request) {
        CompletableFuture<Message> aboutTheQuorum = quorumRequests.handle(context, request);
        return aboutTheQuorum != null
                ? aboutTheQuorum
                : dispatch(controller, context, request).thenApply(response -> response);
    }

    /// Calls the controller's method for a client's request.
    static CompletableFuture<? extends Message> dispatch(
            Controller controller, ControllerContext context, Message request) {
        return switch (request) {
            case CreateTopicsRequestData data -> controller.createTopics(context, data);
            case DeleteTopicsRequestData data -> controller.deleteTopics(context, data);
            case CreatePartitionsRequestData data -> controller.createPartitions(context, data);
            case IncrementalAlterConfigsRequestData data -> controller.incrementalAlterConfigs(context, data);
            case AlterConfigsRequestData data -> controller.alterConfigs(context, data);
            case ElectLeadersRequestData data -> controller.electLeaders(context, data);
            case AlterPartitionReassignmentsRequestData data -> controller.alterPartitionReassignments(context, data);
            case ListPartitionReassignmentsRequestData data -> controller.listPartitionReassignments(context, data);
            case ControllerRegistrationRequestData data -> controller.registerController(context, data);
            case UnregisterControllerRequestData data -> controller.unregisterController(context, data);
            case UpdateFeaturesRequestData data -> controller.updateFeatures(context, data);
            case AssignReplicasToDirsRequestData data -> controller.assignReplicasToDirs(context, data);
            case UnregisterBrokerRequestData data -> controller.unregisterBroker(context, data);
            default ->
                CompletableFuture.failedFuture(new ApiException(
                        Errors.UNSUPPORTED_VERSION,
                        "The controller does not answer requests of API key " + request.apiKey() + "."));
        };
    }
}
