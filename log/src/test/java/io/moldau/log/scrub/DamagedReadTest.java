package io.moldau.log.scrub;

import static org.assertj.core.api.Assertions.assertThat;

import io.moldau.testing.Seeds;
import java.util.Random;

class DamagedReadTest {

    private static final long LONG_AFTER_MS = 3 * 3_600_000L;

    @Seeds(count = 600)
    void noReaderGetsABatchThatWasChanged(long seed) {
        var random = new Random(seed);
        var damaged = DamagedLog.contiguous(random);
        damaged.restart();
        damaged.log().open();
        if (random.nextBoolean()) {
            // Checked once, but long ago.
            assertThat(damaged.refused()).isEmpty();
            damaged.time.advanceMillis(LONG_AFTER_MS);
        }
        String where = damaged.flip();
        var refused = damaged.refused();
        assertThat(refused).as(where).hasSizeBetween(1, 4);
        // What is refused is refused again, whatever was read in between.
        assertThat(damaged.refused()).as(where).isEqualTo(refused);
        assertThat(damaged.log().damages()).hasSize(1);
    }

    @Seeds(count = 20)
    void whatThisProcessWroteIsServedWithoutALook(long seed) {
        var damaged = DamagedLog.contiguous(new Random(seed));
        assertThat(damaged.refused()).isEmpty();
        damaged.time.advanceMillis(LONG_AFTER_MS);
        damaged.flip();
        assertThat(damaged.refused()).isNotEmpty();
    }
}
