package io.moldau.broker.replica;

import io.moldau.broker.delayed.OffsetWaits;
import io.moldau.common.Errors;

/// Somebody waits until one of a partition's watermarks reaches an offset. It has no deadline of
/// its own: whoever gives up calls [#cancel]. Thread-safe.
public final class WatermarkWait extends OffsetWaits.Wait<WatermarkWait> {

    /// Told once how the wait ended, on the thread that ended it, outside the partition's mailbox. Must not block.
    @FunctionalInterface
    public interface Listener {

        /// @param outcome NONE if the offset was reached; NOT_LEADER_OR_FOLLOWER if this node
        ///     stopped leading before, KAFKA_STORAGE_ERROR if the partition's disk failed
        void ended(Errors outcome);
    }

    private final WatermarkWaits among;
    private final Listener listener;

    WatermarkWait(WatermarkWaits among, long offset, Listener listener) {
        super(offset);
        this.among = among;
        this.listener = listener;
    }

    /// False if the wait has ended already, or is about to.
    public boolean cancel() {
        return among.remove(this);
    }

    void end(Errors outcome) {
        listener.ended(outcome);
    }
}
