package io.moldau.ops.chaos.transaction;

import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/// The anomalies that were found: how many of each kind, and the first ones in words. Not thread-safe.
public final class Verdict {

    private static final int EXAMPLES = 5;

    private final Map<Anomaly, Integer> counts = new EnumMap<>(Anomaly.class);
    private final List<String> examples = new ArrayList<>();

    void add(Anomaly anomaly, String example) {
        if (counts.merge(anomaly, 1, Integer::sum) <= EXAMPLES) {
            examples.add(anomaly + ": " + example);
        }
    }

    public boolean clean() {
        return counts.isEmpty();
    }

    public Map<Anomaly, Integer> counts() {
        return Map.copyOf(counts);
    }

    public List<String> examples() {
        return List.copyOf(examples);
    }

    @Override
    public String toString() {
        return clean() ? "no anomalies" : counts + "\n" + String.join("\n", examples);
    }
}
