package io.moldau.common.config;

import java.util.List;
import org.jspecify.annotations.Nullable;

/// One setting: its name, its type, what it is by default and what it is for. Immutable.
///
/// A key without default is either required or simply unset until somebody sets it.
public final class ConfigKey<T> {

    /// How likely somebody is to set it, in Kafka's three steps.
    public enum Importance {
        HIGH,
        MEDIUM,
        LOW
    }

    private final String name;
    private final ConfigType<T> type;
    private final @Nullable T defaultValue;
    private final boolean required;
    private final boolean internal;
    private final Importance importance;
    private final String documentation;
    private final List<String> synonyms;

    private ConfigKey(
            String name,
            ConfigType<T> type,
            @Nullable T defaultValue,
            boolean required,
            boolean internal,
            Importance importance,
            String documentation,
            List<String> synonyms) {
        this.name = name;
        this.type = type;
        this.defaultValue = defaultValue;
        this.required = required;
        this.internal = internal;
        this.importance = importance;
        this.documentation = documentation;
        this.synonyms = synonyms;
    }

    public static <T> ConfigKey<T> of(String name, ConfigType<T> type) {
        return new ConfigKey<>(name, type, null, false, false, Importance.MEDIUM, "", List.of());
    }

    public ConfigKey<T> defaultTo(T value) {
        return new ConfigKey<>(name, type, value, false, internal, importance, documentation, synonyms);
    }

    /// A configuration without this key is refused.
    public ConfigKey<T> require() {
        return new ConfigKey<>(name, type, null, true, internal, importance, documentation, synonyms);
    }

    /// Not shown to clients.
    public ConfigKey<T> hidden() {
        return new ConfigKey<>(name, type, defaultValue, required, true, importance, documentation, synonyms);
    }

    public ConfigKey<T> importance(Importance newImportance) {
        return new ConfigKey<>(name, type, defaultValue, required, internal, newImportance, documentation, synonyms);
    }

    public ConfigKey<T> describedAs(String text) {
        return new ConfigKey<>(name, type, defaultValue, required, internal, importance, text, synonyms);
    }

    /// Other keys that stand in for this one when it is not set, the strongest first.
    public ConfigKey<T> standInFor(String... names) {
        return new ConfigKey<>(name, type, defaultValue, required, internal, importance, documentation, List.of(names));
    }

    public String name() {
        return name;
    }

    public ConfigType<T> type() {
        return type;
    }

    public @Nullable T defaultValue() {
        return defaultValue;
    }

    /// The default as one would write it, null if there is none.
    public @Nullable String defaultText() {
        return defaultValue == null ? null : type.format(defaultValue);
    }

    public boolean isRequired() {
        return required;
    }

    public boolean isHidden() {
        return internal;
    }

    public boolean isSensitive() {
        return type.kind() == ConfigType.Kind.PASSWORD;
    }

    public Importance importance() {
        return importance;
    }

    public String documentation() {
        return documentation;
    }

    public List<String> synonyms() {
        return synonyms;
    }

    /// @throws ConfigException if the text is not a value of this key
    public T parse(String text) {
        return type.parse(name, text);
    }

    @Override
    public String toString() {
        return name;
    }
}
