package io.moldau.metadata.event;

import java.util.concurrent.Executor;

/// Runs tasks one after the other, in the order they came; timers run between them when they are due.
///
/// State that only such tasks touch needs no lock. Methods may be called from any thread.
public interface EventLoop extends Executor, AutoCloseable {

    /// A timer that has not run yet.
    interface Timer {
        /// Keeps it from running. Has no effect once it started.
        void cancel();
    }

    /// Runs the task when its turn comes.
    ///
    /// @throws java.util.concurrent.RejectedExecutionException after [#close()]
    @Override
    void execute(Runnable task);

    /// Runs the task at the deadline or soon after.
    Timer schedule(long deadlineNanos, Runnable task);

    /// Takes no further task, runs those that wait, drops timers. Returns when all is done, unless called by a task.
    @Override
    void close();
}
