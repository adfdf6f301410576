package io.moldau.ops.report;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.OptionalDouble;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// What a node's `/metrics` told, as far as a command looks at it. A value.
///
/// @param text in Prometheus' text format
public record Scraped(String text) {

    private static final Pattern LABEL = Pattern.compile("([a-z_]+)=\"([^\"]*)\"");

    /// The value of a metric without labels.
    public OptionalDouble value(String name) {
        return text.lines()
                .filter(line -> line.startsWith(name + " "))
                .mapToDouble(line -> Double.parseDouble(line.substring(name.length() + 1)))
                .findFirst();
    }

    /// The values of a metric with labels, by the values of its labels in the order in which they stand there, with a
    /// blank between.
    public Map<String, Double> values(String name) {
        Map<String, Double> values = new LinkedHashMap<>();
        text.lines().filter(line -> line.startsWith(name + "{")).forEach(line -> {
            int end = line.lastIndexOf('}');
            Matcher label = LABEL.matcher(line.substring(name.length(), end));
            var key = new StringBuilder();
            while (label.find()) {
                key.append(key.isEmpty() ? "" : " ").append(label.group(2));
            }
            values.put(
                    key.toString(), Double.parseDouble(line.substring(end + 1).strip()));
        });
        return values;
    }
}
