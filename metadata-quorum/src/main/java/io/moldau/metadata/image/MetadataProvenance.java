package io.moldau.metadata.image;

/// Where an image stands in the log.
///
/// @param offset the Raft index of the last entry it contains; -1 for the empty image
/// @param epoch that entry's Raft term
/// @param timestampMs when the controller wrote that entry, milliseconds since 1970; -1 if unknown
public record MetadataProvenance(long offset, int epoch, long timestampMs) {

    public static final MetadataProvenance EMPTY = new MetadataProvenance(-1, -1, -1);
}
