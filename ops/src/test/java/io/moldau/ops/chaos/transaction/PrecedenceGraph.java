package io.moldau.ops.chaos.transaction;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;

/// What comes before what. Not thread-safe.
final class PrecedenceGraph<N> {

    private final Map<N, Set<N>> after = new HashMap<>();

    void edge(N before, N then) {
        after.computeIfAbsent(before, it -> new LinkedHashSet<>()).add(then);
        after.computeIfAbsent(then, it -> new LinkedHashSet<>());
    }

    /// The members of one circle in their order; empty when there is none.
    List<N> cycle() {
        var rest = withoutWhatOnlyPrecedes();
        if (rest.isEmpty()) {
            return List.of();
        }
        // Every node that is left has a predecessor in the rest, so going back must come round.
        var before = new HashMap<N, N>();
        rest.forEach(node -> next(node).stream().filter(rest::contains).forEach(it -> before.put(it, node)));
        var path = new ArrayList<N>();
        N at = rest.iterator().next();
        while (!path.contains(at)) {
            path.add(at);
            at = Objects.requireNonNull(before.get(at));
        }
        return path.subList(path.indexOf(at), path.size()).reversed();
    }

    private Set<N> next(N node) {
        return Objects.requireNonNull(after.get(node));
    }

    private Set<N> withoutWhatOnlyPrecedes() {
        var predecessors = new HashMap<N, Integer>();
        after.values().forEach(set -> set.forEach(it -> predecessors.merge(it, 1, Integer::sum)));
        var rest = new LinkedHashSet<>(after.keySet());
        var free = new ArrayDeque<>(after.keySet().stream()
                .filter(it -> !predecessors.containsKey(it))
                .toList());
        while (!free.isEmpty()) {
            N node = free.poll();
            rest.remove(node);
            for (var it : next(node)) {
                if (predecessors.merge(it, -1, Integer::sum) == 0) {
                    free.add(it);
                }
            }
        }
        return rest;
    }
}
