package io.moldau.metadata.image.loader;

import io.moldau.common.FaultHandler;
import io.moldau.common.time.Time;
import io.moldau.metadata.event.EventLoop;
import io.moldau.metadata.image.MetadataDelta;
import io.moldau.metadata.image.MetadataImage;
import io.moldau.metadata.image.MetadataProvenance;
import io.moldau.metadata.image.publisher.MetadataPublisher;
import io.moldau.metadata.message.MetadataEntry;
import io.moldau.metadata.record.MetadataBatch;
import java.util.ArrayList;
import java.util.List;

/// Builds a node's image from the entries and snapshots that are handed to it, and tells the publishers, one after
/// the
/// other in the order they were given.
///
/// All methods but the readers belong to the loader's event loop.
public final class MetadataLoader {

    private final EventLoop loop;
    private final Time time;
    private final FaultHandler faults;
    private final List<MetadataPublisher> publishers = new ArrayList<>();
    private volatile MetadataImage image = MetadataImage.EMPTY;

    public MetadataLoader(
            EventLoop loop, Time time, FaultHandler faults, List<? extends MetadataPublisher> publishers) {
        this.loop = loop;
        this.time = time;
        this.faults = faults;
        this.publishers.addAll(publishers);
    }

    /// The newest image. It may already be known here while publishers are still being told.
    public MetadataImage image() {
        return image;
    }

    /// Adds a publisher, after those that are there. It is first told everything that is known.
    public void addPublisher(MetadataPublisher publisher) {
        loop.execute(() -> {
            publishers.add(publisher);
            MetadataImage known = image;
            if (known.provenance().offset() >= 0) {
                publish(
                        publisher,
                        MetadataDelta.between(MetadataImage.EMPTY, known),
                        known,
                        new LoaderManifest.Snapshot(known.provenance(), 0));
            }
        });
    }

    /// Applies committed entries, in order, as one step.
    public void entries(List<MetadataEntry> entries) {
        if (entries.isEmpty()) {
            return;
        }
        long start = time.nanoseconds();
        var delta = new MetadataDelta(image);
        for (MetadataEntry entry : entries) {
            delta.replay(entry.getBatch());
        }
        MetadataEntry last = entries.getLast();
        MetadataBatch batch = last.getBatch();
        var provenance = new MetadataProvenance(last.getIndex(), last.getTerm(), batch.getCreatedMs());
        publish(
                delta,
                delta.apply(provenance),
                new LoaderManifest.LogDelta(provenance, entries.size(), time.nanoseconds() - start));
    }

    /// Jumps to the image of a snapshot.
    public void snapshot(MetadataImage target) {
        long start = time.nanoseconds();
        MetadataDelta delta = MetadataDelta.between(image, target);
        publish(delta, target, new LoaderManifest.Snapshot(target.provenance(), time.nanoseconds() - start));
    }

    private void publish(MetadataDelta delta, MetadataImage next, LoaderManifest manifest) {
        image = next;
        for (MetadataPublisher publisher : List.copyOf(publishers)) {
            publish(publisher, delta, next, manifest);
        }
    }

    private void publish(
            MetadataPublisher publisher, MetadataDelta delta, MetadataImage next, LoaderManifest manifest) {
        try {
            publisher.onMetadataUpdate(delta, next, manifest);
        } catch (RuntimeException e) {
            faults.handle("metadata publisher " + publisher.name(), e);
        }
    }
}
