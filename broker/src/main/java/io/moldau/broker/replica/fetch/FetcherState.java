package io.moldau.broker.replica.fetch;

import io.moldau.broker.replica.FollowerOutcome;
import io.moldau.common.OffsetAndEpoch;
import io.moldau.log.epoch.LeaderEpochHistory;
import org.jspecify.annotations.Nullable;

/// A follower's place in one partition while it copies the leader's log in one leader epoch.
///
/// A log is cut only where the leader's epochs say that the two differ (KIP-101, KIP-279), never at the high
/// watermark: what lies above that may be committed all the same. Immutable and pure; [ReplicaFetcher] feeds it what
/// the leader answered and what became of the effects it asked for.
///
/// @param leaderEpoch in which the leader is followed
/// @param fetchOffset what is fetched next; the end of the log
/// @param lastFetchedEpoch the latest epoch in the log, -1 if there is none
/// @param failures how many fetches have failed in a row
/// @param retryNanos when to fetch again, while backing off
record FetcherState(
        int leaderEpoch, long fetchOffset, int lastFetchedEpoch, Phase phase, int failures, long retryNanos) {

    /// What the follower waits for.
    enum Phase {
        /// The leader's answer, or the turn to ask for it.
        FETCHING,
        /// An effect is being carried out on the log.
        APPLYING,
        /// Time must pass.
        BACKING_OFF,
        /// Only newer metadata can help.
        AWAITING_METADATA,
        /// The replica's own log failed; nothing can help but a restart.
        FAILED
    }

    /// What is to be done with the log.
    sealed interface Effect {

        /// Append what the leader sent, if anything, and take over its high watermark and log start.
        record Append(long highWatermark, long logStartOffset) implements Effect {}

        /// Cut the log there.
        record TruncateTo(long offset) implements Effect {}

        /// Throw everything away and begin there.
        record StartAgainAt(long offset) implements Effect {}
    }

    /// @param effect null if the log is left alone
    record Step(FetcherState next, @Nullable Effect effect) {}

    /// How long to wait after so many failures in a row: short at first, since a leader that has not heard of its
    /// election will have in a moment.
    ///
    /// @param maxNanos `replica.fetch.backoff.ms`
    record BackOff(long firstNanos, long maxNanos) {

        long afterFailures(int failures) {
            int doublings = Math.min(Math.max(failures - 1, 0), 20);
            return Math.min(firstNanos << doublings, maxNanos);
        }
    }

    /// Begins in an epoch, with the log as it is.
    static FetcherState begin(int leaderEpoch, long logEndOffset, int latestEpoch) {
        return new FetcherState(leaderEpoch, logEndOffset, latestEpoch, Phase.FETCHING, 0, 0);
    }

    /// The leader answered a fetch that was sent in this state.
    ///
    /// @param local the log's own epochs
    Step on(LeaderAnswer answer, LeaderEpochHistory local, BackOff backOff, long nowNanos) {
        return switch (answer) {
            case LeaderAnswer.Batches(long highWatermark, long logStartOffset) ->
                new Step(in(Phase.APPLYING), new Effect.Append(highWatermark, logStartOffset));
            // Both logs agree up to the smaller of the two ends, so cut there and ask again: an older epoch may part
            // too, and each round settles one of them.
            case LeaderAnswer.Diverging(int epoch, long endOffset) ->
                new Step(in(Phase.APPLYING), new Effect.TruncateTo(commonEnd(epoch, endOffset, local)));
            case LeaderAnswer.OutOfRange(long logStartOffset) ->
                logStartOffset < 0
                        ? new Step(backedOff(backOff, nowNanos), null)
                        : new Step(in(Phase.APPLYING), new Effect.StartAgainAt(logStartOffset));
            case LeaderAnswer.Failed failed ->
                new Step(
                        switch (failed.error()) {
                            // The leader is in a later epoch; we hear of it soon, or have just not acted on it.
                            case FENCED_LEADER_EPOCH -> in(Phase.AWAITING_METADATA);
                            // The leader may not have heard of its election, of the topic or of this replica; its
                            // disk may come back with another leader. All others are as good a reason to ask again.
                            default -> backedOff(backOff, nowNanos);
                        },
                        null);
        };
    }

    /// Up to where both logs agree for sure, given that the leader's `epoch` ends at `endOffset`.
    private long commonEnd(int epoch, long endOffset, LeaderEpochHistory local) {
        OffsetAndEpoch own = local.endOffsetFor(epoch, fetchOffset);
        long ownEnd = own.offset() < 0 ? fetchOffset : own.offset();
        return Math.min(endOffset, ownEnd);
    }

    /// The effect was carried out, or not.
    FetcherState applied(FollowerOutcome outcome, BackOff backOff, long nowNanos) {
        return switch (outcome) {
            case FollowerOutcome.Position(long logEndOffset, int latestEpoch) ->
                begin(leaderEpoch, logEndOffset, latestEpoch);
            case FollowerOutcome.Superseded ignored -> in(Phase.AWAITING_METADATA);
            case FollowerOutcome.Failed failed ->
                switch (failed.error()) {
                    case KAFKA_STORAGE_ERROR -> in(Phase.FAILED);
                    // A damaged batch may come whole the next time.
                    default -> backedOff(backOff, nowNanos);
                };
        };
    }

    /// Time has passed: whoever has waited long enough fetches again.
    FetcherState onTime(long nowNanos) {
        return phase == Phase.BACKING_OFF && nowNanos - retryNanos >= 0 ? in(Phase.FETCHING) : this;
    }

    private FetcherState in(Phase next) {
        return new FetcherState(leaderEpoch, fetchOffset, lastFetchedEpoch, next, failures, retryNanos);
    }

    private FetcherState backedOff(BackOff backOff, long nowNanos) {
        int more = failures + 1;
        return new FetcherState(
                leaderEpoch,
                fetchOffset,
                lastFetchedEpoch,
                Phase.BACKING_OFF,
                more,
                nowNanos + backOff.afterFailures(more));
    }
}
