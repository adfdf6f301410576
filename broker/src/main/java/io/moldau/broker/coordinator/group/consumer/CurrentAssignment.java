package io.moldau.broker.coordinator.group.consumer;

/// Where a member is: the epoch it is in and the partitions it may have.
///
/// @param epoch what the member names in its heartbeats; [#LEFT_STATIC] while a static member is away
/// @param previousEpoch what it names if it missed the answer that told it the epoch
/// @param assigned what it has
/// @param pendingRevocation what it must give up before it can go on
public record CurrentAssignment(
        int epoch, int previousEpoch, MemberState state, PartitionEpochs assigned, PartitionEpochs pendingRevocation) {

    /// In a heartbeat: the member joins, or joins again.
    public static final int JOINING = 0;

    /// In a heartbeat: the member leaves.
    public static final int LEAVING = -1;

    /// In a heartbeat: the static member goes and will be back; in a record: it is away.
    public static final int LEFT_STATIC = -2;

    /// Of a member that has just come.
    public static final CurrentAssignment NEW =
            new CurrentAssignment(JOINING, -1, MemberState.STABLE, PartitionEpochs.NONE, PartitionEpochs.NONE);

    /// Whether nothing is left to do to have what the target of this epoch gives.
    public boolean isReconciledTo(int targetEpoch) {
        return state == MemberState.STABLE && epoch == targetEpoch;
    }

    public boolean is(MemberState other) {
        return state == other;
    }
}
