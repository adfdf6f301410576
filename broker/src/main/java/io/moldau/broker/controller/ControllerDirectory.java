package io.moldau.broker.controller;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/// What is known about the controllers: who they are, who is active, and who did not answer lately. Decides whom to
/// ask.
///
/// Pure: the time comes with each call, in nanoseconds of the node's monotonic clock. Guarded by its own monitor, which
/// nobody holds while waiting. Bounded by the number of controllers the cluster ever had an address of.
final class ControllerDirectory {

    /// How long a controller that failed is asked last. Long enough to go once around, short enough to find an active
    /// controller soon after its election.
    static final long DOUBT_NANOS = 200_000_000L;

    /// Of metadata any controller tells, so that one that failed can be left alone for longer.
    static final long METADATA_DOUBT_NANOS = 2_000_000_000L;

    private final @Nullable ControllerAddress local;
    private final List<ControllerAddress> bootstrap;
    private final Map<Integer, ControllerAddress> byId = new TreeMap<>();
    private final Map<ControllerAddress, Long> doubtful = new HashMap<>();
    private final Map<ControllerAddress, Long> doubtfulForMetadata = new HashMap<>();
    private int leaderId = ControllerAddress.UNKNOWN;
    private int leaderEpoch = -1;
    private int turn;

    /// @param local the controller in this process, null if there is none
    /// @param voters those of `controller.quorum.voters`
    /// @param bootstrap those of `controller.quorum.bootstrap.servers`
    ControllerDirectory(
            @Nullable ControllerAddress local, List<ControllerAddress> voters, List<ControllerAddress> bootstrap) {
        this.local = local;
        this.bootstrap = List.copyOf(bootstrap);
        voters.forEach(voter -> byId.put(voter.id(), voter));
        if (local != null) {
            byId.put(local.id(), local);
        }
    }

    /// Takes in what a controller said of itself and the others.
    ///
    /// @param known with their addresses; empty if it did not say
    /// @return whether another controller than before is taken for the active one
    synchronized boolean learned(int newLeaderId, int epoch, Collection<ControllerAddress> known) {
        for (ControllerAddress address : known) {
            if (local == null || address.id() != local.id()) {
                byId.put(address.id(), address);
            }
        }
        // An answer may be older than what we know, and a controller that lost its leader need not know the next one.
        if (epoch < leaderEpoch || (epoch == leaderEpoch && newLeaderId < 0)) {
            return false;
        }
        boolean changed = newLeaderId >= 0 && newLeaderId != leaderId;
        leaderEpoch = epoch;
        if (newLeaderId >= 0 || leaderId < 0) {
            leaderId = newLeaderId;
        }
        if (changed) {
            ControllerAddress leader = byId.get(leaderId);
            if (leader != null) {
                doubtful.remove(leader);
            }
        }
        return changed;
    }

    /// The node of the active controller, as far as is known, or -1.
    synchronized int leaderId() {
        return leaderId;
    }

    /// Every controller there is an address of: those with a number first, then the addresses nobody gave a number.
    synchronized List<ControllerAddress> all() {
        List<ControllerAddress> all = new ArrayList<>(byId.values());
        for (ControllerAddress address : bootstrap) {
            if (all.stream().noneMatch(known -> isSame(known, address))) {
                all.add(address);
            }
        }
        return all;
    }

    private static boolean isSame(ControllerAddress a, ControllerAddress b) {
        return a.port() == b.port() && a.host().equals(b.host());
    }

    /// Whom to ask what only the active controller can answer.
    synchronized ControllerAddress active(long nowNanos) {
        ControllerAddress leader = byId.get(leaderId);
        if (leader != null && !isDoubtful(doubtful, leader, nowNanos)) {
            return leader;
        }
        List<ControllerAddress> all = all();
        if (all.isEmpty()) {
            throw new IllegalStateException("no controller is known");
        }
        for (int i = 0; i < all.size(); i++) {
            ControllerAddress next = all.get(Math.floorMod(turn++, all.size()));
            if (!isDoubtful(doubtful, next, nowNanos)) {
                return next;
            }
        }
        return all.get(Math.floorMod(turn++, all.size()));
    }

    /// It did not answer, or said that it is not the active one.
    synchronized void notActive(ControllerAddress address, long nowNanos) {
        doubtful.put(address, nowNanos + DOUBT_NANOS);
    }

    /// Whom to ask for metadata: the controller in this process, else the active one, which knows first what is new,
    /// else any.
    synchronized ControllerAddress forMetadata(long nowNanos) {
        List<ControllerAddress> order = new ArrayList<>();
        if (local != null) {
            order.add(local);
        }
        ControllerAddress leader = byId.get(leaderId);
        if (leader != null) {
            order.add(leader);
        }
        order.addAll(all());
        if (order.isEmpty()) {
            throw new IllegalStateException("no controller is known");
        }
        ControllerAddress best = order.getFirst();
        long bestUntil = Long.MAX_VALUE;
        for (ControllerAddress address : order) {
            if (!isDoubtful(doubtfulForMetadata, address, nowNanos)) {
                return address;
            }
            // All have failed: the one that did so longest ago.
            long until = doubtfulForMetadata.getOrDefault(address, nowNanos);
            if (until - nowNanos < bestUntil) {
                bestUntil = until - nowNanos;
                best = address;
            }
        }
        return best;
    }

    /// It gave no metadata, or knows no leader and may be cut off from those who do.
    synchronized void badForMetadata(ControllerAddress address, long nowNanos) {
        doubtfulForMetadata.put(address, nowNanos + METADATA_DOUBT_NANOS);
    }

    private static boolean isDoubtful(Map<ControllerAddress, Long> doubts, ControllerAddress address, long nowNanos) {
        Long until = doubts.get(address);
        if (until == null) {
            return false;
        }
        if (until - nowNanos <= 0) {
            doubts.remove(address);
            return false;
        }
        return true;
    }
}
