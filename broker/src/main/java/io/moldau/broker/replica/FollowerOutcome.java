package io.moldau.broker.replica;

import io.moldau.common.Errors;

/// What became of a step that a follower took with its log.
public sealed interface FollowerOutcome {

    /// It was taken, or there was nothing to do; the log is this now.
    ///
    /// @param latestEpoch of the log's history, -1 if it has none
    record Position(long logEndOffset, int latestEpoch) implements FollowerOutcome {}

    /// The partition does not follow that leader in that leader epoch any more; nothing was done.
    record Superseded() implements FollowerOutcome {}

    /// The log refused, or its disk failed.
    record Failed(Errors error, String message) implements FollowerOutcome {}
}
