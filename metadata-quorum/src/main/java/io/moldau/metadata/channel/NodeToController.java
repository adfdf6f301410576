package io.moldau.metadata.channel;

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

/// What a broker asks of a controller: directly in the same process, or over the network.
///
/// Callable from any thread. A future completes on a thread of the controller or of the network: do not block in
/// it. It
/// fails with [io.moldau.common.ApiException] (NOT_CONTROLLER, REQUEST_TIMED_OUT and the like) when there is no
/// answer;
/// an answer may carry an error code of its own.
public interface NodeToController {

    /// To the active controller.
    CompletableFuture<RegisterBrokerResponse> register(RegisterBrokerRequest request);

    /// To the active controller.
    CompletableFuture<BrokerHeartbeatResponse> heartbeat(BrokerHeartbeatRequest request);

    /// To the active controller.
    CompletableFuture<AlterPartitionResponse> alterPartition(AlterPartitionRequest request);

    /// To the active controller.
    CompletableFuture<AllocateProducerIdsResponse> allocateProducerIds(AllocateProducerIdsRequest request);

    /// To any controller: waits up to `max_wait_ms` for entries from `next_index` on.
    CompletableFuture<FetchMetadataResponse> fetchMetadata(FetchMetadataRequest request);

    /// To the controller that offered the snapshot.
    CompletableFuture<FetchSnapshotResponse> fetchSnapshot(FetchSnapshotRequest request);

    /// Hands a client's request to the active controller: one of CreateTopics, DeleteTopics, CreatePartitions,
    /// AlterConfigs, IncrementalAlterConfigs, ElectLeaders, AlterPartitionReassignments,
    /// ListPartitionReassignments, UnregisterBroker, UpdateFeatures and what is asked about the
    /// quorum; or what one controller asks another one in a form of the Kafka protocol. The answer
    /// is that API's response in `context.apiVersion()`.
    CompletableFuture<Message> forward(ControllerContext context, Message request);
}
