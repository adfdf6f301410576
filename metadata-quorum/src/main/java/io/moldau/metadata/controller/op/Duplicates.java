package io.moldau.metadata.controller.op;

import java.util.Collection;
import java.util.HashSet;
import java.util.Set;
import java.util.function.Function;

/// What occurs more than once in a request.
final class Duplicates {

    private Duplicates() {}

    static <T, K> Set<K> of(Collection<T> items, Function<T, K> key) {
        var seen = new HashSet<K>();
        var twice = new HashSet<K>();
        for (T item : items) {
            K value = key.apply(item);
            if (!seen.add(value)) {
                twice.add(value);
            }
        }
        return twice;
    }
}
