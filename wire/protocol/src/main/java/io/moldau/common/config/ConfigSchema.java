package io.moldau.common.config;

import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// The keys a configuration may have, in the order they are documented. Immutable.
public final class ConfigSchema {

    private final Map<String, ConfigKey<?>> keys;

    private ConfigSchema(Map<String, ConfigKey<?>> keys) {
        this.keys = Collections.unmodifiableMap(keys);
    }

    /// @throws IllegalArgumentException if two keys have the same name
    public static ConfigSchema of(List<? extends ConfigKey<?>> keys) {
        Map<String, ConfigKey<?>> byName = new LinkedHashMap<>();
        for (ConfigKey<?> key : keys) {
            if (byName.put(key.name(), key) != null) {
                throw new IllegalArgumentException("two keys are called " + key.name());
            }
        }
        return new ConfigSchema(byName);
    }

    public Collection<ConfigKey<?>> keys() {
        return keys.values();
    }

    public @Nullable ConfigKey<?> key(String name) {
        return keys.get(name);
    }

    /// Checks every key and value.
    ///
    /// @throws ConfigException at the first key that is unknown (naming the nearest known one), value that does not
    /// parse, or required key that is missing
    public ConfigValues parse(Map<String, String> settings) {
        Map<ConfigKey<?>, Object> values = new LinkedHashMap<>();
        for (Map.Entry<String, String> setting : settings.entrySet()) {
            @Nullable ConfigKey<?> key = keys.get(setting.getKey());
            if (key == null) {
                throw unknown(setting.getKey());
            }
            values.put(key, parsed(key, setting.getValue()));
        }
        for (ConfigKey<?> key : keys.values()) {
            if (key.isRequired() && !values.containsKey(key)) {
                throw new ConfigException("Missing required configuration " + key.name() + ". " + key.documentation());
            }
        }
        return new ConfigValues(values, settings);
    }

    private static <T> Object parsed(ConfigKey<T> key, String text) {
        Object value = key.parse(text);
        if (value == null) {
            throw new IllegalStateException(key + " parses to nothing");
        }
        return value;
    }

    /// The refusal of a key that is not known.
    public ConfigException unknown(String name) {
        String nearest = nearest(name);
        return new ConfigException("Unknown configuration " + name
                + (nearest == null ? "." : ". The nearest valid name is " + nearest + "."));
    }

    /// The known name that takes the fewest changes of single characters; null if there are no keys.
    public @Nullable String nearest(String name) {
        return nearest(name, keys.keySet());
    }

    /// The same among other names.
    public static @Nullable String nearest(String name, Iterable<String> names) {
        String best = null;
        int bestDistance = Integer.MAX_VALUE;
        for (String candidate : names) {
            int distance = distance(name, candidate, bestDistance);
            if (distance < bestDistance) {
                best = candidate;
                bestDistance = distance;
            }
        }
        return best;
    }

    /// Levenshtein's distance, or `bound` if it is not below that.
    private static int distance(String a, String b, int bound) {
        if (Math.abs(a.length() - b.length()) >= bound) {
            return bound;
        }
        int[] previous = new int[b.length() + 1];
        int[] current = new int[b.length() + 1];
        for (int j = 0; j <= b.length(); j++) {
            previous[j] = j;
        }
        for (int i = 1; i <= a.length(); i++) {
            current[0] = i;
            for (int j = 1; j <= b.length(); j++) {
                int replace = previous[j - 1] + (a.charAt(i - 1) == b.charAt(j - 1) ? 0 : 1);
                current[j] = Math.min(replace, Math.min(previous[j], current[j - 1]) + 1);
            }
            int[] swap = previous;
            previous = current;
            current = swap;
        }
        return previous[b.length()];
    }
}
