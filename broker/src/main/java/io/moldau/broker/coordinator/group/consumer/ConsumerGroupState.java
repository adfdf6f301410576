package io.moldau.broker.coordinator.group.consumer;

/// Where a consumer group is. It follows from its members and epochs.
public enum ConsumerGroupState {
    /// No members.
    EMPTY("Empty"),
    /// The group has changed, and its assignment is still that of before.
    ASSIGNING("Assigning"),
    /// Some members are on their way to their assignment.
    RECONCILING("Reconciling"),
    /// Every member has what it is to have.
    STABLE("Stable");

    private final String name;

    ConsumerGroupState(String name) {
        this.name = name;
    }

    /// Kafka's spelling, which clients show and filter by.
    @Override
    public String toString() {
        return name;
    }
}
