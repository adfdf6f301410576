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
public record Replication(IsrProposals isrProposals, Executor background, long maxLagNanos, Eligibility eligibility) {

    /// For partitions with one replica.
    public static final Replication NONE = new Replication(
            (partition, proposal) -> {}, Runnable::run, TimeUnit.SECONDS.toNanos(30), (brokerId, brokerEpoch) -> true);
}
