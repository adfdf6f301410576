package io.moldau.log.clean;

/// Lets a compaction go on, makes it wait, or ends it.
public interface CleaningPace {

    /// Neither waits nor ends.
    CleaningPace UNBOUNDED = bytes -> true;

    /// Called after each piece of work, without a lock.
    ///
    /// @param bytes read and written since the last call
    /// @return false to end the compaction; the log then stays as it is
    boolean spent(long bytes);
}
