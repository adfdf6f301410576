package io.moldau.broker.coordinator.runtime;

import io.moldau.common.Errors;

/// A state machine over one partition of an internal topic. Pure: it has no clock, thread, socket or file; whoever
/// calls it owns it for the length of the call.
///
/// Hard state changes only by [#replay], which runs the same on loading and on writing. Soft state (who waits for what)
/// lives beside it and is gone when the shard is.
public interface CoordinatorShard {

    /// Where the shard's uncommitted changes are kept.
    Timeline timeline();

    /// Applies one record. A type this release does not know is skipped.
    ///
    /// @param producerId of the transaction the record belongs to, or -1
    void replay(long producerId, short producerEpoch, CoordinatorRecord record);

    /// Applies the end of a transaction.
    void replayEndTransaction(long producerId, short producerEpoch, boolean committed);

    /// The whole log has been replayed; the shard starts to serve.
    CoordinatorResult onLoaded(long nowMs);

    /// The shard will not serve again: whoever waits is told the error.
    CoordinatorResult onUnloaded(Errors error);

    CoordinatorResult onTimer(TimerEvent event, long nowMs);
}
