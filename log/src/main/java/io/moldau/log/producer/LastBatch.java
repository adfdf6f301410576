package io.moldau.log.producer;

/// What a producer wrote last, which compaction keeps so that its sequence numbers are not forgotten.
///
/// @param lastDataOffset the last offset of its newest batch of records, -1 if only a marker is known of it
public record LastBatch(long lastDataOffset, short producerEpoch) {}
