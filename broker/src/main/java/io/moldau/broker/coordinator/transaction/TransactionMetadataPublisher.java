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
        var changes = delta.topicsDelta().localChanges(localId);
        for (var gone : changes.deleted()) {
            if (gone.topic().equals(TransactionsTopic.NAME)) {
                coordinator.resigned(gone.partition());
            }
        }
        for (var followed : changes.followers().keySet()) {
            if (followed.topic().equals(TransactionsTopic.NAME)) {
                coordinator.resigned(followed.partition());
            }
        }
        changes.electedLeaders().forEach((partition, registration) -> {
            if (partition.topic().equals(TransactionsTopic.NAME)) {
                coordinator.elected(partition.partition(), registration.leaderEpoch());
            }
        });
    }
}
