package io.moldau.ops.metrics;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class SamplesTest {

    private static final MetricDefinition SIZE = MetricDefinition.gauge("b_size", "A \\ and\na line.", "topic");
    private static final MetricDefinition PLAIN = MetricDefinition.gauge("a_plain", "Plain.");
    private static final MetricDefinition TIMES = MetricDefinition.histogram("c_seconds", "Times.", "api");
    private static final MetricDefinition SUM = MetricDefinition.summary("d_seconds", "Sums.", "gc");

    private final Samples samples = new Samples();

    private String text() {
        var out = new ByteArrayOutputStream();
        try {
            samples.writeTo(out);
        } catch (IOException e) {
            throw new AssertionError(e);
        }
        assertThat(out.size()).isEqualTo(samples.size());
        return out.toString(StandardCharsets.UTF_8);
    }

    @Test
    void familiesAreSortedAndValuesWrittenAsTheyAre() {
        samples.add(SIZE, 3, "a\"b\\c\nd");
        samples.add(SIZE, -7, "süß");
        samples.addLabelled(SIZE, Samples.labels(SIZE, "x"), Long.MAX_VALUE);
        samples.add(PLAIN, 0.25);
        samples.add(PLAIN, Double.POSITIVE_INFINITY);
        samples.add(PLAIN, Double.NaN);
        samples.add(PLAIN, 1e18);

        assertThat(text()).isEqualTo("""
                # HELP a_plain Plain.
                # TYPE a_plain gauge
                a_plain 0.25
                a_plain +Inf
                a_plain NaN
                a_plain 1.0E18
                # HELP b_size A \\\\ and\\na line.
                # TYPE b_size gauge
                b_size{topic="a\\"b\\\\c\\nd"} 3
                b_size{topic="süß"} -7
                b_size{topic="x"} 9223372036854775807
                """);
    }

    @Test
    void histogramsAndSummariesHaveTheirSuffixes() {
        var histogram = new Histogram();
        histogram.record(TimeUnit.MICROSECONDS.toNanos(60));
        histogram.record(TimeUnit.MINUTES.toNanos(10));
        samples.add(TIMES, histogram, "Fetch");
        samples.addSummary(SUM, 4, 0.5, "old");

        assertThat(text().lines())
                .contains(
                        "c_seconds_bucket{api=\"Fetch\",le=\"5.0E-5\"} 0",
                        "c_seconds_bucket{api=\"Fetch\",le=\"1.0E-4\"} 1",
                        "c_seconds_bucket{api=\"Fetch\",le=\"+Inf\"} 2",
                        "c_seconds_sum{api=\"Fetch\"} 600.00006",
                        "c_seconds_count{api=\"Fetch\"} 2",
                        "# TYPE d_seconds summary",
                        "d_seconds_sum{gc=\"old\"} 0.5",
                        "d_seconds_count{gc=\"old\"} 4");
    }

    @Test
    void manyLinesAndLongOnesArriveWhole() {
        String large = "x".repeat(100_000);
        for (int i = 0; i < 20_000; i++) {
            samples.add(SIZE, i, i == 500 ? large : "t" + i);
        }

        List<String> lines = text().lines().skip(2).toList();
        assertThat(lines).hasSize(20_000);
        for (int i = 0; i < lines.size(); i++) {
            assertThat(lines.get(i)).isEqualTo("b_size{topic=\"" + (i == 500 ? large : "t" + i) + "\"} " + i);
        }
    }

    @Test
    void labelsMustBeTheDefinitions() {
        assertThatThrownBy(() -> samples.add(SIZE, 1)).hasMessageContaining("has the labels [topic]");
    }
}
