package io.moldau.broker.config;

import io.moldau.common.config.ConfigKey;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// A setting with everything DescribeConfigs tells about it.
///
/// @param value what is in effect; null if unset or secret
/// @param synonyms where a value could come from, the one in effect first
public record DescribedConfig(
        ConfigKey<?> key, @Nullable String value, ConfigSource source, boolean readOnly, List<Synonym> synonyms) {

    /// One place that gives the setting a value.
    public record Synonym(String name, @Nullable String value, ConfigSource source) {}
}
