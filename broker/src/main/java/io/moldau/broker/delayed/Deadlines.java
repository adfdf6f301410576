package io.moldau.broker.delayed;

/// Deadlines on one thread: of an event loop, or of a test that moves the clock by hand.
public interface Deadlines {

    /// The monotonic clock the deadlines are measured with.
    long nowNanos();

    /// Runs the task on the owner's thread once `delayNanos` have passed: not before, and a tick of some
    /// milliseconds late at most (when the thread is not busy).
    Deadline after(long delayNanos, Runnable task);

    /// One pending deadline.
    interface Deadline {

        /// Forgets it. Does nothing once it has fired.
        void cancel();
    }
}
