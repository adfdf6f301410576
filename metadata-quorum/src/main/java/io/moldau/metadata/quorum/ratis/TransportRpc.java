package io.moldau.metadata.quorum.ratis;

import io.moldau.metadata.quorum.transport.RaftMessage;
import io.moldau.metadata.quorum.transport.RaftTransport;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import org.apache.ratis.proto.RaftProtos.AppendEntriesReplyProto;
import org.apache.ratis.proto.RaftProtos.AppendEntriesRequestProto;
import org.apache.ratis.proto.RaftProtos.InstallSnapshotReplyProto;
import org.apache.ratis.proto.RaftProtos.InstallSnapshotRequestProto;
import org.apache.ratis.proto.RaftProtos.RaftRpcRequestProto;
import org.apache.ratis.proto.RaftProtos.RequestVoteReplyProto;
import org.apache.ratis.proto.RaftProtos.RequestVoteRequestProto;
import org.apache.ratis.proto.RaftProtos.StartLeaderElectionReplyProto;
import org.apache.ratis.proto.RaftProtos.StartLeaderElectionRequestProto;
import org.apache.ratis.protocol.RaftPeer;
import org.apache.ratis.protocol.RaftPeerId;
import org.apache.ratis.rpc.RpcType;
import org.apache.ratis.server.RaftServerRpc;
import org.apache.ratis.thirdparty.com.google.protobuf.ByteString;
import org.apache.ratis.thirdparty.com.google.protobuf.MessageLite;
import org.apache.ratis.thirdparty.com.google.protobuf.Parser;

/// Sends what one Ratis server has to say to others. What others say to it comes in through [RatisRequests].
final class TransportRpc implements RaftServerRpc {

    private static final long TIMEOUT_MS = 3000;
    /// The last piece of a snapshot is answered when the image has been loaded.
    private static final long SNAPSHOT_TIMEOUT_MS = 60_000;

    private final RpcType rpcType;
    private final RaftTransport transport;
    private final PeerAddresses addresses;
    private final Set<TransportLogAppender> appenders = ConcurrentHashMap.newKeySet();

    TransportRpc(RpcType rpcType, RaftTransport transport, PeerAddresses addresses) {
        this.rpcType = rpcType;
        this.transport = transport;
        this.addresses = addresses;
    }

    // ---- For Ratis' own threads, which may wait.

    @Override
    public RequestVoteReplyProto requestVote(RequestVoteRequestProto request) throws IOException {
        return await(send(
                request.getServerRequest(), RaftMessage.VOTE, request, RequestVoteReplyProto.parser(), TIMEOUT_MS));
    }

    @Override
    public StartLeaderElectionReplyProto startLeaderElection(StartLeaderElectionRequestProto request)
            throws IOException {
        return await(send(
                request.getServerRequest(),
                RaftMessage.START_ELECTION,
                request,
                StartLeaderElectionReplyProto.parser(),
                TIMEOUT_MS));
    }

    @Override
    public AppendEntriesReplyProto appendEntries(AppendEntriesRequestProto request) throws IOException {
        return await(append(request));
    }

    @Override
    public InstallSnapshotReplyProto installSnapshot(InstallSnapshotRequestProto request) throws IOException {
        return await(snapshot(request));
    }

    private static <R> R await(CompletableFuture<R> answer) throws IOException {
        try {
            return answer.get();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            var interrupted = new InterruptedIOException("interrupted while a voter's answer was awaited");
            interrupted.initCause(e);
            throw interrupted;
        } catch (ExecutionException e) {
            throw e.getCause() instanceof IOException io ? io : new IOException(e.getCause());
        }
    }

    // ---- For the appenders, which do not.

    CompletableFuture<AppendEntriesReplyProto> append(AppendEntriesRequestProto request) {
        return send(
                request.getServerRequest(),
                request.getEntriesCount() == 0 ? RaftMessage.HEARTBEAT : RaftMessage.APPEND,
                request,
                AppendEntriesReplyProto.parser(),
                TIMEOUT_MS);
    }

    CompletableFuture<InstallSnapshotReplyProto> snapshot(InstallSnapshotRequestProto request) {
        return send(
                request.getServerRequest(),
                RaftMessage.SNAPSHOT,
                request,
                InstallSnapshotReplyProto.parser(),
                SNAPSHOT_TIMEOUT_MS);
    }

    private <R> CompletableFuture<R> send(
            RaftRpcRequestProto header, RaftMessage kind, MessageLite request, Parser<R> parser, long timeoutMs) {
        ByteString to = header.getReplyId();
        try {
            PeerAddresses.Address address = addresses.of(to.toStringUtf8());
            return transport
                    .send(address.host(), address.port(), kind, RaftBytes.request(request), timeoutMs)
                    .thenCompose(answer -> parsed(parser, answer));
        } catch (IOException e) {
            return CompletableFuture.failedFuture(e);
        }
    }

    private static <R> CompletableFuture<R> parsed(Parser<R> parser, java.nio.ByteBuffer answer) {
        try {
            return CompletableFuture.completedFuture(RaftBytes.answer(parser, answer));
        } catch (IOException e) {
            return CompletableFuture.failedFuture(e);
        }
    }

    /// How far a follower is.
    record Progress(long matchIndex, long lastAnswerMs, long lastCaughtUpMs) {}

    /// The followers this leader sends to, by key.
    Map<String, Progress> progress() {
        var progress = new HashMap<String, Progress>();
        for (TransportLogAppender appender : appenders) {
            progress.put(appender.getFollowerId().toString(), appender.progress());
        }
        return progress;
    }

    void register(TransportLogAppender appender) {
        appenders.add(appender);
    }

    void unregister(TransportLogAppender appender) {
        appenders.remove(appender);
    }

    /// More of the log is committed: followers that have nothing else to be told are told that at once.
    void committed() {
        for (TransportLogAppender appender : appenders) {
            appender.notifyLogAppender();
        }
    }

    void reset(RaftPeerId peer) {
        PeerAddresses.Address address = addresses.find(peer.toString());
        if (address != null) {
            transport.reset(address.host(), address.port());
        }
    }

    // ---- Ratis' bookkeeping.

    @Override
    public RpcType getRpcType() {
        return rpcType;
    }

    @Override
    public void addRaftPeers(Collection<RaftPeer> peers) {
        addresses.add(peers);
    }

    @Override
    public void handleException(RaftPeerId serverId, Exception e, boolean reconnect) {
        if (reconnect) {
            reset(serverId);
        }
    }

    /// Others reach this server through whatever hands its requests to [RatisRequests].
    @Override
    public InetSocketAddress getInetSocketAddress() {
        return new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
    }

    @Override
    public void start() {}

    @Override
    public void close() {}
}
