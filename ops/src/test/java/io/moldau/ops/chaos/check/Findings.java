package io.moldau.ops.chaos.check;

import java.util.ArrayList;
import java.util.List;

/// What became of the records. Everything but `acknowledged` and `records` must be zero.
///
/// @param records how many were read back
/// @param lost acknowledged, and not there
/// @param moved acknowledged at another offset than the one where it is
/// @param duplicates there more than once
/// @param reordered of one producer and partition, and behind a later one
/// @param unreadable not a record of ours, or an offset that could not be read
/// @param vanished read by a consumer during the run, and not there afterwards
/// @param offsetsBack committed offsets that went back
/// @param unequal differences between the replicas' files
/// @param examples the first ones of each kind, in words
public record Findings(
        long acknowledged,
        long records,
        long lost,
        long moved,
        long duplicates,
        long reordered,
        long unreadable,
        long vanished,
        long offsetsBack,
        long unequal,
        List<String> examples) {

    public boolean clean() {
        return lost + moved + duplicates + reordered + unreadable + vanished + offsetsBack + unequal == 0;
    }

    public Findings plus(Findings other) {
        var all = new ArrayList<>(examples);
        all.addAll(other.examples);
        return new Findings(
                acknowledged + other.acknowledged,
                records + other.records,
                lost + other.lost,
                moved + other.moved,
                duplicates + other.duplicates,
                reordered + other.reordered,
                unreadable + other.unreadable,
                vanished + other.vanished,
                offsetsBack + other.offsetsBack,
                unequal + other.unequal,
                List.copyOf(all));
    }

    @Override
    public String toString() {
        return ("acknowledged %d, read back %d, lost %d, moved %d, duplicates %d, reordered %d, unreadable %d,"
                        + " vanished %d, offsets back %d, unequal replicas %d")
                .formatted(
                        acknowledged,
                        records,
                        lost,
                        moved,
                        duplicates,
                        reordered,
                        unreadable,
                        vanished,
                        offsetsBack,
                        unequal);
    }
}
