package io.moldau.ops.metrics;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// One answer of `/metrics`, taken apart.
///
/// @param types by family
public record Scrape(Map<String, String> types, List<Sample> samples) {

    private static final Pattern LINE = Pattern.compile("([a-zA-Z_:][a-zA-Z0-9_:]*)(?:\\{(.*)})? (\\S+)");
    private static final Pattern LABEL = Pattern.compile("([a-zA-Z_][a-zA-Z0-9_]*)=\"((?:[^\"\\\\]|\\\\.)*)\"");

    /// One line.
    public record Sample(String name, Map<String, String> labels, double value) {}

    /// Asks the node whose admin listener this is.
    public static Scrape of(String url) throws IOException, InterruptedException {
        try (var client = HttpClient.newHttpClient()) {
            var answer = client.send(
                    HttpRequest.newBuilder(URI.create(url + "/metrics")).build(), BodyHandlers.ofString());
            if (answer.statusCode() != 200) {
                throw new IOException("/metrics answered " + answer.statusCode() + ": " + answer.body());
            }
            return parse(answer.body());
        }
    }

    static Scrape parse(String text) {
        var types = new TreeMap<String, String>();
        var samples = new ArrayList<Sample>();
        for (String line : text.split("\n")) {
            if (line.startsWith("# TYPE ")) {
                String[] words = line.split(" ");
                types.put(words[2], words[3]);
            } else if (!line.startsWith("#") && !line.isBlank()) {
                Matcher matcher = LINE.matcher(line);
                if (!matcher.matches()) {
                    throw new AssertionError("not a line of metrics: " + line);
                }
                var labels = new LinkedHashMap<String, String>();
                if (matcher.group(2) != null) {
                    Matcher label = LABEL.matcher(matcher.group(2));
                    while (label.find()) {
                        labels.put(label.group(1), label.group(2));
                    }
                }
                samples.add(new Sample(matcher.group(1), labels, Double.parseDouble(matcher.group(3))));
            }
        }
        return new Scrape(types, samples);
    }

    /// The sum of all values of that name with these labels, given as name and value in turn.
    public double sum(String name, String... labels) {
        return samples.stream()
                .filter(sample -> sample.name().equals(name) && has(sample, labels))
                .mapToDouble(Sample::value)
                .sum();
    }

    public boolean contains(String name, String... labels) {
        return samples.stream().anyMatch(sample -> sample.name().equals(name) && has(sample, labels));
    }

    private static boolean has(Sample sample, String... labels) {
        for (int i = 0; i < labels.length; i += 2) {
            if (!labels[i + 1].equals(sample.labels().get(labels[i]))) {
                return false;
            }
        }
        return true;
    }
}
