package io.moldau.metadata.quorum.ratis;

import io.moldau.common.time.Time;
import io.moldau.metadata.quorum.transport.RaftTransport;
import java.util.Objects;
import org.apache.ratis.conf.Parameters;
import org.apache.ratis.rpc.RpcFactory;
import org.apache.ratis.rpc.RpcType;
import org.apache.ratis.server.RaftServer;
import org.apache.ratis.server.RaftServerRpc;
import org.apache.ratis.server.ServerFactory;
import org.apache.ratis.server.leader.FollowerInfo;
import org.apache.ratis.server.leader.LeaderState;
import org.apache.ratis.server.leader.LogAppender;

/// Has Ratis talk through a [RaftTransport]. It opens no port and starts no thread, so a quorum of one costs nothing.
///
/// Ratis creates it by its class name; what belongs to one server comes in the parameters ([#parameters]).
public final class TransportRpcType implements RpcType {

    private static final String KEY = "moldau.raft.rpc";

    /// The parameters of a server that sends through `transport`.
    static Parameters parameters(RaftTransport transport, PeerAddresses addresses, Time time) {
        var parameters = new Parameters();
        parameters.put(KEY, new Sending(transport, addresses, time), Sending.class);
        return parameters;
    }

    private record Sending(RaftTransport transport, PeerAddresses addresses, Time time) {}

    @Override
    public String name() {
        return "MOLDAU";
    }

    @Override
    public RpcFactory newFactory(Parameters parameters) {
        return new Factory(this, Objects.requireNonNull(parameters.get(KEY, Sending.class), KEY));
    }

    private record Factory(RpcType rpcType, Sending sending) implements ServerFactory {
        @Override
        public RpcType getRpcType() {
            return rpcType;
        }

        @Override
        public RaftServerRpc newRaftServerRpc(RaftServer server) {
            return new TransportRpc(rpcType, sending.transport(), sending.addresses());
        }

        @Override
        public LogAppender newLogAppender(RaftServer.Division server, LeaderState state, FollowerInfo follower) {
            return new TransportLogAppender(
                    server,
                    state,
                    follower,
                    (TransportRpc) server.getRaftServer().getServerRpc(),
                    sending.time());
        }
    }
}
