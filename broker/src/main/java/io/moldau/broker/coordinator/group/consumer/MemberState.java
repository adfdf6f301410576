package io.moldau.broker.coordinator.group.consumer;

/// How far a member of a consumer group has come towards its target assignment.
public enum MemberState {
    /// It has everything that the epoch it is in gives it.
    STABLE(1),
    /// It stays in its epoch until it has given up what it was asked to.
    UNREVOKED_PARTITIONS(2),
    /// It is in the target's epoch and misses partitions that others have not given up yet.
    UNRELEASED_PARTITIONS(3),
    /// A state that a newer broker wrote.
    UNKNOWN(127);

    private final byte code;

    MemberState(int code) {
        this.code = (byte) code;
    }

    /// What records call it.
    byte code() {
        return code;
    }

    static MemberState of(byte code) {
        return switch (code) {
            case 1 -> STABLE;
            case 2 -> UNREVOKED_PARTITIONS;
            case 3 -> UNRELEASED_PARTITIONS;
            default -> UNKNOWN;
        };
    }
}
