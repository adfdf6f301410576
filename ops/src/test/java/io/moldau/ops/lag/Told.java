package io.moldau.ops.lag;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.moldau.ops.metrics.Scrape;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;

/// What a node told of all groups it coordinates, by one of its two ways.
///
/// @param atMs when it began to look
/// @param answeredMs when its answer was here
record Told(int node, long atMs, long answeredMs, Map<Place, Lag> lags) {

    private static final ObjectMapper JSON = new ObjectMapper();

    record Place(String group, TopicPartition partition) {}

    /// @param records null if the node does not know
    /// @param seconds null if the node does not know
    record Lag(
            long offset, @Nullable Long records, @Nullable Double seconds) {}

    static Told byMetrics(int node, String url) throws IOException, InterruptedException {
        Scrape scrape = Scrape.of(url);
        long answeredMs = System.currentTimeMillis();
        Map<Place, Double> records = byPlace(scrape, "kafka_consumergroup_lag");
        Map<Place, Double> seconds = byPlace(scrape, "moldau_consumergroup_lag_seconds");
        Map<Place, Lag> lags = new HashMap<>();
        byPlace(scrape, "kafka_consumergroup_current_offset").forEach((place, offset) -> {
            Double lag = records.get(place);
            lags.put(place, new Lag(offset.longValue(), lag == null ? null : lag.longValue(), seconds.get(place)));
        });
        sumsAreRight(scrape, lags);
        long atMs = Math.round(scrape.sum("moldau_consumergroup_lag_at_seconds") * 1e3);
        return new Told(node, atMs, answeredMs, lags);
    }

    private static Map<Place, Double> byPlace(Scrape scrape, String metric) {
        Map<Place, Double> values = new HashMap<>();
        for (Scrape.Sample sample : scrape.samples()) {
            if (sample.name().equals(metric)) {
                values.put(
                        new Place(
                                label(sample, "consumergroup"),
                                new TopicPartition(
                                        label(sample, "topic"), Integer.parseInt(label(sample, "partition")))),
                        sample.value());
            }
        }
        return values;
    }

    private static String label(Scrape.Sample sample, String name) {
        return Objects.requireNonNull(sample.labels().get(name));
    }

    private static void sumsAreRight(Scrape scrape, Map<Place, Lag> lags) {
        Map<List<String>, Long> byTopic = new HashMap<>();
        Map<String, Double> oldest = new HashMap<>();
        lags.forEach((place, lag) -> {
            Long records = lag.records();
            Double seconds = lag.seconds();
            if (records != null) {
                byTopic.merge(List.of(place.group(), place.partition().topic()), records, Long::sum);
            }
            oldest.merge(place.group(), seconds == null ? 0 : seconds, Math::max);
        });
        byTopic.forEach((key, sum) -> equal(
                sum,
                scrape.sum("kafka_consumergroup_lag_sum", "consumergroup", key.get(0), "topic", key.get(1)),
                "lag of " + key));
        oldest.forEach((group, seconds) -> equal(
                seconds,
                scrape.sum("moldau_consumergroup_lag_max_seconds", "consumergroup", group),
                "age of " + group));
    }

    private static void equal(double expected, double told, String what) {
        if (expected != told) {
            throw new AssertionError(what + " is " + expected + " by its partitions, and told as " + told);
        }
    }

    /// Any node tells all groups.
    static Told byApi(int node, String url, String group) throws IOException, InterruptedException {
        try (var client = HttpClient.newHttpClient()) {
            var answer = client.send(
                    HttpRequest.newBuilder(URI.create(url + "/api/v1/groups/" + group))
                            .build(),
                    BodyHandlers.ofString());
            long answeredMs = System.currentTimeMillis();
            JsonNode root = JSON.readTree(answer.body());
            Map<Place, Lag> lags = new HashMap<>();
            for (JsonNode one : root.path("partitions")) {
                var partition = new TopicPartition(
                        one.path("topic").asText(), one.path("partition").asInt());
                lags.put(
                        new Place(group, partition),
                        new Lag(
                                one.path("committedOffset").asLong(),
                                one.path("lagRecords").isNumber()
                                        ? one.path("lagRecords").asLong()
                                        : null,
                                one.path("lagSeconds").isNumber()
                                        ? one.path("lagSeconds").asDouble()
                                        : null));
            }
            return new Told(node, root.path("atMs").asLong(), answeredMs, lags);
        }
    }

    /// The groups that are told.
    List<String> groups() {
        return new ArrayList<>(
                lags.keySet().stream().map(Place::group).distinct().sorted().toList());
    }
}
