package io.moldau.broker.replica;

import io.moldau.broker.delayed.OffsetWaits;
import io.moldau.common.Errors;
import java.util.ArrayList;
import java.util.List;

/// All who wait for one watermark of one partition. Thread-safe; listeners are called outside its monitor.
final class WatermarkWaits {

    /// Guarded by this; `size` mirrors how many there are for a look without the monitor.
    private final OffsetWaits<WatermarkWait> waits = new OffsetWaits<>();

    private volatile int size;

    /// The caller has to look afterwards whether the offset was reached before anybody could see this wait.
    WatermarkWait add(long offset, WatermarkWait.Listener listener) {
        var wait = new WatermarkWait(this, offset, listener);
        synchronized (this) {
            waits.add(wait);
            size = waits.size();
        }
        return wait;
    }

    synchronized boolean remove(WatermarkWait wait) {
        boolean removed = waits.remove(wait);
        size = waits.size();
        return removed;
    }

    int size() {
        return size;
    }

    boolean isEmpty() {
        return size == 0;
    }

    /// Ends the waits for what is at or below `position`.
    void end(long position, Errors outcome) {
        if (isEmpty()) {
            return;
        }
        List<WatermarkWait> ended = new ArrayList<>();
        synchronized (this) {
            WatermarkWait wait;
            while ((wait = waits.poll(position)) != null) {
                ended.add(wait);
            }
            size = waits.size();
        }
        for (WatermarkWait wait : ended) {
            wait.end(outcome);
        }
    }
}
