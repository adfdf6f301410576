package io.moldau.common.time;

/// A scheduled action: a handle to take it back. Callable from any thread.
public interface TimerTask {

    /// Whether this call took the action back; false if it was taken back before, or has run or is about to.
    boolean cancel();

    long deadlineNanos();
}
