package io.moldau.broker.coordinator.runtime;

import java.util.ArrayDeque;

/// What has been written to a shard's state but is not yet known to be committed, so that it can be hidden from readers
/// or taken back.
///
/// Every write carries a sequence number that grows by one per batch appended to the log. [TimelineMap]s on one
/// timeline show two states: the latest, which planning works on, and the committed one, which readers are shown. Owned
/// by the shard's mailbox.
public final class Timeline {

    /// The sequence at which changes are final at once: what replaying a log writes.
    public static final long COMMITTED = 0L;

    private final ArrayDeque<TimelineMap.Change<?, ?>> changes = new ArrayDeque<>();
    private long sequence = COMMITTED;

    /// Everything changed from here on belongs to the batch with this sequence.
    public void writeAt(long newSequence) {
        sequence = newSequence;
    }

    long sequence() {
        return sequence;
    }

    void record(TimelineMap.Change<?, ?> change) {
        changes.addLast(change);
    }

    /// The batches up to this sequence are committed: their changes become visible to readers.
    public void commitUpTo(long committed) {
        for (var head = changes.peekFirst(); head != null && head.sequence() <= committed; head = changes.peekFirst()) {
            changes.removeFirst();
            head.commit();
        }
    }

    /// The batches after this sequence will never be committed: their changes are undone.
    public void revertTo(long last) {
        for (var tail = changes.peekLast(); tail != null && tail.sequence() > last; tail = changes.peekLast()) {
            changes.removeLast();
            tail.revert();
        }
    }

    /// How many changes wait for their commit.
    public int pending() {
        return changes.size();
    }
}
