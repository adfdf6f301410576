package io.moldau.metadata.quorum;

import io.moldau.metadata.image.MetadataImage;

/// A batch was committed and applied on this node.
///
/// @param index its Raft index
/// @param image the image right after it
public record Applied(long index, MetadataImage image) {}
