package io.moldau.ops.metrics;

import io.moldau.common.time.Time;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/// How much goes through a node, and how fast it answers: the difference of its counters between two looks. They are
/// read when somebody asks, and at most once a second, so that nobody pays who does not look. Thread-safe.
public final class LiveRates {

    private static final long BETWEEN_NANOS = TimeUnit.SECONDS.toNanos(1);

    /// A look that is older says nothing about now.
    private static final long STALE_NANOS = TimeUnit.SECONDS.toNanos(15);

    private static final int MOST_TOPICS = 20;

    /// What the counters of a node stand at.
    record Counters(Map<String, Traffic> topics, Map<String, Served> apis, long connections) {}

    /// What goes through in a second. A value, written as JSON as it is.
    ///
    /// @param atMs when the counters were read
    /// @param overSeconds the time the rates are of; null if nobody looked lately: then there are none yet
    /// @param total of all topics
    /// @param topics those with most bytes, the busiest first
    /// @param apis that were asked for, by name
    public record Rates(
            long atMs,
            @Nullable Double overSeconds,
            long connections,
            TopicRate total,
            List<TopicRate> topics,
            List<ApiRate> apis) {}

    /// Per second.
    public record TopicRate(
            String topic,
            double records,
            double bytesIn,
            double bytesOut,
            double replicationIn,
            double replicationOut,
            double failures) {}

    /// Per second, and the time from a request's last byte to its answer.
    ///
    /// @param p50Ms half of them were not slower; null if there were none
    /// @param p99Ms 99 of 100 were not slower
    public record ApiRate(
            String api,
            double requests,
            double errors,
            @Nullable Double p50Ms,
            @Nullable Double p99Ms) {}

    private record Look(long nanos, Counters counters) {}

    private final Supplier<Counters> counters;
    private final Time time;

    private @Nullable Look last;
    private @Nullable Rates rates;

    LiveRates(Supplier<Counters> counters, Time time) {
        this.counters = counters;
        this.time = time;
    }

    /// As of now, or of the second before.
    public synchronized Rates rates() {
        long now = time.nanoseconds();
        Look before = last;
        Rates known = rates;
        if (known != null && before != null && now - before.nanos() < BETWEEN_NANOS) {
            return known;
        }
        var look = new Look(now, counters.get());
        Rates made = before == null || now - before.nanos() > STALE_NANOS
                ? between(look, look, null)
                : between(before, look, (now - before.nanos()) / 1e9);
        last = look;
        rates = made;
        return made;
    }

    private Rates between(Look before, Look after, @Nullable Double seconds) {
        double over = seconds == null ? 1 : seconds;
        Traffic total = Traffic.NONE;
        List<TopicRate> topics = new ArrayList<>();
        for (var entry : after.counters().topics().entrySet()) {
            Traffic grown =
                    entry.getValue().minus(before.counters().topics().getOrDefault(entry.getKey(), Traffic.NONE));
            total = total.plus(grown);
            topics.add(rate(entry.getKey(), grown, over));
        }
        topics.sort(Comparator.comparingDouble((TopicRate topic) -> -(topic.bytesIn() + topic.bytesOut()))
                .thenComparing(TopicRate::topic));
        List<ApiRate> apis = after.counters().apis().entrySet().stream()
                .map(entry -> rate(
                        entry.getKey(),
                        entry.getValue().minus(before.counters().apis().getOrDefault(entry.getKey(), Served.NONE)),
                        over))
                .sorted(Comparator.comparing(ApiRate::api))
                .toList();
        return new Rates(
                time.milliseconds(),
                seconds,
                after.counters().connections(),
                rate("", total, over),
                topics.stream().limit(MOST_TOPICS).toList(),
                apis);
    }

    private static TopicRate rate(String topic, Traffic grown, double seconds) {
        return new TopicRate(
                topic,
                grown.records() / seconds,
                grown.bytesIn() / seconds,
                grown.bytesOut() / seconds,
                grown.replicationIn() / seconds,
                grown.replicationOut() / seconds,
                grown.failures() / seconds);
    }

    private static ApiRate rate(String api, Served grown, double seconds) {
        return new ApiRate(
                api,
                grown.requests() / seconds,
                grown.errors() / seconds,
                millis(Histogram.quantile(grown.durations(), 0.5)),
                millis(Histogram.quantile(grown.durations(), 0.99)));
    }

    private static @Nullable Double millis(double seconds) {
        return Double.isNaN(seconds) ? null : seconds * 1e3;
    }
}
