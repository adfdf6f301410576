package io.moldau.broker.replica;

import io.moldau.metadata.image.MetadataImage;

/// Knows what a topic's settings are under a metadata image: its overrides, the broker's, and the defaults.
@FunctionalInterface
public interface TopicSettingsSource {

    TopicSettings settings(MetadataImage image, String topic);
}
