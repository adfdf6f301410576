package io.moldau.broker.coordinator.group;

import java.util.EnumSet;
import java.util.Locale;
import java.util.Set;

/// Where a classic group is in its life.
///
/// ```
///            join              barrier reached           leader's sync
///  EMPTY ----------> PREPARING ----------------> COMPLETING -------------> STABLE
///    ^                 |   ^                        |                        |
///    +--- nobody left -+   +------- join, leave, time-out, new leader data --+
/// ```
/// `DEAD` can be reached from everywhere and left by nothing.
public enum ClassicGroupState {
    /// No members; offsets may remain.
    EMPTY("Empty"),
    /// Waiting for the members to join the next generation.
    PREPARING_REBALANCE("PreparingRebalance"),
    /// The generation is formed; waiting for the leader's assignment.
    COMPLETING_REBALANCE("CompletingRebalance"),
    /// Every member has, or can fetch, its assignment.
    STABLE("Stable"),
    /// Removed, or its shard is no longer led here.
    DEAD("Dead");

    private final String name;

    ClassicGroupState(String name) {
        this.name = name;
    }

    /// Whether a group may come into this state from `previous`.
    boolean canFollow(ClassicGroupState previous) {
        return switch (this) {
            case EMPTY, COMPLETING_REBALANCE -> previous == PREPARING_REBALANCE;
            case PREPARING_REBALANCE -> REBALANCEABLE.contains(previous);
            case STABLE -> previous == COMPLETING_REBALANCE;
            case DEAD -> true;
        };
    }

    /// Kafka's spelling, which clients show and filter by.
    @Override
    public String toString() {
        return name;
    }

    String lowerCase() {
        return name.toLowerCase(Locale.ROOT);
    }

    private static final Set<ClassicGroupState> REBALANCEABLE = EnumSet.of(EMPTY, COMPLETING_REBALANCE, STABLE);
}
