package io.moldau.log.epoch;

import io.moldau.common.OffsetAndEpoch;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;

/// Where each leader epoch began in one partition's log (KIP-101). Immutable; epochs and start offsets both rise
/// strictly.
///
/// A follower compares its history with the leader's to find where the two logs part.
public final class LeaderEpochHistory {

    /// The answer for an epoch the history knows nothing of.
    public static final OffsetAndEpoch UNDEFINED = new OffsetAndEpoch(-1L, -1);

    public static final LeaderEpochHistory EMPTY = new LeaderEpochHistory(new int[0], new long[0]);

    private final int[] epochs;
    private final long[] startOffsets;

    private LeaderEpochHistory(int[] epochs, long[] startOffsets) {
        this.epochs = epochs;
        this.startOffsets = startOffsets;
    }

    /// One line of the history.
    public record Entry(int epoch, long startOffset) {}

    /// Builds a history by assigning the entries in order.
    public static LeaderEpochHistory of(List<Entry> entries) {
        var history = EMPTY;
        for (var entry : entries) {
            history = history.assign(entry.epoch(), entry.startOffset());
        }
        return history;
    }

    public List<Entry> entries() {
        return IntStream.range(0, epochs.length)
                .mapToObj(i -> new Entry(epochs[i], startOffsets[i]))
                .toList();
    }

    public boolean isEmpty() {
        return epochs.length == 0;
    }

    /// The epoch of the last entry, -1 if there is none.
    public int latestEpoch() {
        return epochs.length == 0 ? -1 : epochs[epochs.length - 1];
    }

    /// Says that `epoch` begins at `startOffset`. What contradicts it (an entry of this or a later epoch, or one
    /// that begins at or behind the offset) goes; the same epoch further on changes nothing.
    public LeaderEpochHistory assign(int epoch, long startOffset) {
        if (epoch < 0 || startOffset < 0) {
            throw new IllegalArgumentException("Epoch " + epoch + " cannot begin at offset " + startOffset);
        }
        int size = epochs.length;
        if (size > 0 && epochs[size - 1] == epoch && startOffsets[size - 1] <= startOffset) {
            return this;
        }
        int kept = size;
        while (kept > 0 && (epochs[kept - 1] >= epoch || startOffsets[kept - 1] >= startOffset)) {
            kept--;
        }
        var newEpochs = Arrays.copyOf(epochs, kept + 1);
        var newStarts = Arrays.copyOf(startOffsets, kept + 1);
        newEpochs[kept] = epoch;
        newStarts[kept] = startOffset;
        return new LeaderEpochHistory(newEpochs, newStarts);
    }

    /// The history of a log that ends at `endOffset`.
    public LeaderEpochHistory truncateFromEnd(long endOffset) {
        int kept = epochs.length;
        while (kept > 0 && startOffsets[kept - 1] >= endOffset) {
            kept--;
        }
        return kept == epochs.length ? this : slice(0, kept);
    }

    /// The history of a log that begins at `startOffset`: the epoch in force there now begins there.
    public LeaderEpochHistory truncateFromStart(long startOffset) {
        int first = 0;
        while (first + 1 < epochs.length && startOffsets[first + 1] <= startOffset) {
            first++;
        }
        if (epochs.length == 0 || startOffsets[first] >= startOffset) {
            return first == 0 ? this : slice(first, epochs.length);
        }
        var cut = slice(first, epochs.length);
        cut.startOffsets[0] = startOffset;
        return cut;
    }

    private LeaderEpochHistory slice(int from, int to) {
        return new LeaderEpochHistory(Arrays.copyOfRange(epochs, from, to), Arrays.copyOfRange(startOffsets, from, to));
    }

    /// Where `epoch` ends in a log that ends at `logEndOffset`, and the greatest epoch up to it that the log
    /// has. For an epoch older than all known ones that is the asked epoch itself, ending where the history
    /// begins; for one newer than all of them [#UNDEFINED].
    public OffsetAndEpoch endOffsetFor(int epoch, long logEndOffset) {
        if (epoch < 0 || epochs.length == 0 || epoch > latestEpoch()) {
            return UNDEFINED;
        }
        if (epoch == latestEpoch()) {
            return new OffsetAndEpoch(logEndOffset, epoch);
        }
        int found = Arrays.binarySearch(epochs, epoch);
        int next = found >= 0 ? found + 1 : -found - 1;
        int answered = next == 0 ? epoch : epochs[next - 1];
        return new OffsetAndEpoch(startOffsets[next], answered);
    }

    /// The epoch an offset was or would be written in, -1 if it lies before the history.
    public int epochForOffset(long offset) {
        int found = Arrays.binarySearch(startOffsets, offset);
        int index = found >= 0 ? found : -found - 2;
        return index < 0 ? -1 : epochs[index];
    }

    /// Where an epoch begins, -1 if it is not in the history.
    public long startOffsetOf(int epoch) {
        int found = Arrays.binarySearch(epochs, epoch);
        return found < 0 ? -1L : startOffsets[found];
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof LeaderEpochHistory that
                && Arrays.equals(epochs, that.epochs)
                && Arrays.equals(startOffsets, that.startOffsets);
    }

    @Override
    public int hashCode() {
        return 31 * Arrays.hashCode(epochs) + Arrays.hashCode(startOffsets);
    }

    @Override
    public String toString() {
        return entries().toString();
    }
}
