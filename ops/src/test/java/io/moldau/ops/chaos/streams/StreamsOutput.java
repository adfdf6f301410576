package io.moldau.ops.chaos.streams;

import io.moldau.ops.chaos.transaction.TopicContents;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.stream.IntStream;
import org.apache.kafka.common.TopicPartition;

/// What the programs have written, as a read_committed consumer is given it: all values of each key, in their order.
public record StreamsOutput(
        Map<String, List<String>> counts, Map<String, List<String>> joined, Map<String, List<String>> sums) {

    public static StreamsOutput read(String bootstrap) {
        return new StreamsOutput(
                read(bootstrap, StreamsPrograms.COUNTS),
                read(bootstrap, StreamsPrograms.JOINED),
                read(bootstrap, StreamsPrograms.SUMS));
    }

    private static Map<String, List<String>> read(String bootstrap, String topic) {
        int partitions = Objects.requireNonNull(StreamsPrograms.TOPICS.get(topic));
        var contents = TopicContents.read(
                bootstrap,
                IntStream.range(0, partitions)
                        .mapToObj(it -> new TopicPartition(topic, it))
                        .toList(),
                "read_committed");
        var byKey = new TreeMap<String, List<String>>();
        for (var records : contents.records().values()) {
            for (var record : records) {
                byKey.computeIfAbsent(text(record.key()), key -> new ArrayList<>())
                        .add(text(record.value()));
            }
        }
        return byKey;
    }

    private static String text(byte[] bytes) {
        return new String(bytes, StandardCharsets.UTF_8);
    }

    public long size() {
        return size(counts) + size(joined) + size(sums);
    }

    private static long size(Map<String, List<String>> values) {
        return values.values().stream().mapToLong(List::size).sum();
    }

    /// Everything in which this is not what the input comes to. Counts go up by one, every order is
    /// joined once, and the last sum of each window is that of its payments.
    public List<String> differences(StreamsInput input) {
        var found = new ArrayList<String>();
        var expectedCounts = new TreeMap<String, List<String>>();
        input.counts()
                .forEach((word, count) -> expectedCounts.put(
                        word,
                        IntStream.rangeClosed(1, count.intValue())
                                .mapToObj(Integer::toString)
                                .toList()));
        compare("count of ", expectedCounts, counts, found);
        var expectedNames = new TreeMap<String, List<String>>();
        input.joined().forEach((order, name) -> expectedNames.put(order, List.of(name)));
        var names = new TreeMap<String, List<String>>();
        joined.values().stream().flatMap(List::stream).forEach(it -> {
            var words = it.split("/", 2);
            names.computeIfAbsent(words[0], order -> new ArrayList<>()).add(words[1]);
        });
        compare("", expectedNames, names, found);
        var expectedSums = new TreeMap<String, List<String>>();
        input.sums().forEach((window, sum) -> expectedSums.put(window, List.of(Long.toString(sum))));
        var lastSums = new TreeMap<String, List<String>>();
        sums.forEach((window, values) -> lastSums.put(window, List.of(values.getLast())));
        compare("last sum of ", expectedSums, lastSums, found);
        return found;
    }

    private static void compare(
            String what, Map<String, List<String>> expected, Map<String, List<String>> actual, List<String> found) {
        expected.forEach((key, values) -> {
            if (!values.equals(actual.get(key))) {
                found.add(what + key + " is " + actual.get(key) + " and not " + values);
            }
        });
        actual.keySet().stream()
                .filter(it -> !expected.containsKey(it))
                .forEach(it -> found.add(what + it + " is not of the input"));
    }
}
