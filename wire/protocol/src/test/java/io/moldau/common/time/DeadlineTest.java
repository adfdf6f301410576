package io.moldau.common.time;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class DeadlineTest {

    @Test
    void isReachedAcrossTheWrapOfTheClock() {
        long now = Long.MAX_VALUE - 5;
        Deadline deadline = Deadline.afterNanos(now, 10);
        assertThat(deadline.nanos()).isNegative();
        assertThat(deadline.hasPassed(now)).isFalse();
        assertThat(deadline.remainingNanos(now)).isEqualTo(10);
        assertThat(deadline.hasPassed(now + 9)).isFalse();
        assertThat(deadline.hasPassed(now + 10)).isTrue();
        assertThat(deadline.remainingNanos(now + 11)).isZero();
        assertThat(deadline.earlier(Deadline.afterNanos(now, 3))).isEqualTo(Deadline.afterNanos(now, 3));
        assertThat(deadline.earlier(Deadline.afterNanos(now, 30))).isEqualTo(deadline);
    }

    @Test
    void anEndlessDelayIsCutToWhatCanBeTold() {
        for (long now : new long[] {0, Long.MAX_VALUE, Long.MIN_VALUE, -7}) {
            Deadline deadline = Deadline.afterMillis(now, Long.MAX_VALUE);
            assertThat(deadline.hasPassed(now)).isFalse();
            assertThat(deadline.remainingNanos(now)).isEqualTo(1L << 62);
        }
    }

    @Test
    void millisecondsRoundUp() {
        assertThat(Deadline.afterNanos(0, 1).remainingMillis(0)).isEqualTo(1);
        assertThat(Deadline.afterMillis(0, 3).remainingMillis(0)).isEqualTo(3);
        assertThat(Deadline.afterMillis(0, -3).remainingMillis(0)).isZero();
    }
}
