package io.moldau.broker.replica;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/// What the leader of a partition knows in one leader epoch: its own end, its followers' positions, who is in sync,
/// and from these the high watermark.
///
/// The high watermark is the smallest log end among the *maximal* ISR: the committed one and the members proposed
/// but not yet confirmed by the controller, since either may be what the next leader is chosen from. It never falls
/// within an epoch. Pure, without a clock; owned by the partition's mailbox.
public final class LeaderState {

    /// What to ask of the controller: this ISR instead of the one of `partitionEpoch`.
    public record IsrProposal(List<Integer> isr, int partitionEpoch) {}

    private final int localId;
    private final int leaderEpoch;
    private final Map<Integer, FollowerPosition> followers = new HashMap<>();
    private TreeSet<Integer> isr;
    private @Nullable TreeSet<Integer> proposed;
    private int partitionEpoch;
    private long logEndOffset;
    private long highWatermark;

    /// @param highWatermark what this replica knew as a follower, or from its checkpoint
    public LeaderState(
            int localId,
            int leaderEpoch,
            int partitionEpoch,
            List<Integer> replicas,
            List<Integer> isr,
            long logEndOffset,
            long highWatermark,
            long nowNanos) {
        this.localId = localId;
        this.leaderEpoch = leaderEpoch;
        this.partitionEpoch = partitionEpoch;
        this.isr = new TreeSet<>(isr);
        this.logEndOffset = logEndOffset;
        this.highWatermark = Math.min(highWatermark, logEndOffset);
        assign(replicas, nowNanos);
        advance();
    }

    public int leaderEpoch() {
        return leaderEpoch;
    }

    public int partitionEpoch() {
        return partitionEpoch;
    }

    public long highWatermark() {
        return highWatermark;
    }

    public List<Integer> isr() {
        return List.copyOf(isr);
    }

    /// The committed ISR and whoever is proposed for it.
    public List<Integer> maximalIsr() {
        var all = new TreeSet<>(isr);
        if (proposed != null) {
            all.addAll(proposed);
        }
        return List.copyOf(all);
    }

    /// Whether so many replicas are in sync that a write with acks=all may be taken.
    public boolean hasInSync(int minInsyncReplicas) {
        return isr.size() >= minInsyncReplicas;
    }

    public boolean isFollower(int brokerId) {
        return followers.containsKey(brokerId);
    }

    public @Nullable FollowerPosition follower(int brokerId) {
        return followers.get(brokerId);
    }

    /// The local log grew, or was cut short by nothing: its end is here now. Returns the high watermark.
    public long onLocalAppend(long newLogEndOffset) {
        logEndOffset = newLogEndOffset;
        return advance();
    }

    /// A follower has everything below `offset`. Returns the high watermark.
    public long onFollowerFetch(int brokerId, long offset, long nowNanos) {
        FollowerPosition position = followers.get(brokerId);
        if (position == null) {
            throw new IllegalArgumentException("broker " + brokerId + " has no replica of this partition");
        }
        followers.put(brokerId, position.fetched(offset, logEndOffset, nowNanos));
        return advance();
    }

    /// A follower outside the ISR that has reached the high watermark and the start of this epoch should join; null
    /// if that does not hold or a proposal is open.
    public @Nullable IsrProposal proposeExpansion(int brokerId, long epochStartOffset) {
        FollowerPosition position = followers.get(brokerId);
        if (proposed != null || isr.contains(brokerId) || position == null) {
            return null;
        }
        if (position.logEndOffset() < highWatermark || position.logEndOffset() < epochStartOffset) {
            return null;
        }
        var wanted = new TreeSet<>(isr);
        wanted.add(brokerId);
        return propose(wanted);
    }

    /// Members that have lagged for too long should leave; null if there are none or a proposal is open.
    public @Nullable IsrProposal proposeShrink(long nowNanos, long maxLagNanos) {
        if (proposed != null) {
            return null;
        }
        var wanted = new TreeSet<>(isr);
        wanted.removeIf(member -> {
            FollowerPosition position = followers.get(member);
            return position != null && !position.isCaughtUp(logEndOffset, nowNanos, maxLagNanos);
        });
        return wanted.size() == isr.size() ? null : propose(wanted);
    }

    private IsrProposal propose(TreeSet<Integer> wanted) {
        proposed = wanted;
        advance();
        return new IsrProposal(List.copyOf(wanted), partitionEpoch);
    }

    /// The controller refused the proposal; the committed ISR stands.
    public long onProposalRejected() {
        proposed = null;
        return advance();
    }

    /// The controller decided, on our proposal or by itself. News of an older partition epoch are ignored. Returns
    /// the high watermark.
    public long onRegistration(int newPartitionEpoch, List<Integer> replicas, List<Integer> newIsr, long nowNanos) {
        if (newPartitionEpoch < partitionEpoch) {
            return highWatermark;
        }
        if (newPartitionEpoch > partitionEpoch) {
            proposed = null;
        }
        partitionEpoch = newPartitionEpoch;
        isr = new TreeSet<>(newIsr);
        assign(replicas, nowNanos);
        return advance();
    }

    private void assign(List<Integer> replicas, long nowNanos) {
        followers.keySet().retainAll(replicas);
        for (int replica : replicas) {
            if (replica != localId) {
                followers.putIfAbsent(replica, FollowerPosition.unknown(nowNanos));
            }
        }
    }

    private long advance() {
        long smallest = logEndOffset;
        for (Map.Entry<Integer, FollowerPosition> follower : followers.entrySet()) {
            if (isr.contains(follower.getKey()) || (proposed != null && proposed.contains(follower.getKey()))) {
                smallest = Math.min(smallest, follower.getValue().logEndOffset());
            }
        }
        highWatermark = Math.max(highWatermark, smallest);
        return highWatermark;
    }
}
