package io.moldau.ops.metrics;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.moldau.ops.metrics.LiveRates.Rates;
import io.moldau.testing.MockTime;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class LiveRatesTest {

    private final MockTime time = new MockTime();
    private final Map<String, Traffic> topics = new HashMap<>();
    private final Map<String, Served> apis = new HashMap<>();
    private int looks;
    private final LiveRates rates = new LiveRates(
            () -> {
                looks++;
                return new LiveRates.Counters(Map.copyOf(topics), Map.copyOf(apis), 4);
            },
            time);

    private Rates after(Duration pause) {
        time.advance(pause);
        return rates.rates();
    }

    @Test
    void theFirstLookKnowsNothingAndTheNextTheDifference() {
        topics.put("a", new Traffic(100, 1_000, 10, 1, 2, 3));
        assertThat(rates.rates().overSeconds()).isNull();
        assertThat(rates.rates().total().records()).isZero();

        topics.put("a", new Traffic(150, 3_000, 10, 1, 2, 4));
        topics.put("b", new Traffic(10, 9_000, 0, 0, 0, 0));
        Rates now = after(Duration.ofSeconds(2));

        assertThat(now.overSeconds()).isEqualTo(2);
        assertThat(now.connections()).isEqualTo(4);
        assertThat(now.total().records()).isEqualTo(30);
        assertThat(now.total().bytesIn()).isEqualTo(5_500);
        assertThat(now.total().failures()).isEqualTo(0.5);
        assertThat(now.topics()).extracting(LiveRates.TopicRate::topic).containsExactly("b", "a");
    }

    @Test
    void whoeverLooksTwiceInASecondSeesTheSame() {
        rates.rates();
        Rates first = after(Duration.ofSeconds(1));
        assertThat(after(Duration.ofMillis(999))).isSameAs(first);
        assertThat(looks).isEqualTo(2);
        assertThat(after(Duration.ofMillis(1))).isNotSameAs(first);
        assertThat(looks).isEqualTo(3);
    }

    @Test
    void whereNobodyLookedForLongThereIsNoRate() {
        rates.rates();
        topics.put("a", new Traffic(1_000_000, 0, 0, 0, 0, 0));
        Rates late = after(Duration.ofSeconds(16));
        assertThat(late.overSeconds()).isNull();
        assertThat(late.total().records()).isZero();
    }

    @Test
    void onlyTheBusiestTopicsAreNamedAndAllAreCounted() {
        rates.rates();
        for (int i = 0; i < 50; i++) {
            topics.put("t" + i, new Traffic(1, i, 0, 0, 0, 0));
        }
        Rates now = after(Duration.ofSeconds(1));
        assertThat(now.topics()).hasSize(20);
        assertThat(now.topics().getFirst().topic()).isEqualTo("t49");
        assertThat(now.total().records()).isEqualTo(50);
    }

    @Test
    void howLongRequestsTake() {
        var durations = new Histogram();
        for (int i = 0; i < 100; i++) {
            durations.record(TimeUnit.MICROSECONDS.toNanos(i < 98 ? 200 : 20_000));
        }
        apis.put("Produce", new Served(durations.counts(), 0));
        rates.rates();
        for (int i = 0; i < 100; i++) {
            durations.record(TimeUnit.MICROSECONDS.toNanos(4_000));
        }
        apis.put("Produce", new Served(durations.counts(), 7));
        apis.put("Fetch", Served.NONE);

        List<LiveRates.ApiRate> now = after(Duration.ofSeconds(1)).apis();

        assertThat(now.getFirst()).isEqualTo(new LiveRates.ApiRate("Fetch", 0, 0, null, null));
        assertThat(now.get(1).requests()).isEqualTo(100);
        assertThat(now.get(1).errors()).isEqualTo(7);
        assertThat(now.get(1).p50Ms()).isCloseTo(3.75, within(1e-9));
        assertThat(now.get(1).p99Ms()).isCloseTo(4.975, within(1e-9));
    }

    @Test
    void quantilesStayInTheirBuckets() {
        var durations = new Histogram();
        assertThat(Histogram.quantile(durations.counts(), 0.5)).isNaN();
        durations.record(TimeUnit.SECONDS.toNanos(500));
        assertThat(Histogram.quantile(durations.counts(), 0.99)).isEqualTo(30);
        for (int i = 0; i < 99; i++) {
            durations.record(1);
        }
        assertThat(Histogram.quantile(durations.counts(), 0.5)).isBetween(0.0, 50e-6);
        assertThat(Histogram.quantile(durations.counts(), 1)).isEqualTo(30);
    }
}
