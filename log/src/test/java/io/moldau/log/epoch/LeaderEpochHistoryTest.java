package io.moldau.log.epoch;

import static org.assertj.core.api.Assertions.assertThat;

import io.moldau.common.OffsetAndEpoch;
import io.moldau.log.epoch.LeaderEpochHistory.Entry;
import io.moldau.testing.Seeds;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class LeaderEpochHistoryTest {

    private final LeaderEpochHistory history =
            LeaderEpochHistory.of(List.of(new Entry(2, 10), new Entry(5, 30), new Entry(6, 40)));

    @Test
    void tellsWhereAnEpochEnds() {
        assertThat(history.endOffsetFor(6, 50)).isEqualTo(new OffsetAndEpoch(50, 6));
        assertThat(history.endOffsetFor(5, 50)).isEqualTo(new OffsetAndEpoch(40, 5));
        // An epoch without records ends where the next one begins, and the one before it is the answer.
        assertThat(history.endOffsetFor(3, 50)).isEqualTo(new OffsetAndEpoch(30, 2));
        assertThat(history.endOffsetFor(1, 50)).isEqualTo(new OffsetAndEpoch(10, 1));
        assertThat(history.endOffsetFor(7, 50)).isEqualTo(LeaderEpochHistory.UNDEFINED);
        assertThat(history.endOffsetFor(-1, 50)).isEqualTo(LeaderEpochHistory.UNDEFINED);
        assertThat(LeaderEpochHistory.EMPTY.endOffsetFor(0, 50)).isEqualTo(LeaderEpochHistory.UNDEFINED);
    }

    @Test
    void tellsTheEpochOfAnOffset() {
        assertThat(history.epochForOffset(9)).isEqualTo(-1);
        assertThat(history.epochForOffset(10)).isEqualTo(2);
        assertThat(history.epochForOffset(39)).isEqualTo(5);
        assertThat(history.epochForOffset(1000)).isEqualTo(6);
        assertThat(history.startOffsetOf(5)).isEqualTo(30);
        assertThat(history.startOffsetOf(4)).isEqualTo(-1);
    }

    @Test
    void dropsWhatContradictsANewEntry() {
        assertThat(history.assign(6, 45)).isSameAs(history);
        assertThat(history.assign(6, 35).entries())
                .containsExactly(new Entry(2, 10), new Entry(5, 30), new Entry(6, 35));
        assertThat(history.assign(7, 30).entries()).containsExactly(new Entry(2, 10), new Entry(7, 30));
        assertThat(history.assign(3, 60).entries()).containsExactly(new Entry(2, 10), new Entry(3, 60));
    }

    @Test
    void followsTheLogsEnds() {
        assertThat(history.truncateFromEnd(40).entries()).containsExactly(new Entry(2, 10), new Entry(5, 30));
        assertThat(history.truncateFromEnd(41)).isSameAs(history);
        assertThat(history.truncateFromStart(35).entries()).containsExactly(new Entry(5, 35), new Entry(6, 40));
        assertThat(history.truncateFromStart(40).entries()).containsExactly(new Entry(6, 40));
        assertThat(history.truncateFromStart(5)).isSameAs(history);
    }

    /// Beside a list with one epoch for each offset.
    @Seeds(count = 50)
    void agreesWithAListOfEpochs(long seed) {
        var random = new Random(seed);
        var epochs = new ArrayList<Integer>();
        long start = 0;
        var tested = LeaderEpochHistory.EMPTY;
        int epoch = 0;
        for (int step = 0; step < 60; step++) {
            switch (random.nextInt(6)) {
                case 0 -> epoch += random.nextInt(3);
                case 1 -> {
                    int keep = (int) start + random.nextInt(epochs.size() - (int) start + 1);
                    epochs.subList(keep, epochs.size()).clear();
                    tested = tested.truncateFromEnd(keep);
                }
                case 2 -> {
                    start += random.nextInt(epochs.size() - (int) start + 1);
                    tested = tested.truncateFromStart(start);
                }
                default -> {
                    tested = tested.assign(epoch, epochs.size());
                    epochs.add(epoch);
                }
            }
            for (int offset = (int) start; offset < epochs.size(); offset++) {
                assertThat(tested.epochForOffset(offset)).isEqualTo(epochs.get(offset));
            }
            if (epochs.size() > start) {
                int asked = epochs.get((int) start + random.nextInt(epochs.size() - (int) start));
                assertThat(tested.endOffsetFor(asked, epochs.size()))
                        .isEqualTo(new OffsetAndEpoch(epochs.lastIndexOf(asked) + 1, asked));
            }
            assertThat(LeaderEpochCheckpoint.parse(LeaderEpochCheckpoint.format(tested)))
                    .contains(tested);
        }
    }

    @Test
    void readsKafkasTextAndNothingElse() {
        assertThat(parse("0\n2\n3 0\n5 170\n"))
                .contains(LeaderEpochHistory.of(List.of(new Entry(3, 0), new Entry(5, 170))));
        for (var damaged : List.of(
                "", "0\n", "1\n0\n", "0\n1\n", "0\n1\n3\n", "0\n1\n3 x\n", "0\n2\n5 1\n3 2\n", "0\n2\n3 5\n5 5\n")) {
            assertThat(parse(damaged)).as(damaged).isEmpty();
        }
    }

    private static java.util.Optional<LeaderEpochHistory> parse(String text) {
        return LeaderEpochCheckpoint.parse(text.getBytes(StandardCharsets.UTF_8));
    }
}
