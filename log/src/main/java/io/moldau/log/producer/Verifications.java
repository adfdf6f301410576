package io.moldau.log.producer;

import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// The producers of one log whose first batch of a transaction waits for the transaction coordinator's word.
///
/// Keeps the last [#MOST]: a producer that is pushed out has to ask again. Belongs to one [ProducerStates].
final class Verifications {

    static final int MOST = 1000;

    static final class Entry {
        final VerificationGuard guard = new VerificationGuard();
        final boolean bumpsEpoch;
        private final long sinceMs;
        private short epoch;
        private int lowestSequence;

        private Entry(long sinceMs, short epoch, int lowestSequence, boolean bumpsEpoch) {
            this.sinceMs = sinceMs;
            this.epoch = epoch;
            this.lowestSequence = lowestSequence;
            this.bumpsEpoch = bumpsEpoch;
        }

        short epoch() {
            return epoch;
        }

        /// Of the batches that asked: none behind it may come first.
        int lowestSequence() {
            return lowestSequence;
        }

        private void seen(short newEpoch, int sequence) {
            if (newEpoch == epoch) {
                lowestSequence = Math.min(lowestSequence, sequence);
            } else if (newEpoch > epoch) {
                epoch = newEpoch;
                lowestSequence = sequence;
            }
        }
    }

    private final Map<Long, Entry> entries = new LinkedHashMap<>();

    VerificationGuard begin(long producerId, short epoch, int sequence, boolean bumpsEpoch, long nowMs) {
        Entry entry = entries.get(producerId);
        if (entry == null) {
            if (entries.size() >= MOST) {
                Iterator<Entry> oldest = entries.values().iterator();
                oldest.next();
                oldest.remove();
            }
            entry = new Entry(nowMs, epoch, sequence, bumpsEpoch);
            entries.put(producerId, entry);
        }
        entry.seen(epoch, sequence);
        return entry.guard;
    }

    @Nullable
    Entry of(long producerId) {
        return entries.isEmpty() ? null : entries.get(producerId);
    }

    void end(long producerId) {
        if (!entries.isEmpty()) {
            entries.remove(producerId);
        }
    }

    void removeExpired(long nowMs, long expirationMs) {
        entries.values().removeIf(entry -> nowMs - entry.sinceMs >= expirationMs);
    }

    int size() {
        return entries.size();
    }
}
