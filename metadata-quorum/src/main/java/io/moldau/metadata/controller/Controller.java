package io.moldau.metadata.controller;

import io.moldau.common.Endpoint;
import io.moldau.metadata.message.AllocateProducerIdsRequest;
import io.moldau.metadata.message.AllocateProducerIdsResponse;
import io.moldau.metadata.message.AlterPartitionRequest;
import io.moldau.metadata.message.AlterPartitionResponse;
import io.moldau.metadata.message.BrokerHeartbeatRequest;
import io.moldau.metadata.message.BrokerHeartbeatResponse;
import io.moldau.metadata.message.RegisterBrokerRequest;
import io.moldau.metadata.message.RegisterBrokerResponse;
import io.moldau.wire.message.AlterConfigsRequestData;
import io.moldau.wire.message.AlterConfigsResponseData;
import io.moldau.wire.message.AlterPartitionReassignmentsRequestData;
import io.moldau.wire.message.AlterPartitionReassignmentsResponseData;
import io.moldau.wire.message.AssignReplicasToDirsRequestData;
import io.moldau.wire.message.AssignReplicasToDirsResponseData;
import io.moldau.wire.message.ControllerRegistrationRequestData;
import io.moldau.wire.message.ControllerRegistrationResponseData;
import io.moldau.wire.message.CreatePartitionsRequestData;
import io.moldau.wire.message.CreatePartitionsResponseData;
import io.moldau.wire.message.CreateTopicsRequestData;
import io.moldau.wire.message.CreateTopicsResponseData;
import io.moldau.wire.message.DeleteTopicsRequestData;
import io.moldau.wire.message.DeleteTopicsResponseData;
import io.moldau.wire.message.ElectLeadersRequestData;
import io.moldau.wire.message.ElectLeadersResponseData;
import io.moldau.wire.message.IncrementalAlterConfigsRequestData;
import io.moldau.wire.message.IncrementalAlterConfigsResponseData;
import io.moldau.wire.message.ListPartitionReassignmentsRequestData;
import io.moldau.wire.message.ListPartitionReassignmentsResponseData;
import io.moldau.wire.message.UnregisterBrokerRequestData;
import io.moldau.wire.message.UnregisterBrokerResponseData;
import io.moldau.wire.message.UnregisterControllerRequestData;
import io.moldau.wire.message.UnregisterControllerResponseData;
import io.moldau.wire.message.UpdateFeaturesRequestData;
import io.moldau.wire.message.UpdateFeaturesResponseData;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/// Everything the active controller can be asked to do. Answers come when what they say is committed.
///
/// Callable from any thread; requests must not be changed afterwards. A future completes on the controller's
/// thread, so
/// do not block in it. It fails with [io.moldau.common.ApiException]: NOT_CONTROLLER when this node is not active or
/// stops being it before the outcome is known, REQUEST_TIMED_OUT when the deadline passed or the queue is full,
/// UNKNOWN_SERVER_ERROR for a fault. Errors of single topics, partitions or resources are inside the answer.
///
/// Authorization is the caller's job.
public interface Controller {

    CompletableFuture<CreateTopicsResponseData> createTopics(
            ControllerContext context, CreateTopicsRequestData request);

    CompletableFuture<DeleteTopicsResponseData> deleteTopics(
            ControllerContext context, DeleteTopicsRequestData request);

    CompletableFuture<CreatePartitionsResponseData> createPartitions(
            ControllerContext context, CreatePartitionsRequestData request);

    CompletableFuture<IncrementalAlterConfigsResponseData> incrementalAlterConfigs(
            ControllerContext context, IncrementalAlterConfigsRequestData request);

    /// The older request that replaces all overrides of a resource.
    CompletableFuture<AlterConfigsResponseData> alterConfigs(
            ControllerContext context, AlterConfigsRequestData request);

    CompletableFuture<ElectLeadersResponseData> electLeaders(
            ControllerContext context, ElectLeadersRequestData request);

    CompletableFuture<AlterPartitionReassignmentsResponseData> alterPartitionReassignments(
            ControllerContext context, AlterPartitionReassignmentsRequestData request);

    CompletableFuture<ListPartitionReassignmentsResponseData> listPartitionReassignments(
            ControllerContext context, ListPartitionReassignmentsRequestData request);

    CompletableFuture<UnregisterBrokerResponseData> unregisterBroker(
            ControllerContext context, UnregisterBrokerRequestData request);

    CompletableFuture<ControllerRegistrationResponseData> registerController(
            ControllerContext context, ControllerRegistrationRequestData request);

    /// A voter is reached elsewhere than it registered.
    CompletableFuture<Boolean> controllerMoved(ControllerContext context, int controllerId, List<Endpoint> listeners);

    CompletableFuture<UnregisterControllerResponseData> unregisterController(
            ControllerContext context, UnregisterControllerRequestData request);

    CompletableFuture<UpdateFeaturesResponseData> updateFeatures(
            ControllerContext context, UpdateFeaturesRequestData request);

    CompletableFuture<AssignReplicasToDirsResponseData> assignReplicasToDirs(
            ControllerContext context, AssignReplicasToDirsRequestData request);

    CompletableFuture<RegisterBrokerResponse> registerBroker(ControllerContext context, RegisterBrokerRequest request);

    CompletableFuture<BrokerHeartbeatResponse> brokerHeartbeat(
            ControllerContext context, BrokerHeartbeatRequest request);

    CompletableFuture<AlterPartitionResponse> alterPartition(ControllerContext context, AlterPartitionRequest request);

    CompletableFuture<AllocateProducerIdsResponse> allocateProducerIds(
            ControllerContext context, AllocateProducerIdsRequest request);

    /// The connection over which a broker's heartbeats came has ended. If the process of this registration turns out
    /// to be gone, the broker is fenced at once. Returns at once; nothing happens unless this controller is active.
    void brokerConnectionEnded(int brokerId, long brokerEpoch);

    /// Whether this controller is active right now, by its own knowledge.
    boolean isActive();
}
