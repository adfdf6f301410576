package io.moldau.broker.config;

/// Where a value comes from, with Kafka's codes in DescribeConfigs.
public enum ConfigSource {
    DYNAMIC_TOPIC_CONFIG(1),
    DYNAMIC_BROKER_CONFIG(2),
    DYNAMIC_DEFAULT_BROKER_CONFIG(3),
    STATIC_BROKER_CONFIG(4),
    DEFAULT_CONFIG(5),
    DYNAMIC_BROKER_LOGGER_CONFIG(6),
    DYNAMIC_CLIENT_METRICS_CONFIG(7),
    DYNAMIC_GROUP_CONFIG(8);

    private final byte code;

    ConfigSource(int code) {
        this.code = (byte) code;
    }

    public byte code() {
        return code;
    }
}
