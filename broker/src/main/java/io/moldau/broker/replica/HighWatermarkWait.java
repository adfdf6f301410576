package io.moldau.broker.replica;

import io.moldau.broker.delayed.OffsetWaits;
import io.moldau.common.Errors;

/// Somebody waits until a partition's high watermark reaches an offset.
public final class HighWatermarkWait extends OffsetWaits.Wait<HighWatermarkWait> {

    /// Told once how the wait ended, on the thread that ended it, outside the partition's mailbox. Must not block.
    @FunctionalInterface
    public interface Listener {

        /// @param outcome NONE if the offset was reached, NOT_LEADER_OR_FOLLOWER if this node stopped leading
        ///     before
        void ended(Errors outcome);
    }

    private final Listener listener;

    HighWatermarkWait(long offset, Listener listener) {
        super(offset);
        this.listener = listener;
    }

    void end(Errors outcome) {
        listener.ended(outcome);
    }
}
