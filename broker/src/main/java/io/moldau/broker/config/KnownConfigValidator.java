package io.moldau.broker.config;

import io.moldau.broker.config.KnownKey.Standing;
import io.moldau.common.ApiError;
import io.moldau.common.Errors;
import io.moldau.common.config.ConfigException;
import io.moldau.common.config.ConfigKey;
import io.moldau.common.config.ConfigSchema;
import io.moldau.common.config.ConfigType;
import io.moldau.metadata.controller.ConfigValidator;
import io.moldau.metadata.image.ConfigResource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// Judges overrides by the keys this release knows. Pure; the controller asks it before anything is written.
public final class KnownConfigValidator implements ConfigValidator {

    private final NodeConfig node;

    /// @param node for the limits that a broker's settings put on those of groups
    public KnownConfigValidator(NodeConfig node) {
        this.node = node;
    }

    @Override
    public Optional<ApiError> validate(ConfigResource resource, Map<String, String> overrides) {
        return Optional.ofNullable(
                switch (resource.type()) {
                    case TOPIC -> topic(resource.name(), overrides);
                    case BROKER -> broker(resource.name(), overrides);
                    case GROUP -> group(resource.name(), overrides);
                    case CLIENT_METRICS -> clientMetrics(resource.name(), overrides);
                    case BROKER_LOGGER ->
                        new ApiError(
                                Errors.INVALID_REQUEST,
                                "Log levels belong to one broker and are not kept: send the request to broker "
                                        + resource.name() + " itself.");
                });
    }

    @Override
    public boolean isList(ConfigResource.Type type, String key) {
        ConfigKey<?> known = key(type, key);
        return known != null && known.type().kind() == ConfigType.Kind.LIST;
    }

    @Override
    public @Nullable String defaultValue(ConfigResource.Type type, String key) {
        ConfigKey<?> known = key(type, key);
        if (known == null) {
            return null;
        }
        String own = type == ConfigResource.Type.BROKER ? node.texts().get(key) : null;
        if (own != null) {
            return own;
        }
        for (String standIn : known.synonyms()) {
            String value = node.texts().get(standIn);
            if (value != null) {
                return value;
            }
        }
        return known.defaultText();
    }

    private static @Nullable ConfigKey<?> key(ConfigResource.Type type, String name) {
        return switch (type) {
            case TOPIC -> TopicConfigKeys.SCHEMA.key(name);
            case BROKER -> {
                KnownKey known = BrokerConfigKeys.find(name);
                yield known == null ? null : known.key();
            }
            case GROUP -> GroupConfigKeys.SCHEMA.key(name);
            case CLIENT_METRICS -> ClientMetricsConfigKeys.SCHEMA.key(name);
            case BROKER_LOGGER -> null;
        };
    }

    private static @Nullable ApiError topic(String topic, Map<String, String> overrides) {
        if (topic.isEmpty()) {
            return new ApiError(Errors.INVALID_REQUEST, "Default topic resources are not allowed: name the topic.");
        }
        ApiError error = check("topic", TopicConfigKeys.SCHEMA, TopicConfigKeys.ALL, overrides);
        if (error != null) {
            return error;
        }
        long min = value(TopicConfigKeys.MIN_COMPACTION_LAG_MS, overrides);
        long max = value(TopicConfigKeys.MAX_COMPACTION_LAG_MS, overrides);
        if (min > max) {
            return invalid("min.compaction.lag.ms (" + min + ") is greater than max.compaction.lag.ms (" + max
                    + "): lower the one or raise the other.");
        }
        return null;
    }

    private static @Nullable ApiError broker(String broker, Map<String, String> overrides) {
        List<String> fixed = new ArrayList<>();
        List<String> perBroker = new ArrayList<>();
        for (Map.Entry<String, String> override : overrides.entrySet()) {
            String name = override.getKey();
            KnownKey known = BrokerConfigKeys.find(name);
            if (known == null) {
                if (name.startsWith("listener.name.")) {
                    return invalid("Configuration " + name + ": settings of a single listener are not built yet.");
                }
                return invalid(BrokerConfigKeys.SCHEMA.unknown(name).getMessage());
            }
            if (!known.isDynamic()) {
                fixed.add(name);
            } else if (broker.isEmpty() && known.update() == KnownKey.Update.PER_BROKER) {
                perBroker.add(name);
            } else {
                ApiError error = checkValue(known, override.getValue(), Errors.INVALID_REQUEST);
                if (error != null) {
                    return error;
                }
            }
        }
        if (!fixed.isEmpty()) {
            return new ApiError(
                    Errors.INVALID_REQUEST,
                    "Cannot update these configs dynamically: " + fixed
                            + ". Set them in the node's configuration and restart it.");
        }
        if (!perBroker.isEmpty()) {
            return new ApiError(
                    Errors.INVALID_REQUEST,
                    "Cannot update these configs for all brokers at once: " + perBroker + ". Name one broker.");
        }
        return null;
    }

    private @Nullable ApiError group(String group, Map<String, String> overrides) {
        if (group.isEmpty()) {
            return new ApiError(Errors.INVALID_REQUEST, "Default group resources are not allowed: name the group.");
        }
        ApiError error = check("group", GroupConfigKeys.SCHEMA, GroupConfigKeys.ALL, overrides);
        if (error != null) {
            return error;
        }
        for (Map.Entry<String, String> override : overrides.entrySet()) {
            error = withinBrokerLimits(override.getKey(), override.getValue());
            if (error != null) {
                return error;
            }
        }
        return consistent(overrides);
    }

