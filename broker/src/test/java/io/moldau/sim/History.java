package io.moldau.sim;

import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;

/// The records of one partition that some leader has called committed, which must never change again.
final class History {

    private int[] epochs = new int[64];
    private int[] committedIn = new int[64];
    private long[] contents = new long[64];
    private int size;
    private final Map<Integer, Integer> nextSequences = new HashMap<>();

    int size() {
        return size;
    }

    long content(int offset) {
        return contents[offset];
    }

    int epoch(int offset) {
        return epochs[offset];
    }

    /// Whether the replica has this very record: the same content in another epoch is another one.
    boolean isIn(ReplicaMirror mirror, int offset) {
        return offset < mirror.size()
                && mirror.content(offset) == contents[offset]
                && mirror.epoch(offset) == epochs[offset];
    }

    /// The leader epoch in which the record was committed, which may be later than its own.
    int committedIn(int offset) {
        return committedIn[offset];
    }

    void append(int epoch, long content, int leaderEpoch) {
        if (size == contents.length) {
            epochs = Arrays.copyOf(epochs, 2 * size);
            committedIn = Arrays.copyOf(committedIn, 2 * size);
            contents = Arrays.copyOf(contents, 2 * size);
        }
        epochs[size] = epoch;
        committedIn[size] = leaderEpoch;
        contents[size++] = content;
    }

    /// The sequence a producer's next record must have.
    int nextSequence(int producer) {
        return nextSequences.getOrDefault(producer, 0);
    }

    void sequence(int producer, int sequence) {
        nextSequences.put(producer, sequence + 1);
    }
}
