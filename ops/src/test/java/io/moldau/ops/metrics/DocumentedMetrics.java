package io.moldau.ops.metrics;

import static io.moldau.ops.metrics.MetricDefinition.counter;
import static io.moldau.ops.metrics.MetricDefinition.gauge;
import static io.moldau.ops.metrics.MetricDefinition.histogram;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/// Everything a scrape may hold: our own metrics, and Micrometer's of the JVM and the process.
final class DocumentedMetrics {

    /// Under Micrometer's names. Those of collections come with the first one.
    static final List<MetricDefinition> JVM = List.of(
            gauge("jvm_info", "Always 1; the labels say which JVM this is.", "runtime", "vendor", "version"),
            gauge("jvm_buffer_count_buffers", "Buffers outside the heap that Java knows of.", "id"),
            gauge("jvm_buffer_memory_used_bytes", "Memory they take.", "id"),
            gauge("jvm_buffer_total_capacity_bytes", "Their capacity.", "id"),
            gauge("jvm_classes_loaded_classes", "Classes that are loaded."),
            counter("jvm_classes_loaded_count_classes_total", "Classes loaded since the start."),
            counter("jvm_classes_unloaded_classes_total", "Classes unloaded since the start."),
            gauge("jvm_gc_live_data_size_bytes", "Size of the old generation after its last collection."),
            gauge("jvm_gc_max_data_size_bytes", "What it may grow to."),
            counter("jvm_gc_memory_allocated_bytes_total", "Bytes allocated on the heap, counted at collections."),
            counter("jvm_gc_memory_promoted_bytes_total", "Bytes that went to the old generation."),
            gauge("jvm_memory_committed_bytes", "Memory the JVM has of the system, by area.", "area", "id"),
            gauge("jvm_memory_max_bytes", "What it may take, -1 without a bound.", "area", "id"),
            gauge("jvm_memory_used_bytes", "What it uses of it.", "area", "id"),
            gauge("jvm_threads_daemon_threads", "Daemon threads."),
            gauge("jvm_threads_live_threads", "Threads."),
            gauge("jvm_threads_peak_threads", "The most there have been."),
            counter("jvm_threads_started_threads_total", "Threads started since the start."),
            gauge("jvm_threads_states_threads", "Threads by what they do.", "state"),
            counter("process_cpu_time_ns_total", "Processor time of the process, in nanoseconds."),
            gauge("process_cpu_usage", "Share of the processors the process used lately, 0 to 1."),
            gauge("process_files_max_files", "File descriptors the process may have (`ulimit -n`)."),
            gauge("process_files_open_files", "File descriptors it has."),
            gauge("process_start_time_seconds", "When it started, seconds since 1970."),
            gauge("process_uptime_seconds", "How long it has run."),
            gauge("system_cpu_count", "Processors."),
            gauge("system_cpu_usage", "Share of the processors the machine used lately, 0 to 1."),
            gauge("system_load_average_1m", "Load average of the last minute."),
            histogram(
                    "jvm_gc_pause_seconds",
                    "Pauses for garbage collection since the first scrape.",
                    "action",
                    "cause",
                    "gc"),
            gauge("jvm_gc_pause_seconds_max", "The longest of the last minutes.", "action", "cause", "gc"),
            histogram(
                    "jvm_gc_concurrent_phase_time_seconds",
                    "Time in phases of a collector that works beside the program.",
                    "action",
                    "cause",
                    "gc"),
            gauge(
                    "jvm_gc_concurrent_phase_time_seconds_max",
                    "The longest of the last minutes.",
                    "action",
                    "cause",
                    "gc"));

    private DocumentedMetrics() {}

    /// Every name a line can begin with.
    static Set<String> told() {
        Set<String> names = new HashSet<>();
        for (MetricDefinition metric : all()) {
            switch (metric.kind()) {
                case COUNTER, GAUGE -> names.add(metric.name());
                case SUMMARY -> names.addAll(List.of(metric.name() + "_sum", metric.name() + "_count"));
                case HISTOGRAM ->
                    names.addAll(List.of(metric.name() + "_bucket", metric.name() + "_sum", metric.name() + "_count"));
            }
        }
        return names;
    }

    static List<MetricDefinition> all() {
        var all = new ArrayList<>(Metrics.all());
        all.addAll(JVM);
        return all;
    }
}
