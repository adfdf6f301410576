package io.moldau.log.scrub;

import io.moldau.log.PartitionLog;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/// Another copy of a log's records.
@FunctionalInterface
public interface SoundRecords {

    /// For a log that has no other copy.
    SoundRecords NONE = (log, offset, upTo) -> null;

    /// Some whole, sound batches from `offset` on, all below `upTo`; empty if the copy has none there (any more), as
    /// after a compaction. May wait.
    ///
    /// @return null if no copy can be asked, or none reaches that far
    @Nullable
    ByteBuffer fetch(PartitionLog log, long offset, long upTo);
}
