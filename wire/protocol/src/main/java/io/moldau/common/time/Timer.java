package io.moldau.common.time;

/// Where to ask for something to happen later. Callable from any thread.
public interface Timer {

    /// Runs `action` once [Time#nanoseconds] has reached `deadlineNanos`; soon, if it has already.
    ///
    /// The action runs on whoever drives the timer and holds up every other one, so it only posts: to an event
    /// loop, a mailbox, a queue.
    ///
    /// @param deadlineNanos at most 146 years ahead
    TimerTask schedule(long deadlineNanos, Runnable action);

    default TimerTask schedule(Deadline deadline, Runnable action) {
        return schedule(deadline.nanos(), action);
    }
}
