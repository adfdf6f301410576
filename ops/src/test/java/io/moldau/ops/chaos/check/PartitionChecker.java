package io.moldau.ops.chaos.check;

import io.moldau.ops.chaos.load.ChaosValue;
import io.moldau.ops.chaos.load.History.Outcomes;
import io.moldau.ops.chaos.load.LiveReader;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/// Judges one partition: takes its records in the order of their offsets, and then says what is wrong. One thread.
public final class PartitionChecker {

    private static final int EXAMPLES = 5;
    private static final long ABSENT = -1;

    private final int partition;
    private final Map<Integer, Outcomes> outcomes = new HashMap<>();
    private final Map<Integer, long[]> found = new HashMap<>();
    private final Map<Integer, Long> highest = new HashMap<>();
    private final long[] seenLive;
    private final List<String> examples = new ArrayList<>();
    private long nextOffset;
    private long records;
    private long duplicates;
    private long reordered;
    private long unreadable;
    private long vanished;

    /// @param seenLive what a consumer read during the run, as [LiveReader#seen] has it
    public PartitionChecker(int partition, List<Outcomes> told, long[] seenLive) {
        this.partition = partition;
        this.seenLive = seenLive;
        for (var one : told) {
            outcomes.put(one.producer(), one);
            var places = new long[one.bySequence().length];
            Arrays.fill(places, ABSENT);
            found.put(one.producer(), places);
        }
    }

    /// The next record that could be read.
    public void record(long offset, byte[] bytes) {
        if (offset != nextOffset) {
            unreadable += Math.max(1, offset - nextOffset);
            example("offset " + nextOffset + " should come next and " + offset + " came");
        }
        nextOffset = offset + 1;
        records++;
        var value = ChaosValue.decode(bytes).orElse(null);
        if (value == null || value.partition() != partition || !within(value)) {
            unreadable++;
            example("offset " + offset + " holds " + value + ", which nobody sent here");
            return;
        }
        place(offset, value);
        compareWithLive(offset, LiveReader.pack(value));
    }

    private boolean within(ChaosValue value) {
        var places = found.get(value.producer());
        return places != null && value.sequence() >= 0 && value.sequence() < places.length;
    }

    private void place(long offset, ChaosValue value) {
        var places = Objects.requireNonNull(found.get(value.producer()));
        int sequence = (int) value.sequence();
        if (places[sequence] != ABSENT) {
            duplicates++;
            example("record " + sequence + " of producer " + value.producer() + " is at " + places[sequence]
                    + " and again at " + offset);
            return;
        }
        places[sequence] = offset;
        long before = highest.getOrDefault(value.producer(), -1L);
        if (sequence < before) {
            reordered++;
            example("record " + sequence + " of producer " + value.producer() + " at " + offset
                    + " is behind its record " + before);
        }
        highest.put(value.producer(), Math.max(before, sequence));
    }

    private void compareWithLive(long offset, long packed) {
        if (offset < seenLive.length
                && seenLive[(int) offset] != LiveReader.UNSEEN
                && seenLive[(int) offset] != packed) {
            vanished++;
            example("offset " + offset + " was another record when it was read during the run");
        }
    }

    /// No more records.
    ///
    /// @param end the log end offset that was to be reached
    public Findings end(long end) {
        if (nextOffset < end) {
            unreadable += end - nextOffset;
            example("offsets " + nextOffset + " to " + (end - 1) + " could not be read");
        }
        for (long at = nextOffset; at < seenLive.length; at++) {
            if (seenLive[(int) at] != LiveReader.UNSEEN) {
                vanished++;
                example("offset " + at + " was read during the run, and the log ends at " + nextOffset);
            }
        }
        long acknowledged = 0;
        long lost = 0;
        long moved = 0;
        for (var told : outcomes.values()) {
            var places = Objects.requireNonNull(found.get(told.producer()));
            for (int sequence = 0; sequence < told.bySequence().length; sequence++) {
                long outcome = told.bySequence()[sequence];
                if (!Outcomes.acknowledged(outcome)) {
                    continue;
                }
                acknowledged++;
                if (places[sequence] == ABSENT) {
                    lost++;
                    example("record " + sequence + " of producer " + told.producer() + ", acknowledged at " + outcome
                            + ", is lost");
                } else if (outcome != Outcomes.SOMEWHERE && places[sequence] != outcome) {
                    moved++;
                    example("record " + sequence + " of producer " + told.producer() + ", acknowledged at " + outcome
                            + ", is at " + places[sequence]);
                }
            }
        }
        return new Findings(
                acknowledged, records, lost, moved, duplicates, reordered, unreadable, vanished, 0, 0, examples);
    }

    private void example(@Nullable String what) {
        if (examples.size() < EXAMPLES) {
            examples.add("partition " + partition + ": " + what);
        }
    }
}
