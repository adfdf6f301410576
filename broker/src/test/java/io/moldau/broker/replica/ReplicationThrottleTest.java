package io.moldau.broker.replica;

import static org.assertj.core.api.Assertions.assertThat;

import io.moldau.testing.MockTime;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class ReplicationThrottleTest {

    private final MockTime time = new MockTime();
    private final ReplicationThrottle throttle =
            new ReplicationThrottle(time::nanoseconds, 3, TimeUnit.SECONDS.toNanos(1));

    @Test
    void whatWaitsIsCountedAndOnlyWithALimit() {
        throttle.record(1000);
        assertThat(throttle.isExceeded()).isFalse();
        assertThat(throttle.bytesPerSecond()).isEqualTo(1000);
        assertThat(throttle.limit()).isEqualTo(ReplicationThrottle.UNLIMITED);

        throttle.limit(999);
        assertThat(throttle.isExceeded()).isTrue();
        assertThat(throttle.isExceeded()).isTrue();
        assertThat(throttle.waits()).isEqualTo(2);
        assertThat(throttle.limit()).isEqualTo(999);

        time.advanceMillis(2000);
        assertThat(throttle.bytesPerSecond()).isEqualTo(500);
        assertThat(throttle.isExceeded()).isFalse();
        assertThat(throttle.waits()).isEqualTo(2);
    }
}
