package io.moldau.metadata.image.loader;

import io.moldau.metadata.image.MetadataProvenance;

/// How a new image came about.
public sealed interface LoaderManifest {

    /// Where the new image stands in the log.
    MetadataProvenance provenance();

    /// By entries of the log.
    record LogDelta(MetadataProvenance provenance, int batches, long elapsedNanos) implements LoaderManifest {}

    /// By a snapshot; the delta is the difference from what the node knew before.
    record Snapshot(MetadataProvenance provenance, long elapsedNanos) implements LoaderManifest {}
}
