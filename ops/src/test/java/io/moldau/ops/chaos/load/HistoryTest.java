package io.moldau.ops.chaos.load;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/// How gaps are measured; times are given.
class HistoryTest {

    private final History history = new History();

    @Test
    void aGapLastsFromTheLastAcknowledgementWhileSomethingWaits() {
        acknowledge(1, 0, 0, 0, 10);
        acknowledge(1, 0, 1, 5, 900);
        assertThat(takePartitionGap()).isEqualTo(890);
    }

    @Test
    void aGapBeginsNotBeforeSomethingWaits() {
        acknowledge(1, 0, 0, 0, 10);
        acknowledge(1, 0, 1, 500, 520);
        assertThat(takePartitionGap()).isEqualTo(20);
    }

    @Test
    void theClusterHasNoGapWhileOnePartitionIsServed() {
        acknowledge(1, 0, 0, 0, 10);
        acknowledge(1, 1, 0, 0, 20);
        acknowledge(1, 1, 1, 20, 400);
        acknowledge(1, 0, 1, 10, 800);
        var gaps = history.takeGaps();
        assertThat(gaps.partition().duration().toMillis()).isEqualTo(790);
        assertThat(gaps.partition().partition()).isZero();
        assertThat(gaps.cluster().duration().toMillis()).isEqualTo(400);
        assertThat(history.takeGaps().partition()).isEqualTo(Gap.NONE);
    }

    @Test
    void freshIsWhatWasSentSinceThen() {
        acknowledge(1, 0, 0, 10, 100);
        acknowledge(2, 0, 0, 90, 100);
        assertThat(history.staleSince(nanos(50))).isEqualTo(1);
        assertThat(history.staleSince(nanos(5))).isZero();
    }

    private long takePartitionGap() {
        return history.takeGaps().partition().duration().toMillis();
    }

    private void acknowledge(int producer, int partition, long sequence, long sentMs, long nowMs) {
        history.acknowledged(producer, partition, sequence, sequence, nanos(sentMs), nanos(nowMs));
    }

    private static long nanos(long ms) {
        return TimeUnit.MILLISECONDS.toNanos(ms);
    }
}
