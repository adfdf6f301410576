package io.moldau.broker.replica.fetch;

import static org.assertj.core.api.Assertions.assertThat;

import io.moldau.broker.replica.FollowerOutcome;
import io.moldau.broker.replica.fetch.FetcherState.BackOff;
import io.moldau.broker.replica.fetch.FetcherState.Effect;
import io.moldau.broker.replica.fetch.FetcherState.Phase;
import io.moldau.broker.replica.fetch.FetcherState.Step;
import io.moldau.common.Errors;
import io.moldau.log.epoch.LeaderEpochHistory;
import io.moldau.log.epoch.LeaderEpochHistory.Entry;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/// The follower's decisions, one by one.
class FetcherStateTest {

    private static final BackOff BACK_OFF = new BackOff(20, 1000);

    /// A log that ends at 30 and was written in the epochs 1 (from 0), 3 (from 10) and 5 (from 20).
    private static final LeaderEpochHistory LOCAL =
            LeaderEpochHistory.of(List.of(new Entry(1, 0), new Entry(3, 10), new Entry(5, 20)));

    private static final FetcherState AT_30 = FetcherState.begin(7, 30, 5);

    private static Step on(LeaderAnswer answer) {
        return AT_30.on(answer, LOCAL, BACK_OFF, 500);
    }

    @Test
    void batchesAreAppended() {
        Step step = on(new LeaderAnswer.Batches(28, 3));
        assertThat(step.effect()).isEqualTo(new Effect.Append(28, 3));
        assertThat(step.next().phase()).isEqualTo(Phase.APPLYING);
        FetcherState after = step.next().applied(new FollowerOutcome.Position(35, 7), BACK_OFF, 501);
        assertThat(after).isEqualTo(FetcherState.begin(7, 35, 7));
    }

    /// The leader's epoch and its end; where the follower has to cut.
    @ParameterizedTest
    @CsvSource({
        // the leader has the follower's last epoch, and it ended earlier there
        "5, 24, 24",
        // the leader does not have it; the one before ended where it ends here, later, or earlier
        "3, 20, 20",
        "3, 40, 20",
        "3, 15, 15",
        // an epoch the follower never saw: what it has of older ones is common at most
        "4, 25, 20",
        "4, 17, 17",
        "2, 12, 10",
        // older than everything here
        "0, 8, 0",
    })
    void theLogIsCutWhereTheEpochsPart(int epoch, long endOffset, long cutAt) {
        Step step = on(new LeaderAnswer.Diverging(epoch, endOffset));
        assertThat(step.effect()).isEqualTo(new Effect.TruncateTo(cutAt));
        assertThat(step.next().phase()).isEqualTo(Phase.APPLYING);
    }

    @Test
    void aLogWithoutEpochsIsCutWhereTheLeadersEnds() {
        Step step = FetcherState.begin(7, 30, 5)
                .on(new LeaderAnswer.Diverging(5, 24), LeaderEpochHistory.EMPTY, BACK_OFF, 0);
        assertThat(step.effect()).isEqualTo(new Effect.TruncateTo(24));
    }

    @Test
    void afterACutTheLastEpochIsThatOfWhatIsLeft() {
        Step step = on(new LeaderAnswer.Diverging(3, 15));
        FetcherState after = step.next().applied(new FollowerOutcome.Position(15, 3), BACK_OFF, 501);
        assertThat(after).isEqualTo(FetcherState.begin(7, 15, 3));
    }

    @Test
    void outOfRangeStartsAgainWhereTheLeaderBegins() {
        assertThat(on(new LeaderAnswer.OutOfRange(100)).effect()).isEqualTo(new Effect.StartAgainAt(100));
        Step unsaid = on(new LeaderAnswer.OutOfRange(-1));
        assertThat(unsaid.effect()).isNull();
        assertThat(unsaid.next().phase()).isEqualTo(Phase.BACKING_OFF);
    }

    @ParameterizedTest
    @EnumSource(
            value = Errors.class,
            names = {
                "UNKNOWN_LEADER_EPOCH",
                "NOT_LEADER_OR_FOLLOWER",
                "UNKNOWN_TOPIC_ID",
                "UNKNOWN_TOPIC_OR_PARTITION",
                "INCONSISTENT_TOPIC_ID",
                "KAFKA_STORAGE_ERROR",
                "UNKNOWN_SERVER_ERROR"
            })
    void whatMayPassIsAskedAgainLater(Errors error) {
        Step step = on(new LeaderAnswer.Failed(error));
        assertThat(step.effect()).isNull();
        FetcherState waiting = step.next();
        assertThat(waiting.phase()).isEqualTo(Phase.BACKING_OFF);
        assertThat(waiting.onTime(519)).isEqualTo(waiting);
        FetcherState again = waiting.onTime(520);
        assertThat(again.phase()).isEqualTo(Phase.FETCHING);
        assertThat(again.fetchOffset()).isEqualTo(30);
        assertThat(again.lastFetchedEpoch()).isEqualTo(5);
    }

