package io.moldau.broker.controller;

import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.MessageLite;
import com.google.protobuf.Parser;
import com.google.protobuf.UnsafeByteOperations;
import io.moldau.broker.peer.NodeApi;
import io.moldau.broker.peer.PeerClient;
import io.moldau.broker.peer.PeerClients;
import io.moldau.common.ApiException;
import io.moldau.common.Errors;
import io.moldau.common.time.Time;
import io.moldau.metadata.channel.NodeToController;
import io.moldau.metadata.controller.ControllerContext;
import io.moldau.metadata.message.AllocateProducerIdsRequest;
import io.moldau.metadata.message.AllocateProducerIdsResponse;
import io.moldau.metadata.message.AlterPartitionRequest;
import io.moldau.metadata.message.AlterPartitionResponse;
import io.moldau.metadata.message.BrokerHeartbeatRequest;
import io.moldau.metadata.message.BrokerHeartbeatResponse;
import io.moldau.metadata.message.ClusterIdentityRequest;
import io.moldau.metadata.message.ClusterIdentityResponse;
import io.moldau.metadata.message.FetchMetadataRequest;
import io.moldau.metadata.message.FetchMetadataResponse;
import io.moldau.metadata.message.FetchSnapshotRequest;
import io.moldau.metadata.message.FetchSnapshotResponse;
import io.moldau.metadata.message.ForwardRequest;
import io.moldau.metadata.message.ForwardResponse;
import io.moldau.metadata.message.RegisterBrokerRequest;
import io.moldau.metadata.message.RegisterBrokerResponse;
import io.moldau.wire.protocol.ApiKey;
import io.moldau.wire.protocol.ByteBufferReadable;
import io.moldau.wire.protocol.ByteBufferWritable;
import io.moldau.wire.protocol.MalformedMessageException;
import io.moldau.wire.protocol.Message;
import java.nio.ByteBuffer;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/// One controller in another process. One try each: who asks decides whether to try again, and whom.
///
/// It has several connections, since answers come in the order of requests: heartbeats must not wait for the creation
/// of
/// ten thousand partitions, and nothing at all behind a wait for new metadata. Any thread.
final class RemoteController implements NodeToController, AutoCloseable {

    /// Longest wait for news at another process: after it and [#METADATA_GRACE_MS] a controller that hangs is left.
    static final int METADATA_WAIT_MS = 1000;

    private static final int METADATA_GRACE_MS = 1000;
    private static final int REQUEST_TIMEOUT_MS = 3000;

    private final ControllerAddress address;
    private final PeerClients peers;
    private final Time time;
    private final PeerClient metadata;
    private volatile Connections active;

    /// Those for what only the active controller answers.
    private record Connections(PeerClient heartbeats, PeerClient partitions, PeerClient forwarding) {

        static Connections to(ControllerAddress address, PeerClients peers) {
            return new Connections(
                    peers.connect(address.host(), address.port(), "heartbeats"),
                    peers.connect(address.host(), address.port(), "partitions"),
                    peers.connect(address.host(), address.port(), "forwarding"));
        }

        void close() {
            heartbeats.close();
            partitions.close();
            forwarding.close();
        }
    }

    RemoteController(ControllerAddress address, PeerClients peers, Time time) {
        this.address = address;
        this.peers = peers;
        this.time = time;
        this.metadata = peers.connect(address.host(), address.port(), "metadata");
        this.active = Connections.to(address, peers);
    }

    ControllerAddress address() {
        return address;
    }

    /// It is not the active controller any more: what it was asked as such fails now, for it may hang and never say so.
    synchronized void deposed() {
        Connections old = active;
        active = Connections.to(address, peers);
        old.close();
    }

    @Override
    public synchronized void close() {
        metadata.close();
        active.close();
    }

    @Override
    public CompletableFuture<RegisterBrokerResponse> register(RegisterBrokerRequest request) {
        return call(
                active.heartbeats(),
                NodeApi.REGISTER_BROKER,
                request,
                REQUEST_TIMEOUT_MS,
                RegisterBrokerResponse.parser());
    }

    @Override
    public CompletableFuture<BrokerHeartbeatResponse> heartbeat(BrokerHeartbeatRequest request) {
        return call(
                active.heartbeats(),
                NodeApi.BROKER_HEARTBEAT,
                request,
                REQUEST_TIMEOUT_MS,
                BrokerHeartbeatResponse.parser());
    }

