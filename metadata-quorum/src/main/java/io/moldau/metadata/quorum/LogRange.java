package io.moldau.metadata.quorum;

import java.util.List;

/// A part of the committed log.
///
/// @param entries the batches in it
/// @param nextIndex the first index it does not cover; other entries of the quorum may lie between the batches
public record LogRange(List<LogEntry> entries, long nextIndex) {}
