package io.moldau.broker.replica;

import java.util.HashSet;
import java.util.List;
import java.util.Set;

/// The partitions of a topic whose replicas on this node are throttled (KIP-73).
///
/// @param all every partition
public record ThrottledReplicas(boolean all, Set<Integer> partitions) {

    public static final ThrottledReplicas NONE = new ThrottledReplicas(false, Set.of());

    /// Reads `*`, or pairs of partition and broker.
    public static ThrottledReplicas of(List<String> pairs, int brokerId) {
        if (pairs.isEmpty()) {
            return NONE;
        }
        if (pairs.equals(List.of("*"))) {
            return new ThrottledReplicas(true, Set.of());
        }
        var partitions = new HashSet<Integer>();
        for (String pair : pairs) {
            int colon = pair.indexOf(':');
            if (colon > 0 && pair.substring(colon + 1).equals(Integer.toString(brokerId))) {
                partitions.add(Integer.parseInt(pair.substring(0, colon)));
            }
        }
        return new ThrottledReplicas(false, Set.copyOf(partitions));
    }

    boolean contains(int partition) {
        return all || partitions.contains(partition);
    }
}
