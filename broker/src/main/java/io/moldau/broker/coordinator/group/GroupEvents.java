package io.moldau.broker.coordinator.group;

/// What happens to groups, for whoever counts it. Called inside shards: implementations must be quick and thread-safe.
public interface GroupEvents {

    /// Counts nothing.
    GroupEvents NONE = type -> {};

    /// A group of this kind divides its partitions anew: one of the consumer protocol gets another target, or a
    /// classic one's new division is in the log.
    void rebalance(Group.Type type);
}
