package io.moldau.log.space;

import static org.assertj.core.api.Assertions.assertThat;

import io.moldau.testing.Seeds;
import java.util.Random;
import org.junit.jupiter.api.Test;

class SpaceMarksTest {

    private static final long MIB = 1 << 20;

    @Test
    void theMarksSuitSmallVolumesAndLargeOnes() {
        assertThat(SpaceMarks.of(-1, -1, -1, 120 * MIB)).isEqualTo(new SpaceMarks(12 * MIB, 6 * MIB, 120 * MIB / 32));
        assertThat(SpaceMarks.of(-1, -1, -1, 4L << 40)).isEqualTo(new SpaceMarks(5L << 30, 1L << 30, 8 * MIB));
        assertThat(SpaceMarks.of(0, 0, 0, 4L << 40)).isEqualTo(SpaceMarks.NONE);
        // Not below the other one.
        assertThat(SpaceMarks.of(5, 70, 1, 1000)).isEqualTo(new SpaceMarks(70, 70, 1));
        assertThat(SpaceMarks.of(-1, -1, -1, 0)).isEqualTo(SpaceMarks.NONE);
    }

    @Test
    void aLevelIsLeftWhenHalfAsMuchAgainIsFree() {
        var marks = new SpaceMarks(100, 40, 0);
        assertThat(marks.next(SpaceLevel.AMPLE, 100)).isEqualTo(SpaceLevel.AMPLE);
        assertThat(marks.next(SpaceLevel.AMPLE, 99)).isEqualTo(SpaceLevel.SHORT);
        assertThat(marks.next(SpaceLevel.SHORT, 149)).isEqualTo(SpaceLevel.SHORT);
        assertThat(marks.next(SpaceLevel.SHORT, 150)).isEqualTo(SpaceLevel.AMPLE);
        assertThat(marks.next(SpaceLevel.SHORT, 39)).isEqualTo(SpaceLevel.FULL);
        assertThat(marks.next(SpaceLevel.FULL, 59)).isEqualTo(SpaceLevel.FULL);
        assertThat(marks.next(SpaceLevel.FULL, 60)).isEqualTo(SpaceLevel.SHORT);
        assertThat(marks.next(SpaceLevel.FULL, 150)).isEqualTo(SpaceLevel.AMPLE);
    }

    @Seeds(count = 50)
    void neitherLessSpaceNorAWorsePastMakesItBetter(long seed) {
        var random = new Random(seed);
        long full = random.nextLong(1_000);
        var marks = new SpaceMarks(full + random.nextLong(1_000), full, 0);
        for (int i = 0; i < 200; i++) {
            long free = random.nextLong(4_000);
            long less = random.nextLong(free + 1);
            for (var before : SpaceLevel.values()) {
                assertThat(marks.next(before, less)).isGreaterThanOrEqualTo(marks.next(before, free));
                assertThat(marks.next(SpaceLevel.FULL, free)).isGreaterThanOrEqualTo(marks.next(before, free));
                // It rests where it is as long as nothing changes.
                var level = marks.next(before, free);
                assertThat(marks.next(level, free)).isEqualTo(level);
            }
        }
    }
}
