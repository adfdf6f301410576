package io.moldau.metadata.controller;

import io.moldau.common.ApiError;
import io.moldau.metadata.image.ConfigResource;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// Knows the configuration keys. The controller asks it before overrides go into the log.
public interface ConfigValidator {

    /// @param overrides every override the resource would have
    /// @return what is wrong, if anything: mostly INVALID_CONFIG with a message that names key, value and remedy
    Optional<ApiError> validate(ConfigResource resource, Map<String, String> overrides);

    /// Whether the key takes a list, so that elements can be appended and subtracted.
    default boolean isList(ConfigResource.Type type, String key) {
        return false;
    }

    /// The key's default, which is what elements are appended to when there is no override; null if there is none.
    default @Nullable String defaultValue(ConfigResource.Type type, String key) {
        return null;
    }

    /// Accepts everything; for tests of other things.
    static ConfigValidator acceptAll() {
        return (resource, overrides) -> Optional.empty();
    }
}
