package io.moldau.broker.replica;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.moldau.testing.Seeds;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class ByteRateTest {

    private static final long SAMPLE = 1_000_000_000L;
    private static final int SAMPLES = 11;

    private record Passed(long nanos, long bytes) {}

    /// The same from a list of everything that passed.
    private static double naive(List<Passed> all, long origin, long now) {
        long firstNumber = Math.floorDiv(now - origin, SAMPLE) - SAMPLES + 1;
        double sum = 0;
        long first = Long.MAX_VALUE;
        for (Passed it : all) {
            long number = Math.floorDiv(it.nanos() - origin, SAMPLE);
            if (number >= firstNumber) {
                sum += it.bytes();
                first = Math.min(first, origin + number * SAMPLE);
            }
        }
        return sum == 0 ? 0 : sum * SAMPLE / Math.max(now - first, SAMPLE);
    }

    @Seeds(count = 50)
    void isWhatTheLatestSamplesHold(long seed) {
        var random = new Random(seed);
        long origin = random.nextLong(1_000_000) - 500_000;
        var rate = new ByteRate(SAMPLES, SAMPLE, origin);
        var all = new ArrayList<Passed>();
        long now = origin;
        for (int i = 0; i < 300; i++) {
            now += random.nextInt(10) == 0 ? random.nextLong(15 * SAMPLE) : random.nextLong(SAMPLE / 2);
            if (random.nextBoolean()) {
                long bytes = 1 + random.nextInt(100_000);
                rate.record(bytes, now);
                all.add(new Passed(now, bytes));
            }
            assertThat(rate.bytesPerSecond(now)).isCloseTo(naive(all, origin, now), within(1e-6));
        }
    }

    @Seeds(count = 50)
    void tellsWhenItIsBelowALimit(long seed) {
        var random = new Random(seed);
        var rate = new ByteRate(SAMPLES, SAMPLE, 0);
        long now = 0;
        for (int i = 0; i < 200; i++) {
            now += random.nextLong(SAMPLE);
            rate.record(random.nextInt(50_000), now);
            double limit = random.nextInt(5) == 0 ? 0 : 1_000 + random.nextInt(60_000);
            long open = rate.belowNanos(limit, now);
            assertThat(open).isGreaterThanOrEqualTo(now);
            assertThat(rate.bytesPerSecond(open)).isLessThanOrEqualTo(limit);
            if (open > now + 2) {
                assertThat(rate.bytesPerSecond(open - 2)).isGreaterThan(limit * 0.999999);
            }
        }
    }

    @Test
    void nothingPassedIsNothing() {
        var rate = new ByteRate(SAMPLES, SAMPLE, 5);
        assertThat(rate.bytesPerSecond(5)).isZero();
        assertThat(rate.belowNanos(0, 77)).isEqualTo(77);
    }
}
