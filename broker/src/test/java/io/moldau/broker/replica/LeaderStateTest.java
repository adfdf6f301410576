package io.moldau.broker.replica;

import static org.assertj.core.api.Assertions.assertThat;

import io.moldau.broker.replica.LeaderState.IsrProposal;
import io.moldau.testing.Seeds;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

class LeaderStateTest {

    private static LeaderState leader(List<Integer> replicas, List<Integer> isr, long end, long highWatermark) {
        return new LeaderState(1, 7, 3, replicas, isr, end, highWatermark, 0);
    }

    private static long caughtUp(LeaderState state, int follower) {
        return Objects.requireNonNull(state.follower(follower)).lastCaughtUpNanos();
    }

    @Test
    void aloneInTheIsrEverythingIsCommitted() {
        var state = leader(List.of(1), List.of(1), 10, 4);
        assertThat(state.highWatermark()).isEqualTo(10);
        assertThat(state.onLocalAppend(15)).isEqualTo(15);
    }

    @Test
    void theSlowestInSyncReplicaDecides() {
        var state = leader(List.of(1, 2, 3), List.of(1, 2, 3), 10, 4);
        assertThat(state.highWatermark()).isEqualTo(4);
        assertThat(state.onFollowerFetch(2, 10, 1)).isEqualTo(4);
        assertThat(state.onFollowerFetch(3, 8, 1)).isEqualTo(8);
    }

    @Test
    void aReplicaOutsideTheIsrIsNotWaitedFor() {
        var state = leader(List.of(1, 2, 3), List.of(1, 2), 10, 0);
        assertThat(state.onFollowerFetch(2, 9, 1)).isEqualTo(9);
    }

    @Test
    void aProposedMemberCountsBeforeTheControllerHasAgreed() {
        var state = leader(List.of(1, 2), List.of(1), 10, 10);
        state.onFollowerFetch(2, 10, 1);
        assertThat(state.proposeExpansion(2, 5)).isEqualTo(new IsrProposal(List.of(1, 2), 3));
        assertThat(state.maximalIsr()).containsExactly(1, 2);
        assertThat(state.isr()).containsExactly(1);
        assertThat(state.onLocalAppend(12)).isEqualTo(10);
        assertThat(state.onProposalRejected()).isEqualTo(12);
    }

    @Test
    void aMemberProposedToLeaveCountsUntilTheControllerHasAgreed() {
        var state = leader(List.of(1, 2), List.of(1, 2), 10, 5);
        state.onFollowerFetch(2, 5, 1);
        assertThat(state.proposeShrink(100, 10)).isEqualTo(new IsrProposal(List.of(1), 3));
        assertThat(state.onLocalAppend(11)).isEqualTo(5);
        assertThat(state.onRegistration(4, List.of(1, 2), List.of(1), 101)).isEqualTo(11);
    }

    @Test
    void whoReachesTheLeadersPreviousEndStaysInSync() {
        var state = leader(List.of(1, 2), List.of(1, 2), 10, 5);
        state.onFollowerFetch(2, 5, 0);
        state.onLocalAppend(20);
        state.onFollowerFetch(2, 10, 50); // had at 50 what the leader had at 0
        assertThat(caughtUp(state, 2)).isZero();
        state.onLocalAppend(30);
        state.onFollowerFetch(2, 20, 100);
        assertThat(caughtUp(state, 2)).isEqualTo(50);
        assertThat(state.proposeShrink(105, 60)).isNull();
        assertThat(state.proposeShrink(120, 60)).isNotNull();
    }

    @Test
    void aFollowerBehindTheEpochsStartMayNotJoin() {
        var state = leader(List.of(1, 2), List.of(1), 10, 10);
        state.onFollowerFetch(2, 10, 1);
        assertThat(state.proposeExpansion(2, 11)).isNull();
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
        var state = leader(List.of(1, 2, 3), List.of(1, 2), 10, 5);
        assertThat(state.hasInSync(2)).isTrue();
        assertThat(state.hasInSync(3)).isFalse();
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
                case 0 -> state.onLocalAppend(end += random.nextInt(5));
                case 1, 2, 3 -> {
                    int follower = 2 + random.nextInt(3);
                    long at = Math.min(end, ends.getOrDefault(follower, 0L) + random.nextInt(8));
                    ends.put(follower, at);
                    state.onFollowerFetch(follower, at, now);
                    IsrProposal proposal = state.proposeExpansion(follower, 0);
                    if (proposal != null) {
                        assertThat(proposed).isNull();
                        proposed = new TreeSet<>(proposal.isr());
                    }
                }
                case 4 -> {
                    IsrProposal proposal = state.proposeShrink(now, 20);
                    if (proposal != null) {
                        assertThat(proposed).isNull();
                        proposed = new TreeSet<>(proposal.isr());
                    }
                }
                default -> {
                    if (proposed != null && random.nextBoolean()) {
                        isr = proposed;
                        state.onRegistration(++epoch, replicas, List.copyOf(isr), now);
                    } else {
                        state.onProposalRejected();
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
