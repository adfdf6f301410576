package io.moldau.broker.replica;

/// How far one follower is, as its fetches told the leader.
///
/// Written inside the partition's mailbox. What others look at (log end, log start, broker epoch)
/// may be read from any thread, each by itself. Changed in place: a position changes with every
/// append and every fetch.
public final class FollowerPosition {

    /// Longer ago than any lag that is allowed.
    private static final long LONG_AGO_NANOS = 1L << 61;

    private final int brokerId;
    private volatile long logEndOffset = -1L;
    private volatile long logStartOffset = -1L;
    private volatile long brokerEpoch = -1L;

    // Owned by the mailbox.
    private long lastFetchNanos;
    private long leaderEndAtLastFetch = -1L;
    private long lastCaughtUpNanos;

    /// Whether the high watermark waits for it; kept by [LeaderState].
    boolean counts;

    private FollowerPosition(int brokerId, long lastFetchNanos, long lastCaughtUpNanos) {
        this.brokerId = brokerId;
        this.lastFetchNanos = lastFetchNanos;
        this.lastCaughtUpNanos = lastCaughtUpNanos;
    }

    /// A follower that has not fetched from this leader yet. A member of the ISR counts as caught up when the leader
    /// takes over; any other first has to show it.
    static FollowerPosition unknown(int brokerId, boolean inSync, long nowNanos) {
        return new FollowerPosition(brokerId, nowNanos, inSync ? nowNanos : nowNanos - LONG_AGO_NANOS);
    }

    public int brokerId() {
        return brokerId;
    }

    /// Where it fetches from next: it has everything below; -1 if it has not fetched yet.
    public long logEndOffset() {
        return logEndOffset;
    }

    /// Where its log begins; -1 if it has not fetched yet.
    public long logStartOffset() {
        return logStartOffset;
    }

    /// Of the registration its process fetched under; -1 if it has not said.
    public long brokerEpoch() {
        return brokerEpoch;
    }

    /// The latest time at which it had everything the leader had.
    long lastCaughtUpNanos() {
        return lastCaughtUpNanos;
    }

    /// It fetches from `offset` while the leader's log ends at `leaderEnd`. Whoever has now what the leader had at
    /// its previous fetch was caught up then.
    void fetched(long offset, long startOffset, long epoch, long leaderEnd, long nowNanos) {
        if (offset >= leaderEnd) {
            lastCaughtUpNanos = nowNanos;
        } else if (offset >= leaderEndAtLastFetch
                && leaderEndAtLastFetch >= 0
                && lastFetchNanos - lastCaughtUpNanos > 0) {
            lastCaughtUpNanos = lastFetchNanos;
        }
        logEndOffset = offset;
        logStartOffset = startOffset;
        brokerEpoch = epoch;
        lastFetchNanos = nowNanos;
        leaderEndAtLastFetch = leaderEnd;
    }

    /// The leader appended at `nowNanos`: until then the follower had everything, though it had no reason to fetch.
    void hadEverythingUntil(long nowNanos) {
        lastCaughtUpNanos = nowNanos;
    }

    boolean isCaughtUp(long leaderEnd, long nowNanos, long maxLagNanos) {
        return logEndOffset == leaderEnd || nowNanos - lastCaughtUpNanos <= maxLagNanos;
    }
}
