package io.moldau.log.clean;

import static org.assertj.core.api.Assertions.assertThat;

import io.moldau.log.clean.CleaningPolicy.Verdict;
import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.Test;

class CleaningPolicyTest {

    private static final long NOW = 1_000_000;

    private record Seen(long baseOffset, long sizeInBytes, long newestMs) implements CleaningPolicy.Segment {
        @Override
        public long firstMs() {
            return newestMs - 10;
        }
    }

    // The last one is the active segment.
    private static final List<Seen> SEGMENTS = List.of(
            new Seen(0, 100, NOW - 900),
            new Seen(10, 50, NOW - 500),
            new Seen(20, 30, NOW - 100),
            new Seen(30, 70, NOW));

    private static Verdict look(CleaningPolicy policy, long cleanedUpTo, long logStart, long lastStable) {
        try {
            return policy.look(SEGMENTS, cleanedUpTo, logStart, 40, lastStable, NOW);
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    private static final CleaningPolicy HALF = new CleaningPolicy(0.5, 0, Long.MAX_VALUE);

    @Test
    void neverTakesTheActiveSegment() {
        assertThat(look(HALF, -1, 0, 40)).isEqualTo(new Verdict(0, 30, 0, 180, true));
    }

    @Test
    void waitsUntilEnoughIsNew() {
        assertThat(look(HALF, 10, 0, 40)).isEqualTo(new Verdict(10, 30, 100, 80, false));
        assertThat(look(new CleaningPolicy(0.4, 0, Long.MAX_VALUE), 10, 0, 40).due())
                .isTrue();
        assertThat(look(HALF, 30, 0, 40).dirtyBytes()).isZero();
        assertThat(look(new CleaningPolicy(0, 0, Long.MAX_VALUE), 30, 0, 40).due())
                .isFalse();
    }

    @Test
    void endsBeforeWhatMayStillBeAborted() {
        assertThat(look(HALF, -1, 0, 29)).isEqualTo(new Verdict(0, 20, 0, 150, true));
        assertThat(look(HALF, -1, 0, 20)).isEqualTo(new Verdict(0, 20, 0, 150, true));
        assertThat(look(HALF, -1, 0, 9).due()).isFalse();
    }

    @Test
    void leavesYoungRecordsAlone() {
        assertThat(look(new CleaningPolicy(0.5, 300, Long.MAX_VALUE), -1, 0, 40))
                .isEqualTo(new Verdict(0, 20, 0, 150, true));
        assertThat(look(new CleaningPolicy(0.5, 2_000, Long.MAX_VALUE), -1, 0, 40)
                        .due())
                .isFalse();
    }

    @Test
    void oldRecordsAreDueWhateverTheirShare() {
        assertThat(look(new CleaningPolicy(0.9, 0, 600), 10, 0, 40).due()).isFalse();
        assertThat(look(new CleaningPolicy(0.9, 0, 500), 10, 0, 40).due()).isTrue();
        // Those of the first segment have been looked at.
        assertThat(look(new CleaningPolicy(0.9, 0, 500), 20, 0, 40).due()).isFalse();
    }

    @Test
    void doesNotBelieveAnOffsetOutsideOfTheLog() {
        assertThat(look(HALF, 41, 0, 40).firstDirty()).isZero();
        assertThat(look(HALF, 3, 12, 40).firstDirty()).isEqualTo(12);
        assertThat(look(HALF, 15, 12, 40)).isEqualTo(new Verdict(15, 30, 100, 80, false));
    }
}
