package io.moldau.metadata.quorum.ratis;

import static org.assertj.core.api.Assertions.assertThat;

import io.moldau.metadata.quorum.OwnMetrics;
import io.moldau.metadata.quorum.OwnMetrics.Name;
import org.apache.ratis.metrics.MetricRegistries;
import org.apache.ratis.metrics.MetricRegistryInfo;
import org.junit.jupiter.api.Test;

class RatisMetricsTest {

    private static MetricRegistryInfo member(String name) {
        return new MetricRegistryInfo(name, "ratis", "metrics_test", "of this test");
    }

    @Test
    void whatSeveralMembersCountTimeAndMeasureIsAddedUp() {
        MetricRegistries all = MetricRegistries.global();
        try {
            var one = all.create(member("one"));
            var two = all.create(member("two"));
            one.counter("events").inc(3);
            two.counter("events").inc(4);
            long took = one.timer("work").time().stop();
            two.timer("work").time().stop();
            one.gauge("size", () -> () -> 5);
            two.gauge("size", () -> () -> 0.5);
            one.gauge("name", () -> () -> "not a number");
            one.gauge("broken", () -> () -> {
                throw new IllegalStateException("a member that is closing");
            });

            OwnMetrics own = RatisMetrics.all();

            assertThat(own.counters()).containsEntry(new Name("metrics_test", "events"), 7L);
            assertThat(own.timings().get(new Name("metrics_test", "work"))).satisfies(timing -> {
                assertThat(timing.count()).isEqualTo(2);
                assertThat(timing.nanos()).isGreaterThanOrEqualTo(took);
            });
            assertThat(own.gauges()).containsEntry(new Name("metrics_test", "size"), 5.5);
            assertThat(own.gauges())
                    .doesNotContainKey(new Name("metrics_test", "name"))
                    .doesNotContainKey(new Name("metrics_test", "broken"));

            assertThat(one.remove("events")).isTrue();
            assertThat(one.remove("events")).isFalse();
            assertThat(RatisMetrics.all().counters()).containsEntry(new Name("metrics_test", "events"), 4L);
        } finally {
            all.remove(member("one"));
            all.remove(member("two"));
        }
        assertThat(RatisMetrics.all().counters()).doesNotContainKey(new Name("metrics_test", "events"));
    }
}
