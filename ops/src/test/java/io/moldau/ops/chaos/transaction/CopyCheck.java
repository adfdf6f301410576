package io.moldau.ops.chaos.transaction;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;

/// Compares a partition with its copy.
final class CopyCheck {

    private static final int EXAMPLES = 5;

    private CopyCheck() {}

    /// @param original the values in their order, each once
    /// @return what is wrong, in words: lost, there twice, not of the original, or in another order
    static List<String> differences(String name, List<String> original, List<String> copy) {
        var problems = new ArrayList<String>();
        var places = new HashMap<String, Integer>();
        for (int i = 0; i < original.size(); i++) {
            places.put(original.get(i), i);
        }
        var seen = new HashSet<String>();
        int last = -1;
        for (var value : copy) {
            var place = places.get(value);
            if (place == null) {
                problems.add(name + ": not of the original: " + value);
            } else if (!seen.add(value)) {
                problems.add(name + ": there twice: " + value);
            } else {
                if (place < last) {
                    problems.add(name + ": out of order: " + value);
                }
                last = place;
            }
        }
        original.stream().filter(it -> !seen.contains(it)).forEach(it -> problems.add(name + ": lost: " + it));
        return problems.size() <= EXAMPLES
                ? problems
                : List.of(problems.subList(0, EXAMPLES) + " and " + (problems.size() - EXAMPLES) + " more");
    }
}
