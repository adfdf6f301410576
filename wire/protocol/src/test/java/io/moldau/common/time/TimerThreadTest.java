package io.moldau.common.time;

import static org.assertj.core.api.Assertions.assertThat;

import io.moldau.common.FaultHandler;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(30)
class TimerThreadTest {

    private final Time time = new SystemTime();
    private final FaultHandler.Recording faults = new FaultHandler.Recording();

    @Test
    void anEarlierDeadlineWakesTheSleepingThread() throws Exception {
        try (var timer = new TimerThread("timer-test", time, faults)) {
            timer.schedule(Deadline.afterMillis(time.nanoseconds(), 3_600_000), () -> {});
            var ranAt = new CompletableFuture<Long>();
            Deadline deadline = Deadline.afterMillis(time.nanoseconds(), 20);
            timer.schedule(deadline, () -> ranAt.complete(time.nanoseconds()));
            assertThat(ranAt.get(20, TimeUnit.SECONDS) - deadline.nanos()).isNotNegative();
            assertThat(timer.size()).isOne();
        }
    }

    @Test
    void aFaultyActionDoesNotStopTheTimer() throws Exception {
        try (var timer = new TimerThread("timer-test", time, faults)) {
            var fault = new IllegalStateException("on purpose");
            timer.schedule(time.nanoseconds(), () -> {
                throw fault;
            });
            var ran = new CompletableFuture<Boolean>();
            timer.schedule(Deadline.afterMillis(time.nanoseconds(), 1), () -> ran.complete(true));
            assertThat(ran.get(20, TimeUnit.SECONDS)).isTrue();
            assertThat(faults.faults())
                    .singleElement()
                    .satisfies(seen -> assertThat(seen.cause()).isSameAs(fault));
        }
    }

    @Test
    void aClosedTimerRunsNothing() {
        var ran = new CompletableFuture<Boolean>();
        var timer = new TimerThread("timer-test", time, faults);
        timer.close();
        timer.schedule(time.nanoseconds(), () -> ran.complete(true));
        assertThat(ran).isNotDone();
        assertThat(faults.faults()).isEmpty();
    }
}
