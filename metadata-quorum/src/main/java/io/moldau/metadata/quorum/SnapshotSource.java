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

    /// When the newest was written, milliseconds since 1970; -1 if there is none, or nobody knows. Asks the disk.
    default long latestWrittenMs() {
        return -1;
    }

    /// Up to `maxBytes` from `position` on, or null if the snapshot is not kept any more.
    @Nullable
    ByteBuffer read(Snapshot snapshot, long position, int maxBytes) throws IOException;
}
