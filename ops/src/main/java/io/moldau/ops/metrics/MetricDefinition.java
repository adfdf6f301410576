package io.moldau.ops.metrics;

import java.util.List;

/// One metric: what `ops/docs/metrics.md` says of it.
///
/// @param name as it is scraped; a counter's ends in `_total`
/// @param labels in the order in which values are given
record MetricDefinition(String name, Kind kind, List<String> labels, String help) {

    /// What its values are.
    enum Kind {
        COUNTER,
        GAUGE,
        HISTOGRAM,
        /// How often, and how much in all.
        SUMMARY
    }

    MetricDefinition {
        labels = List.copyOf(labels);
        if (kind == Kind.COUNTER != name.endsWith("_total")) {
            throw new IllegalArgumentException(name + ": counters, and only they, end in _total");
        }
    }

    static MetricDefinition counter(String name, String help, String... labels) {
        return new MetricDefinition(name, Kind.COUNTER, List.of(labels), help);
    }

    static MetricDefinition gauge(String name, String help, String... labels) {
        return new MetricDefinition(name, Kind.GAUGE, List.of(labels), help);
    }

    static MetricDefinition summary(String name, String help, String... labels) {
        return new MetricDefinition(name, Kind.SUMMARY, List.of(labels), help);
    }

    static MetricDefinition histogram(String name, String help, String... labels) {
        return new MetricDefinition(name, Kind.HISTOGRAM, List.of(labels), help);
    }
}
