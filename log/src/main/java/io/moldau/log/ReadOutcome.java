package io.moldau.log;

/// What a read found.
public sealed interface ReadOutcome {

    /// A region of one segment file that begins with the batch the asked offset is in; it may end inside a batch.
    /// Empty when nothing below the bound has been written yet. Whoever gets it releases it.
    record Slice(LogSlice records) implements ReadOutcome {}

    /// The offset is not in the log.
    record OutOfRange(long logStartOffset, long logEndOffset) implements ReadOutcome {}
}
