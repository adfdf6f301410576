package io.moldau.broker.coordinator.group;

/// What happens to groups, for whoever counts it. Called inside shards: implementations must be quick and thread-safe.
public interface GroupEvents {

    /// Counts nothing.
    GroupEvents NONE = new GroupEvents() {};

    /// A group of this kind begins to divide its partitions anew.
    default void rebalance(Group.Type type) {}
}
