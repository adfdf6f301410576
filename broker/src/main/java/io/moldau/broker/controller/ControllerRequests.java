package io.moldau.broker.controller;

import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.MessageLite;
import com.google.protobuf.Parser;
import com.google.protobuf.UnsafeByteOperations;
import io.moldau.broker.peer.NodeApi;
import io.moldau.broker.request.NodeRequest;
import io.moldau.broker.request.NodeRequestHandler;
import io.moldau.common.ApiException;
import io.moldau.common.Errors;
import io.moldau.common.Uuid;
import io.moldau.common.time.Time;
import io.moldau.metadata.channel.NodeToController;
import io.moldau.metadata.controller.ControllerContext;
import io.moldau.metadata.message.AllocateProducerIdsRequest;
import io.moldau.metadata.message.AlterPartitionRequest;
import io.moldau.metadata.message.BrokerHeartbeatRequest;
import io.moldau.metadata.message.ClusterIdentityResponse;
import io.moldau.metadata.message.FetchMetadataRequest;
import io.moldau.metadata.message.FetchSnapshotRequest;
import io.moldau.metadata.message.ForwardRequest;
import io.moldau.metadata.message.ForwardResponse;
import io.moldau.metadata.message.RegisterBrokerRequest;
import io.moldau.metadata.quorum.transport.RaftMessage;
import io.moldau.metadata.quorum.transport.RaftRequests;
import io.moldau.metadata.record.MetadataRecords;
import io.moldau.wire.protocol.ApiKey;
import io.moldau.wire.protocol.ByteBufferReadable;
import io.moldau.wire.protocol.ByteBufferWritable;
import io.moldau.wire.protocol.MalformedMessageException;
import io.moldau.wire.protocol.Message;
import java.nio.ByteBuffer;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/// What other nodes ask of the controller in this process: the other end of [RemoteController]. Event loops call it.
///
/// A request is served for everybody who reaches the listener; a forwarded one carries the name of the client that the
/// broker authenticated.
public final class ControllerRequests implements NodeRequestHandler {

    private final int nodeId;
    private final NodeToController local;
    private final RaftRequests raft;
    private final Supplier<@Nullable Uuid> clusterId;
    private final ConnectionsLost lost;
    private final Time time;

    /// Hears that a connection has ended over which a broker's heartbeats came.
    public interface ConnectionsLost {

        /// Called on an event loop; must not block.
        void onLost(int brokerId, long brokerEpoch);
    }

    /// @param local the controller in this process
    /// @param raft the quorum's member in this process
    /// @param clusterId null as long as this node does not know
    public ControllerRequests(
            int nodeId,
            NodeToController local,
            RaftRequests raft,
            Supplier<@Nullable Uuid> clusterId,
            ConnectionsLost lost,
            Time time) {
        this.nodeId = nodeId;
        this.local = local;
        this.raft = raft;
        this.clusterId = clusterId;
        this.lost = lost;
        this.time = time;
    }

    @Override
    public boolean serves(short key) {
        return NodeApi.forKey(key) != null;
    }

    @Override
    public CompletableFuture<ByteBuffer> handle(NodeRequest request) {
        NodeApi api = NodeApi.forKey(request.key());
        if (api == null) {
            throw new IllegalArgumentException("key " + request.key() + " is not served");
        }
        try {
            return switch (api) {
                case REGISTER_BROKER -> answer(request, RegisterBrokerRequest.parser(), local::register);
                case BROKER_HEARTBEAT -> heartbeat(request);
                case ALTER_PARTITION -> answer(request, AlterPartitionRequest.parser(), local::alterPartition);
                case ALLOCATE_PRODUCER_IDS ->
                    answer(request, AllocateProducerIdsRequest.parser(), local::allocateProducerIds);
                case FETCH_METADATA -> answer(request, FetchMetadataRequest.parser(), local::fetchMetadata);
                case FETCH_SNAPSHOT -> answer(request, FetchSnapshotRequest.parser(), local::fetchSnapshot);
                case FORWARD -> answer(request, ForwardRequest.parser(), this::forward);
                case CLUSTER_IDENTITY -> CompletableFuture.completedFuture(bytes(identity()));
                case RAFT -> raft(request.body());
            };
        } catch (InvalidProtocolBufferException | MalformedMessageException e) {
            return CompletableFuture.failedFuture(
                    new ApiException(Errors.INVALID_REQUEST, api + " cannot be read: " + e.getMessage()));
        }
    }

    private static <Q> CompletableFuture<ByteBuffer> answer(
            NodeRequest request, Parser<Q> parser, Function<Q, ? extends CompletableFuture<? extends MessageLite>> call)
            throws InvalidProtocolBufferException {
        return call.apply(parser.parseFrom(request.body())).thenApply(ControllerRequests::bytes);
    }

    private static ByteBuffer bytes(MessageLite message) {
        return ByteBuffer.wrap(message.toByteArray());
    }

    private CompletableFuture<ByteBuffer> heartbeat(NodeRequest request) throws InvalidProtocolBufferException {
        BrokerHeartbeatRequest heartbeat = BrokerHeartbeatRequest.parseFrom(request.body());
        request.whenConnectionEnds(() -> lost.onLost(heartbeat.getBrokerId(), heartbeat.getBrokerEpoch()));
        return local.heartbeat(heartbeat).thenApply(ControllerRequests::bytes);
    }

    private CompletableFuture<ByteBuffer> raft(ByteBuffer body) {
        if (!body.hasRemaining()) {
            throw new MalformedMessageException("a message between voters has a kind");
        }
        try {
            return raft.handle(RaftMessage.of(body.get()), body.slice());
        } catch (IllegalArgumentException e) {
            throw new MalformedMessageException(String.valueOf(e.getMessage()));
        }
    }

    private ClusterIdentityResponse identity() {
        ClusterIdentityResponse.Builder response =
                ClusterIdentityResponse.newBuilder().setControllerId(nodeId);
        Uuid known = clusterId.get();
        if (known != null) {
            response.setClusterId(MetadataRecords.id(known));
        }
        return response.build();
    }

    private CompletableFuture<ForwardResponse> forward(ForwardRequest forwarded) {
        ApiKey api = ApiKey.forId(forwarded.getApiKey());
        short version = (short) forwarded.getApiVersion();
        if (api == null || version < api.lowestVersion() || version > api.highestVersion()) {
            return CompletableFuture.failedFuture(new ApiException(
                    Errors.UNSUPPORTED_VERSION,
                    "API key " + forwarded.getApiKey() + " version " + version + " is not known to this controller."));
        }
        Message message = api.newRequest();
        message.read(new ByteBufferReadable(forwarded.getBody().asReadOnlyByteBuffer()), version);
        ControllerContext context = new ControllerContext(
                forwarded.getPrincipal(),
                forwarded.getClientAddress(),
                version,
                time.nanoseconds() + TimeUnit.MILLISECONDS.toNanos(forwarded.getTimeoutMs()));
        return local.forward(context, message).thenApply(response -> {
            var body = new ByteBufferWritable(256);
            response.write(body, version);
            return ForwardResponse.newBuilder()
                    .setBody(UnsafeByteOperations.unsafeWrap(body.toByteBuffer()))
                    .build();
        });
    }
}
