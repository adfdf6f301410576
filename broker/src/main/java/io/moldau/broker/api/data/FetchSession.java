package io.moldau.broker.api.data;

import java.util.ArrayDeque;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/// The partitions one client fetches over and over (KIP-227), and which of them are worth a look.
///
/// A fetch costs what changed, not what the session holds: partitions list themselves here when something happens
/// to them, and one that had nothing to give is not looked at again before that. A fetch outside a session uses one
/// that lives for the request only.
///
/// Guarded by its own monitor, except the list of changed partitions, which any thread adds to.
final class FetchSession {

    /// In place of an id: the session lives for one request.
    static final int NO_ID = 0;

    static final int INITIAL_EPOCH = 0;
    static final int FINAL_EPOCH = -1;

    private final boolean usesTopicIds;
    private final boolean privileged;
    private final long createdNanos;
    private final Map<FetchedPartition.Key, FetchedPartition> partitions = new LinkedHashMap<>();
    private final AtomicReference<@Nullable FetchedPartition> changed = new AtomicReference<>();
    private final ArrayDeque<FetchedPartition> queue = new ArrayDeque<>();

    /// The fetch that waits for changes; written under the monitor.
    private volatile @Nullable PendingFetch pending;

    /// Written by the cache, under its monitor.
    private volatile long lastUsedNanos;

    /// Mirrors the number of partitions for the cache to read.
    private volatile int size;

    private int id = NO_ID;
    private int epoch = INITIAL_EPOCH;
    private boolean closed;
    private boolean watching;
    private final ColdReadCredit credit = new ColdReadCredit();

    /// @param usesTopicIds whether its client names topics by id
    /// @param privileged whether its client is a follower
    FetchSession(boolean usesTopicIds, boolean privileged, long nowNanos) {
        this.usesTopicIds = usesTopicIds;
        this.privileged = privileged;
        this.createdNanos = nowNanos;
        this.lastUsedNanos = nowNanos;
    }

    boolean usesTopicIds() {
        return usesTopicIds;
    }

    boolean privileged() {
        return privileged;
    }

    long createdNanos() {
        return createdNanos;
    }

    long lastUsedNanos() {
        return lastUsedNanos;
    }

    void used(long nowNanos) {
        lastUsedNanos = nowNanos;
    }

    int id() {
        return id;
    }

    /// The cache took it in; the client's next fetch has epoch 1.
    void admit(int newId) {
        id = newId;
        epoch = 1;
        watching = true;
    }

    int epoch() {
        return epoch;
    }

    /// Epochs run from 1 to the largest integer and begin again at 1.
    void advanceEpoch() {
        epoch = epoch == Integer.MAX_VALUE ? 1 : epoch + 1;
    }

    ColdReadCredit credit() {
        return credit;
    }

    int size() {
        return size;
    }

    /// Whether its partitions are watched: always in a session with an id, else from the first wait on.
    boolean isWatching() {
        return watching;
    }

    /// Watches from now on, and has every partition looked at once more, since it may have changed unseen.
    void startWatching() {
        watching = true;
        for (FetchedPartition entry : partitions.values()) {
            entry.bind(entry.partition, true);
            enqueue(entry);
        }
    }

    boolean isClosed() {
        return closed;
    }

    Collection<FetchedPartition> partitions() {
        return partitions.values();
    }

    /// The session's entry for a partition, made if it is not there, and queued for a look.
    FetchedPartition put(FetchedPartition.Key key) {
        FetchedPartition entry = partitions.computeIfAbsent(key, it -> new FetchedPartition(this, it));
        size = partitions.size();
        enqueue(entry);
        return entry;
    }

    @Nullable
    FetchedPartition remove(FetchedPartition.Key key) {
        FetchedPartition entry = partitions.remove(key);
        if (entry != null) {
            forget(entry);
        }
        return entry;
    }

    private void forget(FetchedPartition entry) {
        if (entry.queued) {
            queue.remove(entry);
            entry.queued = false;
        }
        entry.unbind();
        size = partitions.size();
    }

    /// Ends all watching. A fetch that waits here is woken to answer with what it has.
    void close() {
        PendingFetch waits;
        synchronized (this) {
            closed = true;
            for (FetchedPartition entry : partitions.values()) {
                entry.unbind();
            }
            waits = pending;
        }
        if (waits != null) {
            waits.changed(0);
        }
    }

    // --- what changed ---

    /// From any thread: the entry is worth a look. Its owner makes sure that it is on the list once at most.
    void list(FetchedPartition entry) {
        FetchedPartition head;
        do {
            head = changed.get();
            entry.nextListed = head;
        } while (!changed.compareAndSet(head, entry));
    }

    /// From any thread, after [#list]: the fetch that waits may have enough now.
    void changed(int bytes) {
        PendingFetch waits = pending;
        if (waits != null) {
            waits.changed(bytes);
        }
    }

    void setPending(@Nullable PendingFetch fetch) {
        pending = fetch;
    }

    @Nullable
    PendingFetch pending() {
        return pending;
    }

    boolean hasChanges() {
        return changed.get() != null;
    }

    /// Moves what changed to the end of the queue, the earliest change first.
    void collectChanges() {
        FetchedPartition entry = changed.getAndSet(null);
        FetchedPartition earliest = null;
        while (entry != null) { // the list has the latest first
            FetchedPartition next = entry.nextListed;
            entry.nextListed = earliest;
            earliest = entry;
            entry = next;
        }
        while (earliest != null) {
            FetchedPartition next = earliest.nextListed;
            earliest.unlisted();
            if (partitions.get(earliest.key) == earliest) {
                enqueue(earliest);
            }
            earliest = next;
        }
    }

    /// Partitions to look at, in this order.
    ArrayDeque<FetchedPartition> queue() {
        return queue;
    }

    void enqueue(FetchedPartition entry) {
        if (!entry.queued) {
            entry.queued = true;
            queue.addLast(entry);
        }
    }

    @Nullable
    FetchedPartition dequeue() {
        FetchedPartition entry = queue.pollFirst();
        if (entry != null) {
            entry.queued = false;
        }
        return entry;
    }
}
