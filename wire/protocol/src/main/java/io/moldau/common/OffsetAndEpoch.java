package io.moldau.common;

/// An offset and the leader epoch it belongs to. Ordered by epoch first: of two logs, the one with the later epoch is
/// ahead.
public record OffsetAndEpoch(long offset, int leaderEpoch) implements Comparable<OffsetAndEpoch> {

    @Override
    public int compareTo(OffsetAndEpoch other) {
        int byEpoch = Integer.compare(leaderEpoch, other.leaderEpoch);
        return byEpoch != 0 ? byEpoch : Long.compare(offset, other.offset);
    }
}
