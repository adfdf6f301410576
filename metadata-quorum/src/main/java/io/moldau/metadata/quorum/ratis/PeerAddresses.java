package io.moldau.metadata.quorum.ratis;

import io.moldau.metadata.quorum.Voter;
import java.io.IOException;
import java.util.Collection;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.IntFunction;
import org.apache.ratis.protocol.RaftPeer;
import org.jspecify.annotations.Nullable;

/// Where voters are reached.
///
/// A registered controller's own word wins over the address in Raft's configuration, because Ratis never changes the
/// latter: so a voter may move, and one that was alone and unreachable when the quorum began can be
/// found later. Voters that `controller.quorum.voters` names are where it says, as in Kafka.
final class PeerAddresses {

    record Address(String host, int port) {}

    private final Map<String, Address> configured = new ConcurrentHashMap<>();
    private final IntFunction<@Nullable Address> registered;

    /// @param registered the address a controller registered, by node id, or null
    PeerAddresses(IntFunction<@Nullable Address> registered) {
        this.registered = registered;
    }

    void add(Collection<RaftPeer> peers) {
        for (RaftPeer peer : peers) {
            @Nullable String text = peer.getAddress();
            int colon = text == null ? -1 : text.lastIndexOf(':');
            if (text != null && colon > 0) {
                configured.put(
                        peer.getId().toString(),
                        new Address(text.substring(0, colon), Integer.parseInt(text.substring(colon + 1))));
            }
        }
    }

    /// @param key of a voter, see [Voter#key()]
    /// @return null if nobody said where it is
    @Nullable
    Address find(String key) {
        Address address = Voter.isFixed(key) ? null : registered.apply(Voter.nodeId(key));
        return address == null ? configured.get(key) : address;
    }

    /// @throws IOException if nobody said where it is
    Address of(String key) throws IOException {
        Address address = find(key);
        if (address == null) {
            throw new IOException("the address of voter " + key + " is not known");
        }
        return address;
    }
}
