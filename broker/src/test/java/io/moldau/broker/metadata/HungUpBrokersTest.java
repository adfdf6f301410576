package io.moldau.broker.metadata;

import static org.assertj.core.api.Assertions.assertThat;

import io.moldau.broker.api.TestMetadata;
import io.moldau.metadata.image.MetadataImage;
import io.moldau.testing.MockTime;
import org.junit.jupiter.api.Test;

class HungUpBrokersTest {

    private final TestMetadata metadata = TestMetadata.oneBroker();
    private final MockTime time = new MockTime(0, 0);
    private final HungUpBrokers hungUp = new HungUpBrokers(metadata.cache()::image, time);

    private MetadataImage image() {
        return metadata.cache().image();
    }

    private void pass(long nanos) {
        time.advanceNanos(nanos);
    }

    @Test
    void aBrokerThatHungUpIsHeldBackForALimitedTime() {
        hungUp.hungUp(1);
        assertThat(hungUp.in(image())).containsExactly(1);
        pass(HungUpBrokers.HOLD_NANOS - 1);
        hungUp.hungUp(1); // known: does not prolong it
        assertThat(hungUp.in(image())).containsExactly(1);
        pass(1);
        assertThat(hungUp.in(image())).isEmpty();
    }

    @Test
    void anAnswerClearsIt() {
        hungUp.hungUp(1);
        hungUp.answered(1);
        assertThat(hungUp.in(image())).isEmpty();
    }

    @Test
    void theControllersDecisionCounts() {
        hungUp.hungUp(1);
        metadata.broker(1, true, "PLAINTEXT").publish();
        assertThat(hungUp.in(image())).isEmpty();
        hungUp.hungUp(1); // fenced already
        metadata.broker(1, false, "PLAINTEXT").publish();
        assertThat(hungUp.in(image())).as("the same registration").containsExactly(1);
    }

    @Test
    void aNewRegistrationIsAnotherProcess() {
        hungUp.hungUp(1);
        metadata.broker(1, false, 17, "PLAINTEXT").publish();
        assertThat(hungUp.in(image())).isEmpty();
        hungUp.hungUp(1);
        assertThat(hungUp.in(image())).containsExactly(1);
    }

    @Test
    void strangersAreNotKept() {
        hungUp.hungUp(9);
        assertThat(hungUp.in(image())).isEmpty();
    }
}
