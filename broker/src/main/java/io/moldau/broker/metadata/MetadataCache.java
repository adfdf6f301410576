package io.moldau.broker.metadata;

import io.moldau.metadata.image.MetadataDelta;
import io.moldau.metadata.image.MetadataImage;
import io.moldau.metadata.image.loader.LoaderManifest;
import io.moldau.metadata.image.publisher.MetadataPublisher;

/// The newest metadata image of this node. The loader writes, anyone reads; the first of the publishers, so that a
/// client that sees an effect of an image also sees the image.
public final class MetadataCache implements MetadataPublisher {

    private volatile MetadataImage image = MetadataImage.EMPTY;

    public MetadataImage image() {
        return image;
    }

    @Override
    public String name() {
        return "metadata cache";
    }

    @Override
    public void onMetadataUpdate(MetadataDelta delta, MetadataImage newImage, LoaderManifest manifest) {
        image = newImage;
    }
}
