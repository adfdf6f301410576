package io.moldau.broker.coordinator.runtime;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/// A map with a latest and a committed state, see [Timeline]. Owned by the shard's mailbox.
///
/// The committed state costs memory only for keys that have changed since.
public final class TimelineMap<K, V> {

    /// One change of one key and what was there before.
    record Change<K, V>(
            TimelineMap<K, V> map,
            long sequence,
            K key,
            @Nullable V previous) {
        void commit() {
            map.forget(this);
        }

        void revert() {
            map.restore(this);
        }
    }

    private final Timeline timeline;
    private final Map<K, V> latest = new HashMap<>();
    private final Map<K, ArrayDeque<Change<K, V>>> uncommitted = new HashMap<>();

    public TimelineMap(Timeline timeline) {
        this.timeline = timeline;
    }

    public @Nullable V get(K key) {
        return latest.get(key);
    }

    public boolean containsKey(K key) {
        return latest.containsKey(key);
    }

    public int size() {
        return latest.size();
    }

    /// Whether the map holds nothing, neither in its latest nor in its committed state.
    public boolean isUnused() {
        return latest.isEmpty() && uncommitted.isEmpty();
    }

    public void put(K key, V value) {
        remember(key, latest.put(key, value));
    }

    public @Nullable V remove(K key) {
        V previous = latest.remove(key);
        if (previous != null) {
            remember(key, previous);
        }
        return previous;
    }

    public Set<K> keys() {
        return latest.keySet();
    }

    public Collection<V> values() {
        return latest.values();
    }

    public void forEach(BiConsumer<K, V> action) {
        latest.forEach(action);
    }

    /// The latest entries, copied.
    public List<Map.Entry<K, V>> entries() {
        return List.copyOf(latest.entrySet());
    }

    public @Nullable V committed(K key) {
        var history = uncommitted.get(key);
        return history == null ? latest.get(key) : history.getFirst().previous();
    }

    /// Whether the key has changed and that is not committed yet.
    public boolean isUncommitted(K key) {
        return uncommitted.containsKey(key);
    }

    /// The committed entries, copied.
    public List<Map.Entry<K, V>> committedEntries() {
        var entries = new ArrayList<Map.Entry<K, V>>(latest.size());
        latest.forEach((key, value) -> {
            if (!uncommitted.containsKey(key)) {
                entries.add(Map.entry(key, value));
            }
        });
        uncommitted.forEach((key, history) -> {
            V previous = history.getFirst().previous();
            if (previous != null) {
                entries.add(Map.entry(key, previous));
            }
        });
        return entries;
    }

    private void remember(K key, @Nullable V previous) {
        long sequence = timeline.sequence();
        if (sequence == Timeline.COMMITTED) {
            return;
        }
        var change = new Change<>(this, sequence, key, previous);
        uncommitted.computeIfAbsent(key, k -> new ArrayDeque<>(1)).addLast(change);
        timeline.record(change);
    }

    private void forget(Change<K, V> change) {
        var history = uncommitted.get(change.key());
        if (history != null) {
            history.removeFirst();
            if (history.isEmpty()) {
                uncommitted.remove(change.key());
            }
        }
    }

    private void restore(Change<K, V> change) {
        var history = uncommitted.get(change.key());
        if (history != null) {
            history.removeLast();
            if (history.isEmpty()) {
                uncommitted.remove(change.key());
            }
        }
        V previous = change.previous();
        if (previous == null) {
            latest.remove(change.key());
        } else {
            latest.put(change.key(), previous);
        }
    }
}
