package io.moldau.broker.replica;

import static org.assertj.core.api.Assertions.assertThat;

import io.moldau.broker.replica.LeaderState.IsrProposal;
import io.moldau.broker.replica.LeaderState.Member;
import io.moldau.testing.Seeds;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class LeaderStateTest {

    private static final long LAG = 20;

    private static LeaderState leader(List<Integer> replicas, List<Integer> isr, long end, long highWatermark) {
        return leader(replicas, isr, 1, end, highWatermark);
    }

    private static LeaderState leader(
            List<Integer> replicas, List<Integer> isr, int minInsyncReplicas, long end, long highWatermark) {
        return new LeaderState(
                1, 7, 3, replicas, isr, minInsyncReplicas, end, LeaderState.NEED_NOT_BE_FORCED, highWatermark, 0);
    }

    private static final LeaderState.Eligibility ALL = (broker, epoch) -> true;

    private static long fetch(LeaderState state, int broker, long offset, long now) {
        return state.onFollowerFetch(broker, offset, 0, 100 + broker, now, LAG, ALL);
    }

    /// The proposed members, or null.
    private static @Nullable List<Integer> ids(@Nullable IsrProposal proposal) {
        return proposal == null ? null : proposal.brokerIds();
    }

    private static long caughtUp(LeaderState state, int follower) {
        return Objects.requireNonNull(state.follower(follower)).lastCaughtUpNanos();
    }

    @Test
    void aloneInTheIsrEverythingIsCommitted() {
        var state = leader(List.of(1), List.of(1), 10, 4);
        assertThat(state.highWatermark()).isEqualTo(10);
        assertThat(state.onLocalAppend(15, 0)).isEqualTo(15);
    }

    /// `moldau.durability=flushed`: what this replica only has in memory does not count.
    @Test
    void countsOfItsOwnLogWhatIsForced() {
        var state = new LeaderState(1, 7, 3, List.of(1, 2), List.of(1, 2), 1, 10, 6, 4, 0);
        assertThat(state.highWatermark()).isEqualTo(4); // the follower has not fetched
        assertThat(fetch(state, 2, 10, 1)).isEqualTo(6);
        assertThat(state.onDurable(8)).isEqualTo(8);
        assertThat(state.onLocalAppend(15, 2)).isEqualTo(8);
        assertThat(state.onDurable(15)).isEqualTo(10); // what the follower has forced
        assertThat(fetch(state, 2, 15, 3)).isEqualTo(15);
        state.onLocalAppend(20, 4);
        fetch(state, 2, 20, 5);
        assertThat(state.onDurable(LeaderState.NEED_NOT_BE_FORCED)).isEqualTo(20);
    }

    @Test
    void theLowWatermarkIsTheEarliestStartOfThoseThatAreUp() {
        var state = leader(List.of(1, 2, 3), List.of(1, 2), 10, 10);
        assertThat(state.lowWatermark(5, ALL)).isEqualTo(-1); // nobody has fetched
        state.onFollowerFetch(2, 10, 4, 102, 1, LAG, ALL);
        assertThat(state.lowWatermark(5, ALL)).isEqualTo(-1); // those that are not in sync count too
        assertThat(state.lowWatermark(5, without(3))).isEqualTo(4);
        state.onFollowerFetch(3, 8, 2, 103, 1, LAG, ALL);
        assertThat(state.lowWatermark(5, ALL)).isEqualTo(2);
        state.onFollowerFetch(3, 8, 9, 103, 2, LAG, ALL);
        state.onFollowerFetch(2, 10, 6, 102, 2, LAG, ALL);
        assertThat(state.lowWatermark(5, ALL)).isEqualTo(5); // its own
    }

    private static LeaderState.Eligibility without(int down) {
        return new LeaderState.Eligibility() {
            @Override
            public boolean isEligible(int brokerId, long brokerEpoch) {
                return true;
            }

            @Override
            public boolean isUp(int brokerId) {
                return brokerId != down;
            }
        };
    }

    @Test
    void theSlowestInSyncReplicaDecides() {
        var state = leader(List.of(1, 2, 3), List.of(1, 2, 3), 10, 4);
        assertThat(state.highWatermark()).isEqualTo(4);
        assertThat(fetch(state, 2, 10, 1)).isEqualTo(4);
        assertThat(fetch(state, 3, 8, 1)).isEqualTo(8);
    }

    @Test
    void aReplicaOutsideTheIsrIsNotWaitedFor() {
        var state = leader(List.of(1, 2, 3), List.of(1, 2), 10, 0);
        assertThat(fetch(state, 2, 9, 1)).isEqualTo(9);
    }

    @Test
    void aProposedMemberCountsBeforeTheControllerHasAgreed() {
        var state = leader(List.of(1, 2), List.of(1), 10, 10);
        fetch(state, 2, 10, 1);
        assertThat(state.proposeExpansion(2, ALL))
                .isEqualTo(new IsrProposal(List.of(new Member(1, -1), new Member(2, 102)), 7, 3));
        assertThat(state.maximalIsr()).containsExactly(1, 2);
        assertThat(state.isr()).containsExactly(1);
        assertThat(state.onLocalAppend(12, 0)).isEqualTo(10);
        assertThat(state.onProposalRejected(state.partitionEpoch())).isEqualTo(12);
    }

    @Test
    void aMemberProposedToLeaveCountsUntilTheControllerHasAgreed() {
        var state = leader(List.of(1, 2), List.of(1, 2), 10, 5);
        fetch(state, 2, 5, 1);
        assertThat(ids(state.proposeShrink(100, 10))).containsExactly(1);
        assertThat(state.onLocalAppend(11, 0)).isEqualTo(5);
        assertThat(state.onRegistration(4, List.of(1, 2), List.of(1), 101)).isEqualTo(11);
    }

    @Test
    void whoReachesTheLeadersPreviousEndStaysInSync() {
        var state = leader(List.of(1, 2), List.of(1, 2), 10, 5);
        fetch(state, 2, 5, 0);
        state.onLocalAppend(20, 0);
        fetch(state, 2, 10, 50); // had at 50 what the leader had at 0
        assertThat(caughtUp(state, 2)).isZero();
        state.onLocalAppend(30, 0);
        fetch(state, 2, 20, 100);
        assertThat(caughtUp(state, 2)).isEqualTo(50);
        assertThat(state.proposeShrink(105, 60)).isNull();
        assertThat(state.proposeShrink(120, 60)).isNotNull();
    }

    @Test
    void aFollowerBehindTheEpochsStartMayNotJoin() {
        var state = leader(List.of(1, 2), List.of(1), 10, 10);
        fetch(state, 2, 10, 1);
        state.onLocalAppend(12, 1);
        var later = leader(List.of(1, 2), List.of(1), 12, 10);
        fetch(later, 2, 11, 2); // has what is committed, and not what the leader began with
        assertThat(later.proposeExpansion(2, ALL)).isNull();
        fetch(later, 2, 12, 3);
        assertThat(ids(later.proposeExpansion(2, ALL))).containsExactly(1, 2);
    }

    @Test
    void whoMayNotJoinIsNotProposed() {
        var state = leader(List.of(1, 2), List.of(1), 10, 10);
        fetch(state, 2, 10, 1);
        assertThat(state.proposeExpansion(2, (broker, epoch) -> epoch != 102)).isNull();
    }

    @Test
    void whoHasCaughtUpIsWaitedForBeforeItJoins() {
        var state = leader(List.of(1, 2), List.of(1), 10, 10);
        fetch(state, 2, 10, 1);
        assertThat(state.onLocalAppend(15, 2)).isEqualTo(10);
        assertThat(fetch(state, 2, 14, 3)).isEqualTo(14);
        // It lags for too long, or may not join after all: nobody waits for it.
        assertThat(state.onTick(10, LAG, ALL)).isEqualTo(14);
        assertThat(state.onTick(23, LAG, ALL)).isEqualTo(15);
        fetch(state, 2, 15, 24);
        assertThat(state.onLocalAppend(16, 25)).isEqualTo(15);
        assertThat(state.onTick(26, LAG, (broker, epoch) -> false)).isEqualTo(16);
    }

    @Test
    void belowTheMinimumNothingIsCommitted() {
        var state = leader(List.of(1, 2, 3), List.of(1, 2), 2, 10, 5);
        assertThat(fetch(state, 2, 10, 1)).isEqualTo(10);
        assertThat(state.onRegistration(4, List.of(1, 2, 3), List.of(1), 2)).isEqualTo(10);
        assertThat(state.hasEnoughInSync()).isFalse();
        assertThat(state.onLocalAppend(12, 3)).isEqualTo(10);
        assertThat(state.onMinInsyncReplicas(1)).isEqualTo(12);
    }

    @Test
    void moreThanThereAreReplicasCannotBeAskedFor() {
        var state = leader(List.of(1), List.of(1), 2, 10, 5);
        assertThat(state.hasEnoughInSync()).isTrue();
        assertThat(state.highWatermark()).isEqualTo(10);
    }

    @Test
    void anIdleFollowerWasCaughtUpUntilTheLeaderAppended() {
        var state = leader(List.of(1, 2), List.of(1, 2), 10, 5);
        fetch(state, 2, 10, 1);
        state.onLocalAppend(11, 1000);
        assertThat(state.proposeShrink(1000 + LAG, LAG)).isNull();
        assertThat(ids(state.proposeShrink(1001 + LAG, LAG))).containsExactly(1);
    }

    @Test
    void newsOfAnOlderPartitionEpochAreIgnored() {
        var state = leader(List.of(1, 2), List.of(1, 2), 10, 5);
        state.onRegistration(2, List.of(1), List.of(1), 1);
        assertThat(state.isr()).containsExactly(1, 2);
        assertThat(state.partitionEpoch()).isEqualTo(3);
    }

    @Test
    void tooFewInSync() {
        assertThat(leader(List.of(1, 2, 3), List.of(1, 2), 2, 10, 5).hasEnoughInSync())
                .isTrue();
        assertThat(leader(List.of(1, 2, 3), List.of(1, 2), 3, 10, 5).hasEnoughInSync())
                .isFalse();
    }

    /// The high watermark never falls, never passes a member of the committed or proposed ISR, and follows them.
    @Seeds(count = 40)
    void theHighWatermarkIsTheGreatestOffsetEverSafe(long seed) {
        var random = new Random(seed);
        List<Integer> replicas = List.of(1, 2, 3, 4);
        var isr = new TreeSet<>(List.of(1, 2, 3));
        TreeSet<Integer> proposed = null;
        Map<Integer, Long> ends = new HashMap<>();
        long end = 10;
        long expected = 2;
        int epoch = 3;
        var state = leader(replicas, List.copyOf(isr), end, expected);
        for (int step = 0; step < 300; step++) {
            long now = step;
            switch (random.nextInt(6)) {
                case 0 -> state.onLocalAppend(end += random.nextInt(5), now);
                case 1, 2, 3 -> {
                    int follower = 2 + random.nextInt(3);
                    long at = Math.min(end, ends.getOrDefault(follower, 0L) + random.nextInt(8));
                    ends.put(follower, at);
                    state.onFollowerFetch(follower, at, 0, 100 + follower, now, LAG, (broker, epoch1) -> false);
                    IsrProposal proposal = state.proposeExpansion(follower, ALL);
                    if (proposal != null) {
                        assertThat(proposed).isNull();
                        proposed = new TreeSet<>(proposal.brokerIds());
                    }
                }
                case 4 -> {
                    IsrProposal proposal = state.proposeShrink(now, 20);
                    if (proposal != null) {
                        assertThat(proposed).isNull();
                        proposed = new TreeSet<>(proposal.brokerIds());
                    }
                }
                default -> {
                    if (proposed != null && random.nextBoolean()) {
                        isr = proposed;
                        state.onRegistration(++epoch, replicas, List.copyOf(isr), now);
                    } else {
                        state.onProposalRejected(state.partitionEpoch());
                    }
                    proposed = null;
                }
            }
            var counted = new TreeSet<>(isr);
            if (proposed != null) {
                counted.addAll(proposed);
            }
            long smallest = end;
            for (int member : counted) {
                if (member != 1) {
                    smallest = Math.min(smallest, ends.getOrDefault(member, -1L));
                }
            }
            expected = Math.max(expected, smallest);
            assertThat(state.highWatermark()).isEqualTo(expected);
            assertThat(state.maximalIsr()).containsExactlyElementsOf(counted);
        }
    }
}