    private @Nullable ApiError withinBrokerLimits(String name, String text) {
        long value;
        try {
            value = Long.parseLong(text.strip());
        } catch (NumberFormatException e) {
            return null;
        }
        GroupLimits limits = GroupLimits.of(name, node);
        return limits.contain(value)
                ? null
                : invalid(name + " must be in the range " + limits.min() + " to " + limits.max()
                        + ", the limits of this cluster's brokers.");
    }

    /// What holds between a group's settings, and between them and the brokers'.
    private @Nullable ApiError consistent(Map<String, String> overrides) {
        for (String kind : List.of("consumer", "share", "streams")) {
            String session = kind + ".session.timeout.ms";
            String heartbeat = kind + ".heartbeat.interval.ms";
            if (overrides.containsKey(session) || overrides.containsKey(heartbeat)) {
                long silence = inEffect(session, overrides);
                long interval = inEffect(heartbeat, overrides);
                if (silence <= interval) {
                    return invalid(session + " (" + silence + ") must be greater than " + heartbeat + " (" + interval
                            + "): members would be removed between two heartbeats.");
                }
            }
        }
        List<String> tags = GroupConfigKeys.STREAMS_RACK_AWARE_ASSIGNMENT_TAGS.parse(
                overrides.getOrDefault(GroupConfigKeys.STREAMS_RACK_AWARE_ASSIGNMENT_TAGS.name(), ""));
        if (Set.copyOf(tags).size() != tags.size()) {
            return invalid("streams.rack.aware.assignment.tags names a tag twice: " + tags);
        }
        String assignor = overrides.get("streams.assignor.name");
        if (assignor != null && !node.get(GroupKeys.GROUP_STREAMS_ASSIGNORS).contains(assignor)) {
            return invalid("streams.assignor.name must be one of group.streams.assignors of the brokers: "
                    + node.get(GroupKeys.GROUP_STREAMS_ASSIGNORS));
        }
        if (overrides.getOrDefault("errors.deadletterqueue.topic.name", "").startsWith("__")) {
            return invalid("errors.deadletterqueue.topic.name must not begin with __, as internal topics do.");
        }
        return null;
    }

    private long inEffect(String name, Map<String, String> overrides) {
        String text = overrides.get(name);
        text = text == null ? defaultValue(ConfigResource.Type.GROUP, name) : text;
        return text == null ? 0 : Long.parseLong(text.strip());
    }

    private static @Nullable ApiError clientMetrics(String subscription, Map<String, String> overrides) {
        if (subscription.isEmpty()) {
            return new ApiError(Errors.INVALID_REQUEST, "Client metrics subscriptions have a name: give it one.");
        }
        ApiError error =
                check("client metrics", ClientMetricsConfigKeys.SCHEMA, ClientMetricsConfigKeys.ALL, overrides);
        // Kafka's code for this one value differs from all the others'.
        return error == null || checkInterval(overrides) == null
                ? error
                : new ApiError(Errors.INVALID_REQUEST, error.message());
    }

    private static @Nullable ApiError checkInterval(Map<String, String> overrides) {
        String text = overrides.get(ClientMetricsConfigKeys.INTERVAL_MS.name());
        return text == null
                ? null
                : checkValue(ClientMetricsConfigKeys.INTERVAL_MS, new Standing.Used(), text, Errors.INVALID_REQUEST);
    }

    private static @Nullable ApiError check(
            String kind, ConfigSchema schema, List<KnownKey> keys, Map<String, String> overrides) {
        for (Map.Entry<String, String> override : overrides.entrySet()) {
            String name = override.getKey();
            KnownKey known = keys.stream()
                    .filter(key -> key.name().equals(name))
                    .findFirst()
                    .orElse(null);
            if (known == null) {
                return invalid("Unknown " + kind + " config name: " + name + ". The nearest valid name is "
                        + schema.nearest(name) + ".");
            }
            ApiError error = checkValue(known, override.getValue(), Errors.INVALID_CONFIG);
            if (error != null) {
                return error;
            }
        }
        return null;
    }

    private static @Nullable ApiError checkValue(KnownKey known, String text, Errors errorCode) {
        return checkValue(known.key(), known.standing(), text, errorCode);
    }

    private static <T> @Nullable ApiError checkValue(
            ConfigKey<T> key, Standing standing, String text, Errors errorCode) {
        T value;
        try {
            value = key.parse(text);
        } catch (ConfigException e) {
            return new ApiError(errorCode, e.getMessage());
        }
        if (standing instanceof Standing.Later(String reason)
                && !value.equals(key.defaultValue())
                && !value.equals("")) {
            return new ApiError(errorCode, "Configuration " + key.name() + " cannot be honoured: " + reason);
        }
        return null;
    }

    private static <T> T value(ConfigKey<T> key, Map<String, String> overrides) {
        String text = overrides.get(key.name());
        if (text != null) {
            return key.parse(text);
        }
        T value = key.defaultValue();
        if (value == null) {
            throw new IllegalStateException(key + " has no default");
        }
        return value;
    }

    private static ApiError invalid(@Nullable String message) {
        return new ApiError(Errors.INVALID_CONFIG, message);
    }
}