    @Test
    void aFencedFollowerWaitsForMetadata() {
        Step step = on(new LeaderAnswer.Failed(Errors.FENCED_LEADER_EPOCH));
        assertThat(step.next().phase()).isEqualTo(Phase.AWAITING_METADATA);
        assertThat(step.next().onTime(Long.MAX_VALUE / 2)).isEqualTo(step.next());
        assertThat(AT_30.applied(new FollowerOutcome.Superseded(), BACK_OFF, 0).phase())
                .isEqualTo(Phase.AWAITING_METADATA);
    }

    @Test
    void pausesGrowAndASuccessEndsThem() {
        FetcherState state = AT_30;
        var pauses = new ArrayList<Long>();
        for (int i = 0; i < 9; i++) {
            state = state.on(new LeaderAnswer.Failed(Errors.NOT_LEADER_OR_FOLLOWER), LOCAL, BACK_OFF, 0)
                    .next();
            pauses.add(state.retryNanos());
            state = state.onTime(state.retryNanos());
        }
        assertThat(pauses).containsExactly(20L, 40L, 80L, 160L, 320L, 640L, 1000L, 1000L, 1000L);
        FetcherState fine = state.on(new LeaderAnswer.Batches(30, 0), LOCAL, BACK_OFF, 0)
                .next()
                .applied(new FollowerOutcome.Position(30, 5), BACK_OFF, 0);
        assertThat(fine.failures()).isZero();
    }

    @Test
    void aDiskThatFailedStopsThisPartitionForGood() {
        FetcherState state = AT_30.applied(new FollowerOutcome.Failed(Errors.KAFKA_STORAGE_ERROR, "disk"), BACK_OFF, 0);
        assertThat(state.phase()).isEqualTo(Phase.FAILED);
        assertThat(state.onTime(1L << 40)).isEqualTo(state);
        assertThat(AT_30.applied(new FollowerOutcome.Failed(Errors.CORRUPT_MESSAGE, "crc"), BACK_OFF, 0)
                        .phase())
                .isEqualTo(Phase.BACKING_OFF);
    }

    /// Two logs of random histories: the rounds of asking and cutting end where the logs really part, and
    /// cut nothing
    /// that both have.
    @io.moldau.testing.Seeds(count = 200)
    void roundsOfCuttingFindThePlaceWhereTwoLogsPart(long seed) {
        var random = new Random(seed);
        // A log is the epoch of each offset. Both share a prefix; each then has epochs that are its own.
        var shared = new ArrayList<Integer>();
        int epoch = 0;
        for (int i = random.nextInt(20); i > 0; i--) {
            epoch += random.nextInt(3) == 0 ? 1 + random.nextInt(2) : 0;
            shared.add(epoch);
        }
        var leader = new ArrayList<>(shared);
        var follower = new ArrayList<>(shared);
        int at = epoch;
        for (int i = random.nextInt(10); i > 0; i--) {
            at += 1 + random.nextInt(2);
            boolean mine = random.nextBoolean();
            for (int records = random.nextInt(4); records > 0; records--) {
                (mine ? leader : follower).add(at);
            }
        }
        int expected = 0;
        while (expected < Math.min(leader.size(), follower.size())
                && leader.get(expected).equals(follower.get(expected))) {
            expected++;
        }
        LeaderEpochHistory leaders = history(leader).assign(at + 1, leader.size());
        for (int round = 0; round < 100; round++) {
            LeaderEpochHistory own = history(follower);
            if (own.latestEpoch() < 0) {
                break;
            }
            var end = leaders.endOffsetFor(own.latestEpoch(), leader.size());
            assertThat(end.offset()).isGreaterThanOrEqualTo(0);
            if (end.leaderEpoch() >= own.latestEpoch() && end.offset() >= follower.size()) {
                break;
            }
            Step step = FetcherState.begin(at + 1, follower.size(), own.latestEpoch())
                    .on(new LeaderAnswer.Diverging(end.leaderEpoch(), end.offset()), own, BACK_OFF, 0);
            long cut = ((Effect.TruncateTo) Objects.requireNonNull(step.effect())).offset();
            assertThat(cut).isLessThan(follower.size());
            follower.subList((int) cut, follower.size()).clear();
        }
        assertThat(follower).isEqualTo(shared.size() <= expected ? leader.subList(0, expected) : shared);
        assertThat(follower).hasSize(expected);
    }

    private static LeaderEpochHistory history(List<Integer> epochs) {
        LeaderEpochHistory history = LeaderEpochHistory.EMPTY;
        for (int i = 0; i < epochs.size(); i++) {
            history = history.assign(epochs.get(i), i);
        }
        return history;
    }
}
