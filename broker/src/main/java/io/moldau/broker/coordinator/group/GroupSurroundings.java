package io.moldau.broker.coordinator.group;

import io.moldau.metadata.image.MetadataImage;
import java.util.function.Supplier;

/// What a shard's groups depend on outside of it.
///
/// @param image the metadata as it is now
/// @param settings of single groups
/// @param events for whoever counts them
public record GroupSurroundings(Supplier<MetadataImage> image, GroupSettings settings, GroupEvents events) {}
