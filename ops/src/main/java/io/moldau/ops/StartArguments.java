package io.moldau.ops;

import java.nio.file.Path;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// What stands after `moldau start`.
///
/// Taken apart by hand: a command-line library would cost a start more than opening the data directory does.
///
/// @param data      the folder for topics and metadata
/// @param config    a file of Kafka broker properties
/// @param overrides single keys, in the order given; the last value of a key wins
record StartArguments(Optional<Path> data, Optional<Path> config, Map<String, String> overrides) {

    StartArguments {
        overrides = Collections.unmodifiableMap(new LinkedHashMap<>(overrides));
    }

    static StartArguments parse(List<String> words) {
        Optional<Path> data = Optional.empty();
        Optional<Path> config = Optional.empty();
        var overrides = new LinkedHashMap<String, String>();
        for (int i = 0; i < words.size(); i++) {
            var word = words.get(i);
            // Both `--data DIR` and `--data=DIR` are common; accept either.
            int equals = word.startsWith("--") ? word.indexOf('=') : -1;
            var option = equals < 0 ? word : word.substring(0, equals);
            switch (option) {
                case "--data", "--config", "-o" -> {
                    String value;
                    if (equals >= 0) {
                        value = word.substring(equals + 1);
                    } else if (i + 1 < words.size()) {
                        value = words.get(++i);
                    } else {
                        throw new UsageException("Option " + option + " needs a value after it.");
                    }
                    switch (option) {
                        case "--data" -> data = Optional.of(path(option, value));
                        case "--config" -> config = Optional.of(path(option, value));
                        default -> putOverride(overrides, value);
                    }
                }
                default ->
                    throw new UsageException("Unknown option '" + word
                            + "' for start; it knows --data DIR, --config FILE and -o KEY=VALUE.");
            }
        }
        return new StartArguments(data, config, overrides);
    }

    private static Path path(String option, String value) {
        if (value.isBlank()) {
            throw new UsageException("Option " + option + " needs a path, and got an empty one.");
        }
        return Path.of(value);
    }

    private static void putOverride(Map<String, String> overrides, String assignment) {
        int equals = assignment.indexOf('=');
        if (equals <= 0) {
            throw new UsageException(
                    "Option -o needs KEY=VALUE, like -o num.partitions=3, and got '" + assignment + "'.");
        }
        overrides.put(assignment.substring(0, equals).strip(), assignment.substring(equals + 1));
    }
}
