package io.moldau.broker.replica;

/// How far one follower is, as its fetches told the leader.
///
/// @param logEndOffset where it fetches from next: it has everything below; -1 if it has not fetched yet
/// @param lastFetchNanos when it last fetched
/// @param leaderEndAtLastFetch the leader's log end at that time
/// @param lastCaughtUpNanos the latest time at which it had everything the leader had
public record FollowerPosition(
        long logEndOffset, long lastFetchNanos, long leaderEndAtLastFetch, long lastCaughtUpNanos) {

    /// A follower that counts as caught up when the leader takes over, but has not fetched yet.
    static FollowerPosition unknown(long nowNanos) {
        return new FollowerPosition(-1L, nowNanos, -1L, nowNanos);
    }

    /// It fetches from `offset` while the leader's log ends at `leaderEnd`. Whoever has now what the leader had at
    /// its previous fetch was caught up then.
    FollowerPosition fetched(long offset, long leaderEnd, long nowNanos) {
        long caughtUp;
        if (offset >= leaderEnd) {
            caughtUp = nowNanos;
        } else if (offset >= leaderEndAtLastFetch && leaderEndAtLastFetch >= 0) {
            caughtUp = lastFetchNanos;
        } else {
            caughtUp = lastCaughtUpNanos;
        }
        return new FollowerPosition(offset, nowNanos, leaderEnd, caughtUp);
    }

    boolean isCaughtUp(long leaderEnd, long nowNanos, long maxLagNanos) {
        return logEndOffset == leaderEnd || nowNanos - lastCaughtUpNanos <= maxLagNanos;
    }
}
