package io.moldau.broker.replica;

import io.moldau.broker.replica.LeaderState.Eligibility;
import java.nio.file.Path;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;

/// What partitions need to be replicated.
///
/// @param isrProposals where a leader's proposals go
/// @param background threads that may wait for the disk
/// @param flushers those that force what was appended, by log directory: a slow disk holds up its own only
/// @param maxLagNanos `replica.lag.time.max.ms`: how long a follower may lag before it leaves the ISR
/// @param eligibility who may join an ISR; must be quick
/// @param leaderThrottle of what is sent to followers that are not in sync
/// @param followerThrottle of what is fetched from leaders as long as this replica is behind
public record Replication(
        IsrProposals isrProposals,
        Executor background,
        Function<Path, Executor> flushers,
        long maxLagNanos,
        Eligibility eligibility,
        ReplicationThrottle leaderThrottle,
        ReplicationThrottle followerThrottle) {

    /// For partitions with one replica.
    public static final Replication NONE = new Replication(
            (partition, proposal) -> {}, Runnable::run, TimeUnit.SECONDS.toNanos(30), (brokerId, brokerEpoch) -> true);

    /// Without throttles and without threads for each directory.
    public Replication(IsrProposals isrProposals, Executor background, long maxLagNanos, Eligibility eligibility) {
        this(
                isrProposals,
                background,
                directory -> background,
                maxLagNanos,
                eligibility,
                ReplicationThrottle.unlimited(),
                ReplicationThrottle.unlimited());
    }
}
