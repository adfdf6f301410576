package io.moldau.broker.replica;

import io.moldau.common.TopicPartition;
import io.moldau.log.dir.LogRecovery;
import io.moldau.metadata.image.MetadataDelta;
import io.moldau.metadata.image.MetadataImage;
import io.moldau.metadata.image.loader.LoaderManifest;
import io.moldau.metadata.image.publisher.MetadataPublisher;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/// Lets a node serve what is sound while it still checks the logs that a crash left in doubt.
///
/// As long as a partition's log is read, those behind the gate do not hear of the partition:
/// clients and followers get NOT_LEADER_OR_FOLLOWER for it and ask again, and nobody waits for the
/// disk in its place. When the log is sound they hear of the partition as if it were new, as it is
/// then. Once all logs are sound the gate does nothing any more.
///
/// Runs on the metadata loader's thread.
public final class RecoveryGate implements MetadataPublisher {

    private final LogRecovery recovery;
    private final Executor loader;
    private final List<MetadataPublisher> behind;
    private final AtomicBoolean asked = new AtomicBoolean();
    private MetadataImage latest = MetadataImage.EMPTY;
    // What those behind know of the topics; null if that is everything.
    private @Nullable MetadataImage shown = MetadataImage.EMPTY;

    /// @param loader runs on the metadata loader's thread
    /// @param behind in order
    public RecoveryGate(LogRecovery recovery, Executor loader, List<MetadataPublisher> behind) {
        this.recovery = recovery;
        this.loader = loader;
        this.behind = List.copyOf(behind);
        recovery.onSound(this::ask);
    }

    @Override
    public String name() {
        return String.join(", ", behind.stream().map(MetadataPublisher::name).toList());
    }

    @Override
    public void onMetadataUpdate(MetadataDelta delta, MetadataImage newImage, LoaderManifest manifest) {
        latest = newImage;
        var before = shown;
        if (before == null) {
            forward(delta, newImage, manifest);
        } else {
            show(before, newImage, manifest);
        }
    }

    /// Several logs may become sound before the loader comes to it.
    private void ask() {
        if (asked.compareAndSet(false, true)) {
            try {
                loader.execute(this::release);
            } catch (RejectedExecutionException e) {
                // The node stops, and nobody needs to hear of anything.
                asked.set(true);
            }
        }
    }

    private void release() {
        asked.set(false);
        var before = shown;
        if (before != null && latest != MetadataImage.EMPTY) {
            show(before, latest, new LoaderManifest.Snapshot(latest.provenance(), 0L));
        }
    }

    private void show(MetadataImage before, MetadataImage image, LoaderManifest manifest) {
        boolean all = recovery.isDone();
        var visible = all ? image : image.withoutPartitions(pending(image));
        shown = all ? null : visible;
        forward(MetadataDelta.between(before, visible), image, manifest);
    }

    private Set<TopicPartition> pending(MetadataImage image) {
        var pending = new HashSet<TopicPartition>();
        for (var partition : recovery.pending()) {
            if (image.topics().partition(partition) != null) {
                pending.add(partition);
            }
        }
        return pending;
    }

    private void forward(MetadataDelta delta, MetadataImage image, LoaderManifest manifest) {
        for (var publisher : behind) {
            publisher.onMetadataUpdate(delta, image, manifest);
        }
    }
}
