package io.moldau.ops.metrics;

/// Something that has values to tell at a scrape. Called by one scrape at a time.
@FunctionalInterface
interface MetricSource {

    void collect(Samples into);
}
