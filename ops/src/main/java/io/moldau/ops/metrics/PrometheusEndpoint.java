package io.moldau.ops.metrics;

import io.micrometer.core.instrument.binder.jvm.ClassLoaderMetrics;
import io.micrometer.core.instrument.binder.jvm.JvmGcMetrics;
import io.micrometer.core.instrument.binder.jvm.JvmInfoMetrics;
import io.micrometer.core.instrument.binder.jvm.JvmMemoryMetrics;
import io.micrometer.core.instrument.binder.jvm.JvmThreadMetrics;
import io.micrometer.core.instrument.binder.system.FileDescriptorMetrics;
import io.micrometer.core.instrument.binder.system.ProcessorMetrics;
import io.micrometer.core.instrument.binder.system.UptimeMetrics;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import io.moldau.common.time.Time;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.List;

/// All metrics of a node in Prometheus' text format: Micrometer's of the JVM and the process, and our own.
///
/// Made at the first scrape, so that a start pays nothing for it. Thread-safe.
final class PrometheusEndpoint implements AutoCloseable {

    private static final String TEXT = "text/plain; version=0.0.4; charset=utf-8";

    private final PrometheusMeterRegistry registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
    private final JvmGcMetrics collections = new JvmGcMetrics();
    private final List<MetricSource> sources;
    private final Time time;
    private double lastSeconds;

    PrometheusEndpoint(List<MetricSource> sources, Time time) {
        this.sources = List.copyOf(sources);
        this.time = time;
        new JvmMemoryMetrics().bindTo(registry);
        collections.bindTo(registry);
        new JvmThreadMetrics().bindTo(registry);
        new JvmInfoMetrics().bindTo(registry);
        new ClassLoaderMetrics().bindTo(registry);
        new ProcessorMetrics().bindTo(registry);
        new FileDescriptorMetrics().bindTo(registry);
        new UptimeMetrics().bindTo(registry);
    }

    Exposition scrape() {
        // Outside of the monitor: a client that is slow to listen is in nobody's way.
        Samples samples = collect();
        var jvm = new ByteArrayOutputStream();
        try {
            registry.scrape(jvm, TEXT);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return new Exposition(jvm, samples);
    }

    private synchronized Samples collect() {
        long began = time.nanoseconds();
        var samples = new Samples();
        samples.add(Metrics.SCRAPE_SECONDS, lastSeconds);
        for (MetricSource source : sources) {
            source.collect(samples);
        }
        lastSeconds = (time.nanoseconds() - began) / 1e9;
        return samples;
    }

    @Override
    public void close() {
        collections.close();
        registry.close();
    }
}
