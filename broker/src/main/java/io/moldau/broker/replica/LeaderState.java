package io.moldau.broker.replica;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/// What the leader of a partition knows in one leader epoch: its own end, its followers' positions, who
/// is in sync, and from these the high watermark.
///
/// The high watermark is the smallest log end among the *maximal* ISR (the committed one and the
/// members proposed but not yet confirmed by the controller, since either may be what the next leader
/// is chosen from) and those who have caught up and are about to join: if it did not wait for them,
/// they would run after it for ever. It never falls within an epoch, and stands still while the
/// committed ISR is below `min.insync.replicas` (KIP-966: replicas that left the ISR then have
/// everything below it). Where records have to be durable (`moldau.durability`) this replica counts with
/// what it has forced to the disk; its followers ask for nothing behind what they have forced, so they do
/// too. Pure, without a clock; owned by the partition's mailbox.
public final class LeaderState {

    /// A replica that would be in sync, and the registration of its process the leader knows it by; -1
    /// if it has not fetched from this leader yet.
    public record Member(int brokerId, long brokerEpoch) {}

    /// What to ask of the controller: this ISR instead of the one of `partitionEpoch`.
    public record IsrProposal(List<Member> isr, int leaderEpoch, int partitionEpoch) {

        public List<Integer> brokerIds() {
            return isr.stream().map(Member::brokerId).toList();
        }
    }

    /// What is known of the brokers that followers run on.
    @FunctionalInterface
    public interface Eligibility {

        /// Whether the controller would take the broker into an ISR: registered under that epoch, unfenced, not
        /// leaving.
        boolean isEligible(int brokerId, long brokerEpoch);

        /// Whether the broker has registered again since it got that epoch: what it says comes from the past.
        default boolean isStale(int brokerId, long brokerEpoch) {
            return false;
        }

        /// Whether the broker is up, as far as is known: registered and not fenced.
        default boolean isUp(int brokerId) {
            return true;
        }
    }

    /// In place of an end of what was forced, where records count without having been.
    public static final long NEED_NOT_BE_FORCED = Long.MAX_VALUE;

    private final int localId;
    private final int leaderEpoch;
    private final long epochStartOffset;
    /// Read without the mailbox, by who looks for the replica nearest to a consumer.
    private final Map<Integer, FollowerPosition> followers = new ConcurrentHashMap<>();
    /// The same, to go through with every append.
    private FollowerPosition[] positions = {};
    /// Followers outside the ISR that have caught up.
    private final TreeSet<Integer> joining = new TreeSet<>();
    /// Never changed, only replaced; read without the mailbox.
    private volatile TreeSet<Integer> isr;

    private @Nullable TreeSet<Integer> proposed;
    /// The proposal was refused, and the committed ISR is proposed in its place.
    private boolean withdrawing;
    private int replicaCount;
    private int minInsyncReplicas;
    private int partitionEpoch;
    private long logEndOffset;
    /// This replica counts for no more than this.
    private long durableEnd;
    private long highWatermark;

