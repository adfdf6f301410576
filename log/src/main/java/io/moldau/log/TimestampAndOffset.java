package io.moldau.log;

/// A record found by its time.
///
/// @param leaderEpoch of the batch it is in, -1 if unknown
public record TimestampAndOffset(long timestamp, long offset, int leaderEpoch) {}
