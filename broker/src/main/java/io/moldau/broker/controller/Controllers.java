package io.moldau.broker.controller;

import io.moldau.broker.peer.PeerClients;
import io.moldau.common.time.Time;
import io.moldau.common.time.Timer;
import io.moldau.metadata.channel.ControllerChannels;
import io.moldau.metadata.channel.NodeToController;
import io.moldau.metadata.message.FetchMetadataResponse;
import io.moldau.metadata.quorum.QuorumState;
import io.moldau.metadata.quorum.Voter;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/// The controllers of the cluster as this node reaches them: the one in its own process, if it has one, and the others
/// over the network. Any thread.
public final class Controllers implements AutoCloseable {

    private final ControllerDirectory directory;
    private final @Nullable Local local;
    private final @Nullable ControllerAddress localAddress;
    private final PeerClients peers;
    private final Time time;
    private final ActiveController active;
    private final MetadataSources metadata;
    private final Map<ControllerAddress, RemoteController> remotes = new HashMap<>();
    private boolean closed;

    /// The controller in this process.
    ///
    /// @param state what it knows of the quorum; null as long as it is starting
    public record Local(int nodeId, NodeToController channel, Supplier<@Nullable QuorumState> state) {}

    /// @param local null on a node that is no controller
    /// @param voters as `controller.quorum.voters` names them
    /// @param bootstrap as `controller.quorum.bootstrap.servers` names them, without this node
    /// @param timer for pauses between two attempts
    public Controllers(
            @Nullable Local local,
            List<ControllerAddress> voters,
            List<ControllerAddress> bootstrap,
            PeerClients peers,
            Time time,
            Timer timer,
            RandomGenerator random) {
        this.local = local;
        this.localAddress = local == null ? null : new ControllerAddress(local.nodeId(), "", 0);
        this.directory = new ControllerDirectory(localAddress, voters, bootstrap);
        this.peers = peers;
        this.time = time;
        this.active = new ActiveController(this, time, timer, random);
        this.metadata = new MetadataSources(this);
    }

    /// Whichever controller is active, found and asked again until it answers or the time is up.
    public NodeToController active() {
        return active;
    }

    /// Where to get metadata, one controller at a time.
    public ControllerChannels metadata() {
        return metadata;
    }

    /// The node of the active controller, as far as is known, or -1.
    public int leaderId() {
        askLocal();
        return directory.leaderId();
    }

    /// A controller that was chosen.
    record Chosen(ControllerAddress address, NodeToController channel) {}

    Chosen chooseActive() {
        askLocal();
        return chosen(directory.active(time.nanoseconds()));
    }

    void notActive(Chosen chosen) {
        directory.notActive(chosen.address(), time.nanoseconds());
    }

    Chosen chooseForMetadata() {
        askLocal();
        return chosen(directory.forMetadata(time.nanoseconds()));
    }

    void badForMetadata(Chosen chosen) {
        directory.badForMetadata(chosen.address(), time.nanoseconds());
    }

    /// Whether there is more than one to choose from.
    boolean isChoice() {
        return directory.all().size() > 1;
    }

    private Chosen chosen(ControllerAddress address) {
        if (local != null && address.equals(localAddress)) {
            return new Chosen(address, local.channel());
        }
        return new Chosen(address, remote(address));
    }

    private synchronized RemoteController remote(ControllerAddress address) {
        RemoteController remote = remotes.get(address);
        if (remote == null) {
            remote = new RemoteController(address, peers, time);
            if (closed) {
                remote.close();
                return remote;
            }
            remotes.put(address, remote);
        }
        return remote;
    }

    /// What the quorum's member in this process knows needs no message.
    private void askLocal() {
        QuorumState state = local == null ? null : local.state().get();
        if (state == null) {
            return;
        }
        List<ControllerAddress> known = new ArrayList<>();
        for (Voter voter : state.voters()) {
            if (!voter.host().isEmpty()) {
                known.add(new ControllerAddress(voter.nodeId(), voter.host(), voter.port()));
            }
        }
        learned(state.leaderId(), state.epoch(), known);
    }

    void learned(FetchMetadataResponse response) {
        learned(
                response.getLeaderId(),
                response.getLeaderEpoch(),
                response.getControllersList().stream()
                        .map(known -> new ControllerAddress(known.getControllerId(), known.getHost(), known.getPort()))
                        .toList());
    }

    private void learned(int leaderId, int epoch, List<ControllerAddress> known) {
        int before = directory.leaderId();
        if (directory.learned(leaderId, epoch, known) && before >= 0) {
            deposed(before);
        }
    }

    private synchronized void deposed(int id) {
        for (RemoteController remote : remotes.values()) {
            if (remote.address().id() == id) {
                remote.deposed();
            }
        }
    }

    @Override
    public synchronized void close() {
        closed = true;
        remotes.values().forEach(RemoteController::close);
        remotes.clear();
    }
}
