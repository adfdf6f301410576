package io.moldau.ops.metrics;

import io.moldau.ops.metrics.MetricDefinition.Kind;
import java.io.IOException;
import java.io.Writer;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.atomic.LongAdder;

/// The values of one scrape, as the lines of Prometheus' text format. Owned by the scrape.
///
/// Lines are made at once, since a node with ten thousand partitions has a hundred thousand of them: objects for all
/// values, to be sorted and written later, cost nearly twice as much.
final class Samples {

    private static final double EXACT = 1e15;

    private final Map<String, StringBuilder> families = new TreeMap<>();

    /// Labels as they stand in a line; several values can share them.
    static String labels(MetricDefinition metric, String... values) {
        var names = metric.labels();
        if (names.size() != values.length) {
            throw new IllegalArgumentException(metric.name() + " has the labels " + names);
        }
        if (values.length == 0) {
            return "";
        }
        var text = new StringBuilder();
        char before = '{';
        for (int i = 0; i < values.length; i++) {
            text.append(before).append(names.get(i)).append("=\"");
            escape(values[i], text);
            text.append('"');
            before = ',';
        }
        return text.append('}').toString();
    }

    private static void escape(String value, StringBuilder into) {
        for (int i = 0; i < value.length(); i++) {
            char c = value.charAt(i);
            switch (c) {
                case '\\' -> into.append("\\\\");
                case '"' -> into.append("\\\"");
                case '\n' -> into.append("\\n");
                default -> into.append(c);
            }
        }
    }

    void add(MetricDefinition metric, LongAdder count, String... labelValues) {
        add(metric, count.sum(), labelValues);
    }

    void add(MetricDefinition metric, double value, String... labelValues) {
        addLabelled(metric, labels(metric, labelValues), value);
    }

    /// @param labels made by [#labels]
    void addLabelled(MetricDefinition metric, String labels, double value) {
        line(family(metric), metric.name(), "", labels, value);
    }

    void add(MetricDefinition metric, Histogram histogram, String... labelValues) {
        StringBuilder lines = family(metric);
        String labels = labels(metric, labelValues);
        String others = labels.isEmpty() ? "{" : labels.substring(0, labels.length() - 1) + ",";
        long[] counts = histogram.counts();
        long sum = 0;
        for (int i = 0; i < counts.length; i++) {
            sum += counts[i];
            line(lines, metric.name(), "_bucket", others + "le=\"" + bound(Histogram.BOUNDS[i]) + "\"}", sum);
        }
        line(lines, metric.name(), "_sum", labels, histogram.sumSeconds());
        line(lines, metric.name(), "_count", labels, sum);
    }

    private static String bound(double bound) {
        return Double.isInfinite(bound) ? "+Inf" : Double.toString(bound);
    }

    private StringBuilder family(MetricDefinition metric) {
        return families.computeIfAbsent(metric.name(), name -> {
            var lines = new StringBuilder("# HELP ").append(name).append(' ');
            lines.append(metric.help().replace("\\", "\\\\").replace("\n", "\\n"));
            lines.append("\n# TYPE ").append(name).append(' ');
            return lines.append(kind(metric.kind())).append('\n');
        });
    }

    private static String kind(Kind kind) {
        return kind.name().toLowerCase(Locale.ROOT);
    }

    private static void line(StringBuilder lines, String name, String suffix, String labels, double value) {
        lines.append(name).append(suffix).append(labels).append(' ');
        if (value == Math.rint(value) && Math.abs(value) < EXACT) {
            lines.append((long) value);
        } else if (Double.isInfinite(value)) {
            lines.append(value > 0 ? "+Inf" : "-Inf");
        } else {
            lines.append(value);
        }
        lines.append('\n');
    }

    /// All families, by name.
    void writeTo(Writer out) throws IOException {
        for (StringBuilder lines : families.values()) {
            out.append(lines);
        }
    }
}
