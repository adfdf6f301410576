package io.moldau.broker.api.data;

import io.moldau.broker.replica.Partition;
import io.moldau.broker.replica.PartitionWatcher;
import io.moldau.common.Errors;
import io.moldau.common.Uuid;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.jspecify.annotations.Nullable;

/// One partition a client fetches: from where, how much, and what it was told last.
///
/// It watches the partition and, when something changes there, puts itself on its session's list of those worth a
/// look, at most once. All other fields are guarded by the session's monitor.
final class FetchedPartition implements PartitionWatcher {

    /// How a client names a partition: by the topic's id from version 13 on, by its name before.
    record Key(Uuid topicId, String topic, int partition) {}

    private static final VarHandle LISTED;

    static {
        try {
            LISTED = MethodHandles.lookup().findVarHandle(FetchedPartition.class, "listed", boolean.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    final FetchSession session;
    final Key key;

    long fetchOffset;

    /// Where a follower's log begins.
    long followerStartOffset;

    int maxBytes;
    int currentLeaderEpoch = -1;
    int lastFetchedEpoch = -1;

    /// What the client knows; -1 if that must be sent again in any case.
    long sentHighWatermark = -1L;

    long sentLogStartOffset = -1L;

    /// The replica to read; null while there is none here.
    @Nullable
    Partition partition;

    /// Why there is no replica to read.
    Errors bindError = Errors.NONE;

    /// Whether the replica tells this entry of changes.
    boolean watching;

    /// In the session's queue of partitions to look at.
    boolean queued;

    /// On the session's list of changed partitions.
    @SuppressWarnings("unused") // through LISTED
    private volatile boolean listed;

    /// The next on that list.
    @Nullable
    FetchedPartition nextListed;

    FetchedPartition(FetchSession session, Key key) {
        this.session = session;
        this.key = key;
    }

    @Override
    public void partitionChanged(int bytes) {
        if (LISTED.compareAndSet(this, false, true)) {
            session.list(this);
        }
        session.changed(bytes);
    }

    /// Reads this replica from now on, or none.
    void bind(@Nullable Partition replica, boolean watch) {
        if (partition != replica) {
            unbind();
            partition = replica;
        }
        if (watch && !watching && replica != null) {
            watching = true;
            replica.watch(this);
        }
    }

    void unbind() {
        if (watching && partition != null) {
            partition.unwatch(this);
        }
        watching = false;
        partition = null;
    }

    /// Taken off the list: changes from here on list it again.
    void unlisted() {
        nextListed = null;
        listed = false;
    }
}
