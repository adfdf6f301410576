package io.moldau.metadata.quorum;

import java.io.IOException;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/// The snapshots a node keeps, for others to fetch. Safe for use by many threads.
public interface SnapshotSource {

    /// One snapshot.
    record Snapshot(long index, int term, long sizeInBytes) {}

    /// The newest, or null if there is none.
    @Nullable
    Snapshot latest();

    /// Up to `maxBytes` from `position` on, or null if the snapshot is not kept any more.
    @Nullable
    ByteBuffer read(Snapshot snapshot, long position, int maxBytes) throws IOException;
}
