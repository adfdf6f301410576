package io.moldau.broker.coordinator.group.consumer;

import java.util.SortedSet;

/// The topics that an expression stood for at a time.
///
/// @param topics by name; not to be changed
/// @param metadataOffset of the metadata they were looked up in
/// @param atMs when
public record ResolvedRegex(SortedSet<String> topics, long metadataOffset, long atMs) {}
