package io.moldau.log;

/// Tells a consumer whose records to leave out.
///
/// @param firstOffset where the aborted transaction began
public record AbortedTransaction(long producerId, long firstOffset) {}
