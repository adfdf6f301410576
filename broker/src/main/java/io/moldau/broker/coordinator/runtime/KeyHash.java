package io.moldau.broker.coordinator.runtime;

/// Where in an internal topic the state of a key is.
public final class KeyHash {

    private KeyHash() {}

    /// The partition whose leader coordinates the key. The number of partitions is the topic's own, which cannot change
    /// without moving keys away from their state.
    public static int partitionFor(String key, int partitions) {
        int hash = key.hashCode();
        return (hash == Integer.MIN_VALUE ? 0 : Math.abs(hash)) % partitions;
    }
}