    @Override
    public CompletableFuture<AlterPartitionResponse> alterPartition(AlterPartitionRequest request) {
        return call(
                active.partitions(),
                NodeApi.ALTER_PARTITION,
                request,
                REQUEST_TIMEOUT_MS,
                AlterPartitionResponse.parser());
    }

    @Override
    public CompletableFuture<AllocateProducerIdsResponse> allocateProducerIds(AllocateProducerIdsRequest request) {
        return call(
                active.partitions(),
                NodeApi.ALLOCATE_PRODUCER_IDS,
                request,
                REQUEST_TIMEOUT_MS,
                AllocateProducerIdsResponse.parser());
    }

    @Override
    public CompletableFuture<FetchMetadataResponse> fetchMetadata(FetchMetadataRequest request) {
        int waitMs = Math.min(request.getMaxWaitMs(), METADATA_WAIT_MS);
        return call(
                metadata,
                NodeApi.FETCH_METADATA,
                request.toBuilder().setMaxWaitMs(waitMs).build(),
                waitMs + METADATA_GRACE_MS,
                FetchMetadataResponse.parser());
    }

    @Override
    public CompletableFuture<FetchSnapshotResponse> fetchSnapshot(FetchSnapshotRequest request) {
        return call(
                metadata,
                NodeApi.FETCH_SNAPSHOT,
                request,
                METADATA_WAIT_MS + METADATA_GRACE_MS,
                FetchSnapshotResponse.parser());
    }

    CompletableFuture<ClusterIdentityResponse> identity(int nodeId) {
        return call(
                metadata,
                NodeApi.CLUSTER_IDENTITY,
                ClusterIdentityRequest.newBuilder().setNodeId(nodeId).build(),
                METADATA_GRACE_MS,
                ClusterIdentityResponse.parser());
    }

    @Override
    public CompletableFuture<Message> forward(ControllerContext context, Message request) {
        ApiKey api = ApiKey.forId(request.apiKey());
        if (api == null) {
            throw new IllegalArgumentException("no request: " + request.getClass());
        }
        long leftMs = TimeUnit.NANOSECONDS.toMillis(context.deadlineNanos() - time.nanoseconds());
        if (leftMs <= 0) {
            return CompletableFuture.failedFuture(new ApiException(Errors.REQUEST_TIMED_OUT));
        }
        short version = context.apiVersion();
        var body = new ByteBufferWritable(256);
        request.write(body, version);
        ForwardRequest forwarded = ForwardRequest.newBuilder()
                .setPrincipal(context.principal())
                .setClientAddress(context.clientAddress())
                .setTimeoutMs((int) Math.min(leftMs, Integer.MAX_VALUE))
                .setApiKey(api.id())
                .setApiVersion(version)
                .setBody(UnsafeByteOperations.unsafeWrap(body.toByteBuffer()))
                .build();
        return call(active.forwarding(), NodeApi.FORWARD, forwarded, leftMs, ForwardResponse.parser())
                .thenApply(answer -> response(api, version, answer));
    }

    private static Message response(ApiKey api, short version, ForwardResponse answer) {
        try {
            Message response = api.newResponse();
            response.read(new ByteBufferReadable(answer.getBody().asReadOnlyByteBuffer()), version);
            return response;
        } catch (MalformedMessageException e) {
            throw new ApiException(
                    Errors.UNKNOWN_SERVER_ERROR,
                    "The controller's answer to " + api + " cannot be read: " + e.getMessage());
        }
    }

    private static <T> CompletableFuture<T> call(
            PeerClient connection, NodeApi api, MessageLite request, long timeoutMs, Parser<T> parser) {
        return connection
                .call(api.key(), ByteBuffer.wrap(request.toByteArray()), timeoutMs)
                .thenApply(bytes -> {
                    try {
                        return parser.parseFrom(bytes);
                    } catch (InvalidProtocolBufferException e) {
                        throw new ApiException(
                                Errors.UNKNOWN_SERVER_ERROR,
                                "The controller's answer to " + api + " cannot be read: " + e.getMessage());
                    }
                });
    }
}
