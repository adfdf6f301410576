package io.moldau.ops.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/// What the dashboards and the alert rules ask for exists. Whether Prometheus has an answer is for `PrometheusIT`.
class DashboardsTest {

    private static final Pattern NAME = Pattern.compile("\\b(?:moldau|kafka|jvm|process|system)_[a-z0-9_]+");

    @Test
    void everyQueryAsksForMetricsThatThereAre() throws IOException {
        Set<String> known = DocumentedMetrics.told();
        Set<String> asked = new TreeSet<>();
        for (String query : Dashboards.queries()) {
            Matcher names = NAME.matcher(query);
            while (names.find()) {
                asked.add(names.group());
            }
        }

        assertThat(known).containsAll(asked);
        assertThat(asked).hasSizeGreaterThan(80);
    }

    @Test
    void everyAlertHasATestThatStagesItsFault() throws IOException {
        String tests = Dashboards.read("alerts_test.yml");

        assertThat(Dashboards.alerts()).hasSizeGreaterThan(20).allSatisfy(alert -> {
            // Silent at first, and then it names what is faulty.
            assertThat(tests).contains("name: " + alert + "\n");
            String test = tests.split("name: " + alert + "\n", 2)[1].split("- interval:", 2)[0];
            assertThat(test.split("alertname: " + alert + "\n", -1)).hasSize(3);
            assertThat(test).contains("exp_alerts: []", "exp_labels:", "exp_annotations:");
        });
    }
}
