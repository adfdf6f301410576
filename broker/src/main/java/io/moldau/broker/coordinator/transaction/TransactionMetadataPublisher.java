package io.moldau.broker.coordinator.transaction;

import io.moldau.metadata.image.MetadataDelta;
import io.moldau.metadata.image.MetadataImage;
import io.moldau.metadata.image.loader.LoaderManifest;
import io.moldau.metadata.image.publisher.MetadataPublisher;

/// Tells the transaction coordinator which partitions of its topic this node leads. Runs on the metadata loader's
/// thread, after the partitions themselves have been told.
public final class TransactionMetadataPublisher implements MetadataPublisher {

    private final int localId;
    private final TransactionCoordinator coordinator;

    public TransactionMetadataPublisher(int localId, TransactionCoordinator coordinator) {
        this.localId = localId;
        this.coordinator = coordinator;
    }

    @Override
    public String name() {
        return "transaction coordinator";
    }

    @Override
    public void onMetadataUpdate(MetadataDelta delta, MetadataImage newImage, LoaderManifest manifest) {
        delta.topicsDelta()
                .localChanges(localId)
                .leaderships(TransactionsTopic.NAME, coordinator::resigned, coordinator::elected);
    }
}
