package io.moldau.broker.replica;

/// How far one follower is, as its fetches told the leader.
///
/// @param logEndOffset where it fetches from next: it has everything below; -1 if it has not fetched yet
/// @param logStartOffset where its log begins; -1 if it has not fetched yet
/// @param brokerEpoch of the registration its process fetched under; -1 if it has not said
/// @param lastFetchNanos when it last fetched
/// @param leaderEndAtLastFetch the leader's log end at that time
/// @param lastCaughtUpNanos the latest time at which it had everything the leader had
public record FollowerPosition(
        long logEndOffset,
        long logStartOffset,
        long brokerEpoch,
        long lastFetchNanos,
        long leaderEndAtLastFetch,
        long lastCaughtUpNanos) {

    /// Longer ago than any lag that is allowed.
    private static final long LONG_AGO_NANOS = 1L << 61;

    /// A follower that has not fetched from this leader yet. A member of the ISR counts as caught up when the leader
    /// takes over; any other first has to show it.
    static FollowerPosition unknown(boolean inSync, long nowNanos) {
        return new FollowerPosition(-1L, -1L, -1L, nowNanos, -1L, inSync ? nowNanos : nowNanos - LONG_AGO_NANOS);
    }

    /// It fetches from `offset` while the leader's log ends at `leaderEnd`. Whoever has now what the leader had at
    /// its previous fetch was caught up then.
    FollowerPosition fetched(long offset, long startOffset, long epoch, long leaderEnd, long nowNanos) {
        long caughtUp = lastCaughtUpNanos;
        if (offset >= leaderEnd) {
            caughtUp = nowNanos;
        } else if (offset >= leaderEndAtLastFetch
                && leaderEndAtLastFetch >= 0
                && lastFetchNanos - lastCaughtUpNanos > 0) {
            caughtUp = lastFetchNanos;
        }
        return new FollowerPosition(offset, startOffset, epoch, nowNanos, leaderEnd, caughtUp);
    }

    /// The leader appended at `nowNanos`: until then the follower had everything, though it had no reason to fetch.
    FollowerPosition hadEverythingUntil(long nowNanos) {
        return new FollowerPosition(
                logEndOffset, logStartOffset, brokerEpoch, lastFetchNanos, leaderEndAtLastFetch, nowNanos);
    }

    boolean isCaughtUp(long leaderEnd, long nowNanos, long maxLagNanos) {
        return logEndOffset == leaderEnd || nowNanos - lastCaughtUpNanos <= maxLagNanos;
    }
}
