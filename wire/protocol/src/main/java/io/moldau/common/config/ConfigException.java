package io.moldau.common.config;

/// A configuration that cannot be used. The message names key, value and remedy, for the person who wrote it.
public final class ConfigException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    public ConfigException(String message) {
        super(message);
    }

    static ConfigException invalid(String key, String value, String reason) {
        return new ConfigException("Invalid value " + value + " for configuration " + key + ": " + reason);
    }
}
