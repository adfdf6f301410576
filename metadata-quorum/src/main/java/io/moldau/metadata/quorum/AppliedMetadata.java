package io.moldau.metadata.quorum;

import io.moldau.metadata.image.MetadataDelta;
import io.moldau.metadata.image.MetadataImage;
import io.moldau.metadata.image.MetadataProvenance;
import io.moldau.metadata.record.MetadataBatch;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;

/// The replicated state of one controller: the image of all applied entries, and the last entries themselves.
///
/// Two may write: the one that applies what Raft commits here, and before a controller is a voter, whoever fetches the
/// log from others. Committed entries are the same everywhere, so whoever comes second with one is not heard, and what
/// is here never goes back. Read by any thread without a lock.
public final class AppliedMetadata {

    /// How much of the log stays in memory for brokers that follow closely; in bytes as serialized, objects take a
    /// few
    /// times that.
    public static final long TAIL_BYTES = 8L << 20;

    public static final int TAIL_ENTRIES = 20_000;

    /// The image together with the position of the last entry, which need not be a batch.
    public record Position(MetadataImage image, long index, int term) {}

    private final MetadataTail tail;
    private final List<Runnable> watchers = new CopyOnWriteArrayList<>();
    private volatile Position position = new Position(MetadataImage.EMPTY, -1, 0);

    public AppliedMetadata() {
        this(TAIL_BYTES, TAIL_ENTRIES);
    }

    public AppliedMetadata(long tailBytes, int tailEntries) {
        this.tail = new MetadataTail(tailBytes, tailEntries);
    }

    /// Applies a committed batch. Called by the applying thread.
    ///
    /// @throws io.moldau.common.InvariantViolation if the batch cannot apply; the node must halt
    public synchronized MetadataImage apply(long index, int term, MetadataBatch batch, int sizeInBytes) {
        if (index <= position.index()) {
            return position.image();
        }
        var delta = new MetadataDelta(position.image());
        delta.replay(batch);
        MetadataImage image = delta.apply(new MetadataProvenance(index, term, batch.getCreatedMs()));
        tail.append(new LogEntry(index, term, batch, sizeInBytes));
        publish(new Position(image, index, term));
        return image;
    }

    /// An entry that does not concern the metadata was committed. Called by the applying thread.
    public synchronized void skip(long index, int term) {
        if (index <= position.index()) {
            return;
        }
        tail.skip(index);
        publish(new Position(position.image(), index, term));
    }

    /// Takes the state of a snapshot in place of the present one, unless that is further.
    public synchronized void reset(MetadataImage image, long index, int term) {
        if (index <= position.index()) {
            return;
        }
        tail.reset(index);
        publish(new Position(image, index, term));
    }

    private void publish(Position next) {
        position = next;
        for (Runnable watcher : watchers) {
            watcher.run();
        }
    }

    public MetadataImage image() {
        return position.image();
    }

    public Position position() {
        return position;
    }

    /// Entries from `from` on that are still in memory, or null if `from` lies before them.
    public @Nullable LogRange tail(long from, int maxBytes) {
        return tail.read(from, maxBytes);
    }

    /// Has `watcher` run on the applying thread after every entry: it must only signal.
    public void watch(Runnable watcher) {
        watchers.add(watcher);
    }

    public void unwatch(Runnable watcher) {
        watchers.remove(watcher);
    }
}
