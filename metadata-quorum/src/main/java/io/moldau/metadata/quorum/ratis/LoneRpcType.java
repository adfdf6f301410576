package io.moldau.metadata.quorum.ratis;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.Collection;
import org.apache.ratis.conf.Parameters;
import org.apache.ratis.proto.RaftProtos.AppendEntriesReplyProto;
import org.apache.ratis.proto.RaftProtos.AppendEntriesRequestProto;
import org.apache.ratis.proto.RaftProtos.InstallSnapshotReplyProto;
import org.apache.ratis.proto.RaftProtos.InstallSnapshotRequestProto;
import org.apache.ratis.proto.RaftProtos.RequestVoteReplyProto;
import org.apache.ratis.proto.RaftProtos.RequestVoteRequestProto;
import org.apache.ratis.proto.RaftProtos.StartLeaderElectionReplyProto;
import org.apache.ratis.proto.RaftProtos.StartLeaderElectionRequestProto;
import org.apache.ratis.protocol.RaftPeer;
import org.apache.ratis.protocol.RaftPeerId;
import org.apache.ratis.rpc.RpcFactory;
import org.apache.ratis.rpc.RpcType;
import org.apache.ratis.server.RaftServer;
import org.apache.ratis.server.RaftServerRpc;
import org.apache.ratis.server.ServerFactory;

/// The transport of a quorum of one: it has nobody to talk to, so it opens no port, starts no thread and loads
/// neither
/// gRPC nor Netty. Ratis creates it by its class name.
public final class LoneRpcType implements RpcType {

    @Override
    public String name() {
        return "LONE";
    }

    @Override
    public RpcFactory newFactory(Parameters parameters) {
        return new Factory(this);
    }

    private record Factory(RpcType rpcType) implements ServerFactory {
        @Override
        public RpcType getRpcType() {
            return rpcType;
        }

        @Override
        public RaftServerRpc newRaftServerRpc(RaftServer server) {
            return new Rpc(rpcType);
        }
    }

    private record Rpc(RpcType rpcType) implements RaftServerRpc {

        private IOException alone(String what) {
            return new IOException("this quorum has one voter and no network: " + what + " has nowhere to go");
        }

        @Override
        public RpcType getRpcType() {
            return rpcType;
        }

        @Override
        public void start() {}

        @Override
        public InetSocketAddress getInetSocketAddress() {
            return new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
        }

        @Override
        public void handleException(RaftPeerId serverId, Exception e, boolean reconnect) {}

        @Override
        public void addRaftPeers(Collection<RaftPeer> peers) {}

        @Override
        public RequestVoteReplyProto requestVote(RequestVoteRequestProto request) throws IOException {
            throw alone("a vote request");
        }

        @Override
        public AppendEntriesReplyProto appendEntries(AppendEntriesRequestProto request) throws IOException {
            throw alone("an append");
        }

        @Override
        public InstallSnapshotReplyProto installSnapshot(InstallSnapshotRequestProto request) throws IOException {
            throw alone("a snapshot");
        }

        @Override
        public StartLeaderElectionReplyProto startLeaderElection(StartLeaderElectionRequestProto request)
                throws IOException {
            throw alone("a call for an election");
        }

        @Override
        public void close() {}
    }
}
