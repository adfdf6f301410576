package io.moldau.log;

import io.moldau.log.space.DirectorySpace;
import io.moldau.log.storage.StorageException;
import java.io.IOException;

/// What a log tells the directory it lives in, so that a start after a crash knows which logs to
/// look at.
public interface LogJournal {

    /// The log is about to be written for the first time since its state was last written down.
    void beforeFirstChange(PartitionLog log) throws IOException;

    /// The log is about to be cut; offsets at or behind `offset` may be missing from now on.
    void beforeTruncation(PartitionLog log, long offset) throws IOException;

    /// The log begins at `offset` from now on; durable on return.
    void logStartAdvanced(PartitionLog log, long offset) throws IOException;

    /// The log begins at `offset` from now on, because retention let go of what lies below it.
    ///
    /// @return what [#settle] is to be called with before a file goes
    long logStartMoved(PartitionLog log, long offset) throws IOException;

    /// Makes what was said up to that word durable, if it is not yet.
    void settle(long word) throws IOException;

    /// Offsets may be missing between the log's batches from now on: segments are about to be
    /// replaced by what compaction made of them, or come so from the leader.
    void gapsMayCome(PartitionLog log) throws IOException;

    /// The log's directory is about to be given up; the partition may get another one, which begins
    /// anew. Durable on return.
    void beforeDeletion(PartitionLog log) throws IOException;

    /// The log comes from another directory, as this says, and is about to be written to here.
    /// Durable on return.
    void arriving(PartitionLog log, LogSummary summary) throws IOException;

    /// Up to where the log has been compacted, -1 if it never was.
    long cleanedUpTo(PartitionLog log);

    /// The log has been compacted up to `offset`. Written down with [#saveCleanedUpTo].
    void cleaned(PartitionLog log, long offset);

    /// Makes what [#cleaned] said durable.
    void saveCleanedUpTo() throws IOException;

    /// A segment was rolled, so what lies before it should be forced soon.
    void rolled(PartitionLog log);

    /// The disk failed. The directory goes offline.
    ///
    /// @return what to throw
    StorageException failed(PartitionLog log, IOException cause);

    /// How much room the directory has.
    DirectorySpace space();

    /// Throws if the directory is offline.
    void checkOnline();
}
