package io.moldau.metadata.controller;

import io.moldau.common.ApiError;
import io.moldau.metadata.image.ConfigResource;
import java.util.Map;
import java.util.Optional;

/// Knows the configuration keys. The controller asks it before overrides go into the log.
public interface ConfigValidator {

    /// @param overrides every override the resource would have
    /// @return what is wrong, if anything: mostly INVALID_CONFIG with a message that names key, value and remedy
    Optional<ApiError> validate(ConfigResource resource, Map<String, String> overrides);

    /// Accepts everything; for tests of other things.
    static ConfigValidator acceptAll() {
        return (resource, overrides) -> Optional.empty();
    }
}
