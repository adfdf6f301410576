package io.moldau.common.config;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.NoSuchElementException;
import org.jspecify.annotations.Nullable;

/// A configuration that has been checked: what was set, and the defaults behind it. Immutable.
public final class ConfigValues {

    private final Map<ConfigKey<?>, Object> values;
    private final Map<String, String> texts;

    ConfigValues(Map<ConfigKey<?>, Object> values, Map<String, String> texts) {
        this.values = Map.copyOf(values);
        this.texts = Collections.unmodifiableMap(new LinkedHashMap<>(texts));
    }

    /// The value of a key that is set or has a default.
    ///
    /// @throws NoSuchElementException if it has neither
    public <T> T get(ConfigKey<T> key) {
        @Nullable T value = find(key);
        if (value == null) {
            throw new NoSuchElementException(key + " is not set and has no default");
        }
        return value;
    }

    /// The value of a key, its default, or null.
    // Every value was made by its own key's parser.
    @SuppressWarnings("unchecked")
    public <T> @Nullable T find(ConfigKey<T> key) {
        @Nullable Object value = values.get(key);
        return value == null ? key.defaultValue() : (T) value;
    }

    /// Whether somebody set the key, be it to its default.
    public boolean isSet(ConfigKey<?> key) {
        return values.containsKey(key);
    }

    /// What was set, as it was written.
    public Map<String, String> texts() {
        return texts;
    }
}
