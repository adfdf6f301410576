package io.moldau.broker.coordinator.group;

import io.moldau.common.Uuid;

/// How far a group has read one partition.
///
/// @param offset the next offset to read
/// @param leaderEpoch of the last record read, or -1
/// @param metadata free text of the client
/// @param commitTimestampMs when it was committed
/// @param expireTimestampMs when it expires if the client asked for a time of its own, or -1
/// @param topicId of the partition's topic, zero if it was not known
record CommittedOffset(
        long offset, int leaderEpoch, String metadata, long commitTimestampMs, long expireTimestampMs, Uuid topicId) {

    static final long NO_EXPIRY = -1L;

    boolean hasOwnExpiry() {
        return expireTimestampMs != NO_EXPIRY;
    }

    /// @param retainedSinceMs from when the broker's retention counts
    boolean isExpired(long retainedSinceMs, long retentionMs, long nowMs) {
        return hasOwnExpiry() ? nowMs >= expireTimestampMs : nowMs - retainedSinceMs >= retentionMs;
    }
}
