package io.moldau.broker.lifecycle;

import io.moldau.common.Uuid;
import io.moldau.metadata.image.MetadataDelta;
import io.moldau.metadata.image.MetadataImage;
import io.moldau.metadata.image.loader.LoaderManifest;
import io.moldau.metadata.image.publisher.MetadataPublisher;
import java.util.List;

/// Keeps what acts on a node's data from seeing metadata older than the node's present registration. Runs on the
/// metadata loader's thread.
///
/// While a node catches up it is shown the past: topics that were deleted since, under names that others have by now. A
/// replica that acted on that would delete the log of the newer topic. The record of this process's registration is
/// younger than everything the node has acted on before, so from the image that has it on, the past is over.
public final class RegistrationGate implements MetadataPublisher {

    private final int brokerId;
    private final Uuid incarnationId;
    private final List<MetadataPublisher> behind;
    private boolean open;

    /// @param incarnationId this process registers with
    /// @param behind the publishers to protect, in order
    public RegistrationGate(int brokerId, Uuid incarnationId, List<MetadataPublisher> behind) {
        this.brokerId = brokerId;
        this.incarnationId = incarnationId;
        this.behind = List.copyOf(behind);
    }

    @Override
    public String name() {
        return String.join(", ", behind.stream().map(MetadataPublisher::name).toList());
    }

    @Override
    public void onMetadataUpdate(MetadataDelta delta, MetadataImage newImage, LoaderManifest manifest) {
        if (open) {
            forward(delta, newImage, manifest);
            return;
        }
        var registration = newImage.cluster().broker(brokerId);
        if (registration != null && registration.incarnationId().equals(incarnationId)) {
            open = true;
            forward(
                    MetadataDelta.between(MetadataImage.EMPTY, newImage),
                    newImage,
                    new LoaderManifest.Snapshot(newImage.provenance(), 0L));
        }
    }

    private void forward(MetadataDelta delta, MetadataImage newImage, LoaderManifest manifest) {
        for (var publisher : behind) {
            publisher.onMetadataUpdate(delta, newImage, manifest);
        }
    }
}
