package io.moldau.ops.metrics;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.moldau.ops.metrics.MetricDefinition.Kind;
import java.io.IOException;
import java.io.OutputStream;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.IdentityHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.atomic.LongAdder;

/// The values of one scrape, as the lines of Prometheus' text format. Owned by the scrape.
///
/// Lines are made at once, since a node with ten thousand partitions has more than a hundred thousand of them: objects
/// for all values, to be sorted and written later, cost several times as much.
final class Samples {

    private static final double EXACT = 1e15;

    private static final byte[][] BOUNDS = Arrays.stream(Histogram.BOUNDS)
            .mapToObj(bound -> Lines.utf8(Double.isInfinite(bound) ? "+Inf" : Double.toString(bound)))
            .toArray(byte[][]::new);

    /// Labels as they stand in a line; several values can share them.
    record Labels(byte[] text) {

        private static final Labels NONE = new Labels(new byte[0]);
    }

    /// The lines of one metric.
    private static final class Family {
        final MetricDefinition metric;
        final byte[] name;
        final Lines lines = new Lines();

        Family(MetricDefinition metric) {
            this.metric = metric;
            name = Lines.utf8(metric.name());
            lines.append("# HELP ").append(name).append(' ');
            lines.append(metric.help().replace("\\", "\\\\").replace("\n", "\\n"));
            lines.append("\n# TYPE ").append(name).append(' ');
            lines.append(kind(metric.kind())).append('\n');
        }
    }

    /// Every metric is defined once, and found once for each line.
    private final Map<MetricDefinition, Family> families = new IdentityHashMap<>();

    static Labels labels(MetricDefinition metric, String... values) {
        var names = metric.labels();
        if (names.size() != values.length) {
            throw new IllegalArgumentException(metric.name() + " has the labels " + names);
        }
        if (values.length == 0) {
            return Labels.NONE;
        }
        var text = new StringBuilder();
        char before = '{';
        for (int i = 0; i < values.length; i++) {
            text.append(before).append(names.get(i)).append("=\"");
            escape(values[i], text);
            text.append('"');
            before = ',';
        }
        return new Labels(Lines.utf8(text.append('}').toString()));
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

    void addLabelled(MetricDefinition metric, Labels labels, double value) {
        Family family = family(metric);
        family.lines.append(family.name).append(labels.text).append(' ');
        end(value, family.lines);
    }

    void addLabelled(MetricDefinition metric, Labels labels, long value) {
        Family family = family(metric);
        family.lines
                .append(family.name)
                .append(labels.text)
                .append(' ')
                .append(value)
                .append('\n');
    }

    /// Of a summary.
    void addSummary(MetricDefinition metric, long count, double sum, String... labelValues) {
        total(metric, labels(metric, labelValues).text, sum, count);
    }

    void add(MetricDefinition metric, Histogram histogram, String... labelValues) {
        Lines lines = family(metric).lines;
        byte[] labels = labels(metric, labelValues).text;
        byte[] bucket = Lines.utf8(metric.name() + "_bucket{"
                + (labels.length == 0 ? "" : new String(labels, 1, labels.length - 2, UTF_8) + ",") + "le=\"");
        long[] counts = histogram.counts();
        long sum = 0;
        for (int i = 0; i < counts.length; i++) {
            sum += counts[i];
            lines.append(bucket).append(BOUNDS[i]).append("\"} ").append(sum).append('\n');
        }
        total(metric, labels, histogram.sumSeconds(), sum);
    }

    private void total(MetricDefinition metric, byte[] labels, double sum, long count) {
        Family family = family(metric);
        family.lines.append(family.name).append("_sum").append(labels).append(' ');
        end(sum, family.lines);
        family.lines
                .append(family.name)
                .append("_count")
                .append(labels)
                .append(' ')
                .append(count)
                .append('\n');
    }

    private Family family(MetricDefinition metric) {
        Family found = families.get(metric);
        if (found == null) {
            found = new Family(metric);
            families.put(metric, found);
        }
        return found;
    }

    private static String kind(Kind kind) {
        return kind.name().toLowerCase(Locale.ROOT);
    }

    private static void end(double value, Lines lines) {
        if (value == Math.rint(value) && Math.abs(value) < EXACT) {
            lines.append((long) value);
        } else if (Double.isInfinite(value)) {
            lines.append(value > 0 ? "+Inf" : "-Inf");
        } else {
            lines.append(Double.toString(value));
        }
        lines.append('\n');
    }

    long size() {
        return families.values().stream()
                .mapToLong(family -> family.lines.size())
                .sum();
    }

    /// All families, by name.
    void writeTo(OutputStream out) throws IOException {
        var sorted = new ArrayList<>(families.values());
        sorted.sort(Comparator.comparing(family -> family.metric.name()));
        for (Family family : sorted) {
            family.lines.writeTo(out);
        }
    }
}
