package io.moldau.testing;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Random;
import org.junit.jupiter.api.TestInfo;

class SeedsTest {

    @Seeds(count = 3)
    void theSeedIsInTheNameAndAlwaysTheSame(TestInfo test, long seed) {
        assertThat(test.getDisplayName()).isEqualTo("seed " + seed);
        assertThat(new Random(seed).nextLong()).isEqualTo(new Random(seed).nextLong());
    }
}
