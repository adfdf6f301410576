package io.moldau.common.time;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class RepeatsTest {

    private static final long SECOND = 1_000_000_000L;

    @Test
    void theIntervalsDouble() {
        var repeats = new Repeats();
        var told = new ArrayList<Integer>();
        for (int i = 1; i <= 100; i++) {
            if (repeats.next(i * SECOND)) {
                told.add(repeats.count());
            }
        }
        assertThat(told).containsExactlyElementsOf(List.of(1, 2, 4, 8, 16, 32, 64));
    }

    @Test
    void afterAQuietMinuteTheFirstIsToldAgain() {
        var repeats = new Repeats();
        for (int i = 0; i < 3; i++) {
            repeats.next(-i);
        }
        assertThat(repeats.next(59 * SECOND)).isTrue();
        assertThat(repeats.next(118 * SECOND)).isFalse();
        assertThat(repeats.next(179 * SECOND)).isTrue();
        assertThat(repeats.count()).isEqualTo(1);
    }
}
