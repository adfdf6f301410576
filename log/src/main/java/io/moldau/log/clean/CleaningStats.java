package io.moldau.log.clean;

/// What a compaction did.
///
/// @param bytesBefore of the segments that were replaced
/// @param bytesAfter of those that replaced them
/// @param mapUtilization how much of the memory for keys was in use, between 0 and 1
public record CleaningStats(
        long bytesRead, long bytesWritten, long bytesBefore, long bytesAfter, int keys, double mapUtilization) {}
