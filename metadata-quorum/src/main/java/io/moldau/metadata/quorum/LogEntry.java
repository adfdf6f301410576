package io.moldau.metadata.quorum;

import io.moldau.metadata.record.MetadataBatch;

/// A committed batch in the log.
public record LogEntry(long index, int term, MetadataBatch batch, int sizeInBytes) {}
