package io.moldau.wire.record;

import org.jspecify.annotations.Nullable;

/// Who sets the timestamps of a topic's records (KIP-32), by the name of `message.timestamp.type`.
public enum TimestampType {
    CREATE_TIME("CreateTime"),
    LOG_APPEND_TIME("LogAppendTime");

    private final String configName;

    TimestampType(String configName) {
        this.configName = configName;
    }

    public String configName() {
        return configName;
    }

    /// The type with this configuration name, or null.
    public static @Nullable TimestampType forConfigName(String name) {
        for (TimestampType type : values()) {
            if (type.configName.equals(name)) {
                return type;
            }
        }
        return null;
    }
}
