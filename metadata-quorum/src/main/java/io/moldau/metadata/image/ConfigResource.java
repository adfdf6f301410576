package io.moldau.metadata.image;

/// What a configuration belongs to. A broker resource without a name is the default of all brokers.
public record ConfigResource(Type type, String name) {

    /// Kafka's resource types that can carry configuration.
    public enum Type {
        TOPIC(2),
        BROKER(4),
        BROKER_LOGGER(8),
        CLIENT_METRICS(16),
        GROUP(32);

        private final int code;

        Type(int code) {
            this.code = code;
        }

        public byte code() {
            return (byte) code;
        }

        /// @throws IllegalArgumentException if no type has this code
        public static Type forCode(int code) {
            for (Type type : values()) {
                if (type.code == code) {
                    return type;
                }
            }
            throw new IllegalArgumentException("no configuration resource type has the code " + code);
        }

        public static boolean exists(int code) {
            for (Type type : values()) {
                if (type.code == code) {
                    return true;
                }
            }
            return false;
        }
    }

    public static ConfigResource topic(String name) {
        return new ConfigResource(Type.TOPIC, name);
    }

    public static ConfigResource broker(int id) {
        return new ConfigResource(Type.BROKER, Integer.toString(id));
    }

    /// The default of all brokers.
    public static ConfigResource brokerDefault() {
        return new ConfigResource(Type.BROKER, "");
    }
}
