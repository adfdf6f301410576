package io.moldau.broker.replica.fetch;

import io.moldau.common.Errors;

/// What a leader answered about one partition to a follower's fetch.
sealed interface LeaderAnswer {

    /// The logs agree up to where the follower is; batches from there on, perhaps none.
    record Batches(long highWatermark, long logStartOffset) implements LeaderAnswer {}

    /// The follower's last epoch is not in the leader's log, or ended earlier there: the greatest epoch up
    /// to it that
    /// the leader has ends at that offset (KIP-595).
    record Diverging(int epoch, long endOffset) implements LeaderAnswer {}

    /// The leader's log cannot be read at the follower's offset, nor tell where the two part.
    ///
    /// @param logStartOffset where the leader's log begins, -1 if it did not say
    record OutOfRange(long logStartOffset) implements LeaderAnswer {}

    /// Anything else that is wrong.
    record Failed(Errors error) implements LeaderAnswer {}
}
