package io.moldau.broker.replica;

import io.moldau.broker.replica.LeaderState.Eligibility;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;

/// What partitions need to be replicated.
///
/// @param isrProposals where a leader's proposals go
/// @param background threads that may wait for the disk
/// @param maxLagNanos `replica.lag.time.max.ms`: how long a follower may lag before it leaves the ISR
/// @param eligibility who may join an ISR; must be quick
/// @param leaderThrottle of what is sent to followers that are not in sync
/// @param followerThrottle of what is fetched from leaders as long as this replica is behind
public record Replication(
        IsrProposals isrProposals,
        Executor background,
        long maxLagNanos,
        Eligibility eligibility,
        ReplicationThrottle leaderThrottle,
        ReplicationThrottle followerThrottle) {

    /// For partitions with one replica.
    public static final Replication NONE = new Replication(
            (partition, proposal) -> {}, Runnable::run, TimeUnit.SECONDS.toNanos(30), (brokerId, brokerEpoch) -> true);

    /// Without throttles.
    public Replication(IsrProposals isrProposals, Executor background, long maxLagNanos, Eligibility eligibility) {
        this(
                isrProposals,
                background,
                maxLagNanos,
                eligibility,
                ReplicationThrottle.unlimited(),
                ReplicationThrottle.unlimited());
    }
}
