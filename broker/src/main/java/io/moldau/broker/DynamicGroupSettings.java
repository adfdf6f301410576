package io.moldau.broker;

import io.moldau.broker.config.ConfigResolver;
import io.moldau.broker.config.GroupConfigKeys;
import io.moldau.broker.coordinator.group.GroupSettings;
import io.moldau.common.config.ConfigKey;
import io.moldau.metadata.image.MetadataImage;
import java.util.function.Supplier;

/// Settings of groups out of the metadata as it is now. Thread-safe.
record DynamicGroupSettings(ConfigResolver resolver, Supplier<MetadataImage> image) implements GroupSettings {

    @Override
    public int sessionTimeoutMs(String groupId) {
        return inEffect(GroupConfigKeys.CONSUMER_SESSION_TIMEOUT_MS, groupId);
    }

    @Override
    public int heartbeatIntervalMs(String groupId) {
        return inEffect(GroupConfigKeys.CONSUMER_HEARTBEAT_INTERVAL_MS, groupId);
    }

    @Override
    public int assignmentIntervalMs(String groupId) {
        return inEffect(GroupConfigKeys.CONSUMER_ASSIGNMENT_INTERVAL_MS, groupId);
    }

    private int inEffect(ConfigKey<Integer> key, String groupId) {
        return resolver.ofGroup(key, groupId, image.get().configs());
    }
}
