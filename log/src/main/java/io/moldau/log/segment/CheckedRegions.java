package io.moldau.log.segment;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/// Which bytes of a segment file readers may have without another look at them: those this process has written or
/// checked lately. A file that rots is noticed by the first read after that time is over.
///
/// Bytes written count for one to two times as long as bytes checked: what was written when is known at one moment
/// only. Thread-safe; asking takes no lock.
public final class CheckedRegions {

    // Readers who jump about in a large segment: the oldest of their regions go.
    private static final int MOST_REGIONS = 64;

    /// Whole batches.
    ///
    /// @param nextOffset behind the last of them
    public record Region(int from, int to, long nextOffset) {}

    /// @param since when the time began that these regions count for
    /// @param writtenFrom what stands behind it was written by this process
    /// @param sizeThen of the file at that moment
    private record State(long since, int writtenFrom, int sizeThen, Region[] regions) {}

    private static final Region[] NONE = {};

    private volatile State state;

    /// @param writtenFrom up to where the file was there before this process
    CheckedRegions(int writtenFrom) {
        this.state = new State(Long.MIN_VALUE, writtenFrom, writtenFrom, NONE);
    }

    /// What is known of some bytes.
    public enum Knowledge {
        WRITTEN,
        CHECKED,
        UNKNOWN
    }

    /// What is known of these bytes.
    ///
    /// @param size of the file, as far as the log knows
    /// @param validNanos how long a check counts
    public Knowledge of(int from, int to, int size, long nowNanos, long validNanos) {
        var current = state;
        if (nowNanos - current.since > validNanos || current.since == Long.MIN_VALUE) {
            current = renew(size, nowNanos, validNanos);
        }
        if (from >= current.writtenFrom) {
            return Knowledge.WRITTEN;
        }
        for (var region : current.regions) {
            if (region.from <= from && (region.to >= to || region.to >= current.writtenFrom)) {
                return Knowledge.CHECKED;
            }
        }
        return Knowledge.UNKNOWN;
    }

    private synchronized State renew(int size, long nowNanos, long validNanos) {
        var current = state;
        if (current.since == Long.MIN_VALUE) {
            current = new State(nowNanos, current.writtenFrom, size, current.regions);
        } else if (nowNanos - current.since > validNanos) {
            boolean longAgo = nowNanos - current.since > 2 * validNanos;
            current = new State(nowNanos, longAgo ? size : current.sizeThen, size, NONE);
        }
        state = current;
        return current;
    }

    /// These batches were found sound.
    public synchronized void add(Region checked) {
        int from = checked.from;
        int to = checked.to;
        long next = checked.nextOffset;
        var current = state;
        var kept = new Region[current.regions.length + 1];
        int count = 0;
        for (var region : current.regions) {
            if (region.to < from || region.from > to) {
                kept[count++] = region;
                continue;
            }
            from = Math.min(from, region.from);
            if (region.to > to) {
                to = region.to;
                next = region.nextOffset;
            }
        }
        kept[count++] = new Region(from, to, next);
        int first = Math.max(0, count - MOST_REGIONS);
        state = new State(current.since, current.writtenFrom, current.sizeThen, Arrays.copyOfRange(kept, first, count));
    }

    /// The region whose end is the nearest one at or before where an offset must stand, null if there is none.
    public @Nullable Region before(long offset) {
        Region best = null;
        for (var region : state.regions) {
            if (region.nextOffset <= offset && (best == null || region.nextOffset > best.nextOffset)) {
                best = region;
            }
        }
        return best;
    }

    /// The file was cut; what comes there next is written by this process.
    synchronized void cut(int position) {
        var current = state;
        var kept = Arrays.stream(current.regions)
                .filter(region -> region.to <= position)
                .toArray(Region[]::new);
        state = new State(
                current.since, Math.min(current.writtenFrom, position), Math.min(current.sizeThen, position), kept);
    }

    /// Nothing is to be believed any more, as after damage was found.
    public synchronized void forget(int size) {
        var current = state;
        state = new State(current.since, size, size, NONE);
    }
}
