package io.moldau.ops.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.junit.jupiter.api.Test;

/// `docs/metrics.md` is made of the definitions. Run with `-Dmoldau.docs.write=true` to write it anew.
class MetricsDocumentTest {

    private static final Path FILE = Path.of("docs", "metrics.md");

    @Test
    void theDocumentIsUpToDate() throws IOException {
        String text = document();
        // The fast way to run tests starts them in the project's folder.
        Path file = Files.isDirectory(Path.of("ops")) ? Path.of("ops").resolve(FILE) : FILE;
        if (Boolean.getBoolean("moldau.docs.write")) {
            Files.writeString(file, text);
        }
        assertThat(Files.readString(file))
                .as("run the test MetricsDocumentTest with -Dmoldau.test.flags=-Dmoldau.docs.write=true")
                .isEqualTo(text);
    }

    @Test
    void noNameIsUsedTwice() {
        assertThat(DocumentedMetrics.all().stream().map(MetricDefinition::name)).doesNotHaveDuplicates();
    }

    @Test
    void whatTellsTheSameAsTheNamesOfOthersExists() {
        Set<String> told = DocumentedMetrics.told();
        for (CommunityNames.Source source : CommunityNames.ALL) {
            assertThat(source.asked().stream().map(CommunityNames.Asked::name)).doesNotHaveDuplicates();
            for (CommunityNames.Asked asked : source.asked()) {
                if (asked.ours() == null) {
                    assertThat(asked.note()).as(asked.name()).isNotEmpty();
                    assertThat(told).doesNotContain(asked.name());
                } else {
                    assertThat(told).as(asked.name()).contains(asked.ours());
                    assertThat(told.contains(asked.name())).as(asked.name()).isEqualTo(asked.isTheSame());
                }
            }
        }
    }

    private static String document() {
        var text = new StringBuilder();
        text.append("""
                # Metrics

                Generated from the definitions in `io.moldau.ops.metrics`; do not edit.

                Each node tells its own at `/metrics` of its admin listener (`admin.listener`), in Prometheus' text
                format; there is no agent to install. Names are those of the usual JMX exporter rules for Apache Kafka and
                of `kafka_exporter` where there is an equivalent, so that existing dashboards find them; what has
                none begins with `moldau_`. `dashboards` holds dashboards for Grafana and alert rules for Prometheus that
                are made for these.

                How many series there are is bounded: `moldau.metrics.max.partitions`, `moldau.metrics.max.topics`,
                `moldau.metrics.max.groups` and `moldau.metrics.max.group.partitions` say how many partitions, topics and
                groups are told one by one; 0 turns them off. What is left off is counted in `moldau_metrics_left_off`.

                Counters begin at 0 when the process starts. A metric without anything to tell is absent: there is no
                `kafka_network_requestmetrics_errors_total` before the first error. Histograms have `_bucket`, `_sum` and
                `_count`, summaries the last two.

                There is nothing yet to tell of client quotas and transactions: the metrics come with the
                features.

                """);
        for (Metrics.Area area : Metrics.areas()) {
            chapter(text, area.title(), area.metrics());
        }
        chapter(text, "The JVM and the process", DocumentedMetrics.JVM);
        communityNames(text);
        return text.toString();
    }

    private static void communityNames(StringBuilder text) {
        text.append("""
                ## What other dashboards ask for

                The names in the queries of dashboards and alert rules that most people have for Apache Kafka, and what
                tells the same here.
                """);
        for (CommunityNames.Source source : CommunityNames.ALL) {
            text.append("\n### ").append(source.title()).append("\n\n| asked for | here | |\n|---|---|---|\n");
            for (CommunityNames.Asked asked : source.asked()) {
                text.append("| `%s` | %s | %s |\n"
                        .formatted(
                                asked.name(),
                                asked.isTheSame()
                                        ? "the same"
                                        : asked.ours() == null ? "none" : "`" + asked.ours() + "`",
                                asked.note()));
            }
        }
    }

    private static void chapter(StringBuilder text, String title, List<MetricDefinition> metrics) {
        text.append("## ").append(title).append("\n\n| name | type | labels | meaning |\n|---|---|---|---|\n");
        for (MetricDefinition metric : metrics) {
            text.append("| `")
                    .append(metric.name())
                    .append("` | ")
                    .append(metric.kind().name().toLowerCase(Locale.ROOT))
                    .append(" | ")
                    .append(String.join(", ", metric.labels()))
                    .append(" | ")
                    .append(metric.help().replace("|", "\\|"))
                    .append(" |\n");
        }
        text.append('\n');
    }
}
