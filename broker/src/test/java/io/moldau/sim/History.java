package io.moldau.sim;

import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;

/// The records of one partition that some leader has called committed, which must never change again.
final class History {

    private long[] contents = new long[64];
    private int size;
    private final Map<Integer, Integer> nextSequences = new HashMap<>();

    int size() {
        return size;
    }

    long content(int offset) {
        return contents[offset];
    }

    void append(long content) {
        if (size == contents.length) {
            contents = Arrays.copyOf(contents, 2 * size);
        }
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