    /// @param minInsyncReplicas as configured; more than there are replicas cannot be asked for
    /// @param durableEnd up to where this replica has forced its log, or [#NEED_NOT_BE_FORCED]
    /// @param highWatermark what this replica knew as a follower, or from its checkpoint
    public LeaderState(
            int localId,
            int leaderEpoch,
            int partitionEpoch,
            List<Integer> replicas,
            List<Integer> isr,
            int minInsyncReplicas,
            long logEndOffset,
            long durableEnd,
            long highWatermark,
            long nowNanos) {
        this.localId = localId;
        this.leaderEpoch = leaderEpoch;
        this.partitionEpoch = partitionEpoch;
        this.isr = new TreeSet<>(isr);
        this.minInsyncReplicas = minInsyncReplicas;
        this.epochStartOffset = logEndOffset;
        this.logEndOffset = logEndOffset;
        this.durableEnd = durableEnd;
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

    /// Where this leader epoch began.
    public long epochStartOffset() {
        return epochStartOffset;
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

    public boolean hasProposal() {
        return proposed != null;
    }

    /// How many replicas have to be in sync: `min.insync.replicas`, or all there are if those are fewer.
    public int neededInSync() {
        return Math.min(minInsyncReplicas, replicaCount);
    }

    /// Whether so many replicas are in sync that a write with acks=all may be taken.
    public boolean hasEnoughInSync() {
        return isr.size() >= neededInSync();
    }

    public boolean hasFollowers() {
        return !followers.isEmpty();
    }

    /// Whether the replica is in the committed ISR. Any thread.
    public boolean isInSync(int brokerId) {
        return isr.contains(brokerId);
    }

    public boolean isFollower(int brokerId) {
        return followers.containsKey(brokerId);
    }

    public @Nullable FollowerPosition follower(int brokerId) {
        return followers.get(brokerId);
    }

    /// Where the earliest log begins among the replicas whose brokers are up; -1 as long as one of
    /// them has not fetched. Any thread.
    ///
    /// @param ownStart where this replica's log begins
    public long lowWatermark(long ownStart, Eligibility brokers) {
        long lowest = ownStart;
        for (FollowerPosition follower : followers.values()) {
            if (follower.logStartOffset() < lowest && brokers.isUp(follower.brokerId())) {
                lowest = follower.logStartOffset();
            }
        }
        return lowest;
    }

    /// `min.insync.replicas` is another now. Returns the high watermark.
    public long onMinInsyncReplicas(int minimum) {
        minInsyncReplicas = minimum;
        return advance();
    }

    /// The local log grew. Returns the high watermark.
    ///
    /// @param nowNanos looked at only if there are followers
    public long onLocalAppend(long newLogEndOffset, long nowNanos) {
        for (FollowerPosition position : positions) {
            if (position.logEndOffset() == logEndOffset) {
                position.hadEverythingUntil(nowNanos);
            }
        }
        logEndOffset = newLogEndOffset;
        return advance();
    }

    /// The local log is forced up to `end`, or need not be: [#NEED_NOT_BE_FORCED]. Returns the high watermark.
    public long onDurable(long end) {
        durableEnd = end;
        return advance();
    }

    /// A follower has everything below `offset`. Returns the high watermark.
    ///
    /// @param startOffset where its log begins
    /// @param brokerEpoch of its process
    /// @param maxLagNanos a follower outside the ISR that lags no more than this is waited for, if it may join
    public long onFollowerFetch(
            int brokerId,
            long offset,
            long startOffset,
            long brokerEpoch,
            long nowNanos,
            long maxLagNanos,
            Eligibility eligibility) {
        FollowerPosition position = followers.get(brokerId);
        if (position == null) {
            throw new IllegalArgumentException("broker " + brokerId + " has no replica of this partition");
        }
        position.fetched(offset, startOffset, brokerEpoch, logEndOffset, nowNanos);
        if (!isr.contains(brokerId)
                && position.isCaughtUp(logEndOffset, nowNanos, maxLagNanos)
                && eligibility.isEligible(brokerId, brokerEpoch)) {
            joining.add(brokerId);
        } else {
            joining.remove(brokerId);
        }
        position.counts = isCounted(brokerId);
        return advance();
    }

    /// Looks again at those who are about to join: one that has fallen back or may not join is waited
    /// for no longer. Returns the high watermark.
    public long onTick(long nowNanos, long maxLagNanos, Eligibility eligibility) {
        joining.removeIf(broker -> {
            FollowerPosition position = followers.get(broker);
            return position == null
                    || !position.isCaughtUp(logEndOffset, nowNanos, maxLagNanos)
                    || !eligibility.isEligible(broker, position.brokerEpoch());
        });
        count();
        return advance();
    }

    /// A follower outside the ISR that has reached the high watermark and the start of this epoch
    /// should join; null if that does not hold, it is not eligible, or a proposal is open.
    public @Nullable IsrProposal proposeExpansion(int brokerId, Eligibility eligibility) {
        FollowerPosition position = followers.get(brokerId);
        if (proposed != null || isr.contains(brokerId) || position == null) {
            return null;
        }
        if (position.logEndOffset() < highWatermark
                || position.logEndOffset() < epochStartOffset
                || !eligibility.isEligible(brokerId, position.brokerEpoch())) {
            return null;
        }
        var wanted = new TreeSet<>(isr);
        wanted.add(brokerId);
        return propose(wanted);
    }

    /// [#proposeExpansion(int, Eligibility)] for whoever has caught up and may join. To be tried when
    /// something else than a follower's fetch has changed: one that has everything does not tell so
    /// again.
    public @Nullable IsrProposal proposeAnyExpansion(long nowNanos, long maxLagNanos, Eligibility eligibility) {
        for (Map.Entry<Integer, FollowerPosition> follower : followers.entrySet()) {
            if (follower.getValue().isCaughtUp(logEndOffset, nowNanos, maxLagNanos)) {
                IsrProposal proposal = proposeExpansion(follower.getKey(), eligibility);
                if (proposal != null) {
                    return proposal;
                }
            }
        }
        return null;
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
        count();
        advance();
        return proposal(wanted);
    }

    private IsrProposal proposal(TreeSet<Integer> wanted) {
        var members = new ArrayList<Member>(wanted.size());
        for (int broker : wanted) {
            FollowerPosition position = followers.get(broker);
            members.add(new Member(broker, position == null ? -1L : position.brokerEpoch()));
        }
        return new IsrProposal(List.copyOf(members), leaderEpoch, partitionEpoch);
    }

    /// The controller has refused the proposal made on this partition epoch. That is said of one try
    /// only: an earlier one, whose answer never came, may still be on its way and be taken when it
    /// arrives. It cannot be called back, but it can be outdated: what to propose is the committed ISR,
    /// which gives the partition another epoch. Until the controller has agreed, the members proposed
    /// first go on counting.
    ///
    /// @return null if there is nothing to withdraw, or the controller has refused even that
    public @Nullable IsrProposal withdraw(int basePartitionEpoch) {
        if (proposed == null || basePartitionEpoch != partitionEpoch || withdrawing) {
            return null;
        }
        withdrawing = true;
        return proposal(isr);
    }

    /// Whether the controller is asked to keep the committed ISR.
    public boolean isWithdrawing() {
        return withdrawing;
    }

    /// The proposal made on this partition epoch is given up; the committed ISR stands. Returns the
    /// high watermark.
    public long onProposalRejected(int basePartitionEpoch) {
        if (basePartitionEpoch == partitionEpoch) {
            forgetProposal(true);
            count();
        }
        return advance();
    }

    private void forgetProposal(boolean refused) {
        if (proposed != null && refused) {
            joining.removeAll(proposed); // the controller knows something that we do not: wait for nobody
        }
        proposed = null;
        withdrawing = false;
    }

    /// The controller decided, on our proposal or by itself. News of an older partition epoch are
    /// ignored. Returns the high watermark.
    public long onRegistration(int newPartitionEpoch, List<Integer> replicas, List<Integer> newIsr, long nowNanos) {
        if (newPartitionEpoch < partitionEpoch) {
            return highWatermark;
        }
        if (newPartitionEpoch > partitionEpoch) {
            // What was proposed on the version before is either this or has lost against it.
            forgetProposal(withdrawing);
        }
        partitionEpoch = newPartitionEpoch;
        isr = new TreeSet<>(newIsr);
        joining.removeAll(isr);
        assign(replicas, nowNanos);
        return advance();
    }

    /// The controller took our proposal: the ISR is this. The replicas stay as they are. Returns the
    /// high watermark.
    public long onProposalAccepted(int newPartitionEpoch, List<Integer> newIsr, long nowNanos) {
        var replicas = new ArrayList<>(followers.keySet());
        replicas.add(localId);
        return onRegistration(newPartitionEpoch, replicas, newIsr, nowNanos);
    }

    private void assign(List<Integer> replicas, long nowNanos) {
        replicaCount = replicas.size();
        followers.keySet().retainAll(replicas);
        joining.retainAll(replicas);
        for (int replica : replicas) {
            if (replica != localId) {
                followers.computeIfAbsent(replica, id -> FollowerPosition.unknown(id, isr.contains(id), nowNanos));
            }
        }
        positions = followers.values().toArray(FollowerPosition[]::new);
        count();
    }

    private boolean isCounted(int broker) {
        return isr.contains(broker) || (proposed != null && proposed.contains(broker)) || joining.contains(broker);
    }

    /// To be called when somebody else may be in one of the three sets.
    private void count() {
        for (FollowerPosition position : positions) {
            position.counts = isCounted(position.brokerId());
        }
    }

    private long advance() {
        if (isr.size() < neededInSync()) {
            return highWatermark;
        }
        long smallest = Math.min(logEndOffset, durableEnd);
        for (FollowerPosition position : positions) {
            if (position.counts) {
                smallest = Math.min(smallest, position.logEndOffset());
            }
        }
        highWatermark = Math.max(highWatermark, smallest);
        return highWatermark;
    }
}
