package io.moldau.broker.replica;

/// Told what became of a follower's step: on the caller's thread before the call returns, or on
/// another thread. Must be quick and must not block.
@FunctionalInterface
public interface FollowerCallback {

    void done(FollowerOutcome outcome);

    /// The step was taken, and what it wrote is being forced to the disk; [#done] follows when it
    /// is. Not called where there is nothing to wait for.
    default void forcing() {}
}
