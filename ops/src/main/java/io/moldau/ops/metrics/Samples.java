package io.moldau.ops.metrics;

import io.moldau.ops.metrics.MetricDefinition.Kind;
import io.prometheus.metrics.model.snapshots.ClassicHistogramBuckets;
import io.prometheus.metrics.model.snapshots.CounterSnapshot;
import io.prometheus.metrics.model.snapshots.CounterSnapshot.CounterDataPointSnapshot;
import io.prometheus.metrics.model.snapshots.Exemplars;
import io.prometheus.metrics.model.snapshots.GaugeSnapshot;
import io.prometheus.metrics.model.snapshots.GaugeSnapshot.GaugeDataPointSnapshot;
import io.prometheus.metrics.model.snapshots.HistogramSnapshot;
import io.prometheus.metrics.model.snapshots.HistogramSnapshot.HistogramDataPointSnapshot;
import io.prometheus.metrics.model.snapshots.Labels;
import io.prometheus.metrics.model.snapshots.MetricMetadata;
import io.prometheus.metrics.model.snapshots.MetricSnapshot;
import io.prometheus.metrics.model.snapshots.MetricSnapshots;
import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.LongAdder;

/// The values of one scrape, in the order they are added. Owned by the scrape.
final class Samples {

    private static final String TOTAL = "_total";

    private final Map<MetricDefinition, List<CounterDataPointSnapshot>> counters = new IdentityHashMap<>();
    private final Map<MetricDefinition, List<GaugeDataPointSnapshot>> gauges = new IdentityHashMap<>();
    private final Map<MetricDefinition, List<HistogramDataPointSnapshot>> histograms = new IdentityHashMap<>();

    /// Labels that several values can share.
    static Labels labels(MetricDefinition metric, String... values) {
        var names = metric.labels();
        if (names.size() != values.length) {
            throw new IllegalArgumentException(metric.name() + " has the labels " + names);
        }
        return names.isEmpty() ? Labels.EMPTY : Labels.of(names.toArray(String[]::new), values);
    }

    void add(MetricDefinition metric, LongAdder count, String... labelValues) {
        add(metric, count.sum(), labelValues);
    }

    void add(MetricDefinition metric, double value, String... labelValues) {
        add(metric, labels(metric, labelValues), value);
    }

    void add(MetricDefinition metric, Labels labels, double value) {
        if (metric.kind() == Kind.COUNTER) {
            counters.computeIfAbsent(metric, key -> new ArrayList<>())
                    .add(new CounterDataPointSnapshot(value, labels, null, 0L));
        } else {
            gauges.computeIfAbsent(metric, key -> new ArrayList<>())
                    .add(new GaugeDataPointSnapshot(value, labels, null));
        }
    }

    void add(MetricDefinition metric, Histogram histogram, String... labelValues) {
        histograms
                .computeIfAbsent(metric, key -> new ArrayList<>())
                .add(new HistogramDataPointSnapshot(
                        ClassicHistogramBuckets.of(Histogram.BOUNDS, histogram.counts()),
                        histogram.sumSeconds(),
                        labels(metric, labelValues),
                        Exemplars.EMPTY,
                        0L));
    }

    MetricSnapshots snapshots() {
        var all = new ArrayList<MetricSnapshot>();
        counters.forEach((metric, points) -> all.add(new CounterSnapshot(
                new MetricMetadata(metric.name().substring(0, metric.name().length() - TOTAL.length()), metric.help()),
                points)));
        gauges.forEach((metric, points) ->
                all.add(new GaugeSnapshot(new MetricMetadata(metric.name(), metric.help()), points)));
        histograms.forEach((metric, points) ->
                all.add(new HistogramSnapshot(new MetricMetadata(metric.name(), metric.help()), points)));
        return new MetricSnapshots(all);
    }
}
