package io.moldau.metadata.image.publisher;

import io.moldau.metadata.image.MetadataDelta;
import io.moldau.metadata.image.MetadataImage;
import io.moldau.metadata.image.loader.LoaderManifest;

/// Wants to know about new metadata.
///
/// Called on the loader's thread, in the order the publishers were given, one image after the other. Must not
/// block. An
/// exception goes to the node's fault handler and does not keep the other publishers from being called.
public interface MetadataPublisher {

    /// For the log.
    String name();

    /// @param delta what changed; its base is the image of the previous call ([MetadataImage#EMPTY] at first)
    /// @param newImage the image to go by from now on
    void onMetadataUpdate(MetadataDelta delta, MetadataImage newImage, LoaderManifest manifest);
}
