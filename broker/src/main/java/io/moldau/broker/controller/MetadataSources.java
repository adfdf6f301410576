package io.moldau.broker.controller;

import io.moldau.broker.controller.Controllers.Chosen;
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
import java.util.concurrent.CompletableFuture;

/// Where a node gets its metadata: from any controller, and from another one when that fails or knows no leader. A
/// controller without a leader may be cut off from the majority, where things go on; what it has is old and not wrong.
final class MetadataSources implements ControllerChannels {

    private final Controllers controllers;

    MetadataSources(Controllers controllers) {
        this.controllers = controllers;
    }

    @Override
    public NodeToController current() {
        return new Source(controllers.chooseForMetadata());
    }

    @Override
    public void failed(NodeToController channel) {
        if (channel instanceof Source source) {
            controllers.badForMetadata(source.chosen);
        }
    }

    /// One controller, asked for metadata.
    private final class Source implements NodeToController {
        private final Chosen chosen;

        Source(Chosen chosen) {
            this.chosen = chosen;
        }

        @Override
        public CompletableFuture<FetchMetadataResponse> fetchMetadata(FetchMetadataRequest request) {
            // The wait at the controller in this process is as short as at others when there are any: it may be cut
            // off.
            FetchMetadataRequest bounded = controllers.isChoice()
                    ? request.toBuilder()
                            .setMaxWaitMs(Math.min(request.getMaxWaitMs(), RemoteController.METADATA_WAIT_MS))
                            .build()
                    : request;
            return chosen.channel().fetchMetadata(bounded).whenComplete((response, failure) -> {
                if (failure == null) {
                    controllers.learned(response);
                    if (response.getLeaderId() < 0 && controllers.isChoice()) {
                        controllers.badForMetadata(chosen);
                    }
                }
            });
        }

        @Override
        public CompletableFuture<FetchSnapshotResponse> fetchSnapshot(FetchSnapshotRequest request) {
            return chosen.channel().fetchSnapshot(request);
        }

        @Override
        public CompletableFuture<RegisterBrokerResponse> register(RegisterBrokerRequest request) {
            return chosen.channel().register(request);
        }

        @Override
        public CompletableFuture<BrokerHeartbeatResponse> heartbeat(BrokerHeartbeatRequest request) {
            return chosen.channel().heartbeat(request);
        }

        @Override
        public CompletableFuture<AlterPartitionResponse> alterPartition(AlterPartitionRequest request) {
            return chosen.channel().alterPartition(request);
        }

        @Override
        public CompletableFuture<AllocateProducerIdsResponse> allocateProducerIds(AllocateProducerIdsRequest request) {
            return chosen.channel().allocateProducerIds(request);
        }

        @Override
        public CompletableFuture<Message> forward(ControllerContext context, Message request) {
            return chosen.channel().forward(context, request);
        }
    }
}
