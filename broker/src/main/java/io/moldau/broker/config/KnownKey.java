package io.moldau.broker.config;

import io.moldau.common.config.ConfigKey;
import io.moldau.common.config.ConfigSchema;
import java.util.List;

/// A key together with what it is worth in this release.
record KnownKey(ConfigKey<?> key, Standing standing, Update update) {

    /// What setting a key does.
    sealed interface Standing {
        /// What its documentation says.
        record Used() implements Standing {}

        /// Nothing, and that is no loss.
        record Accepted(String reason) implements Standing {}

        /// It asks for something that is not built, so any value but the default is refused.
        record Later(String reason) implements Standing {}
    }

    /// When a key can be changed (KIP-226).
    enum Update {
        READ_ONLY("read-only"),
        PER_BROKER("per-broker"),
        CLUSTER_WIDE("cluster-wide");

        private final String text;

        Update(String text) {
            this.text = text;
        }

        String text() {
            return text;
        }
    }

    static KnownKey used(ConfigKey<?> key) {
        return new KnownKey(key, new Standing.Used(), Update.READ_ONLY);
    }

    static KnownKey accepted(ConfigKey<?> key, String reason) {
        return new KnownKey(key, new Standing.Accepted(reason), Update.READ_ONLY);
    }

    static KnownKey later(ConfigKey<?> key, String reason) {
        return new KnownKey(key, new Standing.Later(reason), Update.READ_ONLY);
    }

    /// One broker can be told while it runs, or all of them.
    KnownKey perBroker() {
        return new KnownKey(key, standing, Update.PER_BROKER);
    }

    /// All brokers can be told while they run, or one of them.
    KnownKey clusterWide() {
        return new KnownKey(key, standing, Update.CLUSTER_WIDE);
    }

    String name() {
        return key.name();
    }

    boolean isDynamic() {
        return update != Update.READ_ONLY;
    }

    static ConfigSchema schema(List<KnownKey> keys) {
        return ConfigSchema.of(keys.stream().map(KnownKey::key).toList());
    }
}
