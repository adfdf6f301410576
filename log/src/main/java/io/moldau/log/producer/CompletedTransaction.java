package io.moldau.log.producer;

/// A transaction whose end marker is in the log.
///
/// @param lastOffset the marker's own offset
public record CompletedTransaction(long producerId, long firstOffset, long lastOffset, boolean aborted) {}
