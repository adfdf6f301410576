package io.moldau.log.recovery;

import org.jspecify.annotations.Nullable;

/// What is known of a partition's log before its files are opened.
///
/// @param clean whether nothing was written since the files were last known to be sound
/// @param soundUpTo everything below this offset needs no check of its checksums
/// @param durableUpTo everything below this offset must be there; 0 if nothing is known
/// @param logStartOffset from the checkpoint, 0 if there is none
/// @param gapsAreLosses whether a hole between segments means that bytes were lost; in a directory
///     another program wrote it may be the work of compaction
/// @param complete whether every change of where the log begins was noted, so that a first segment
///     behind `logStartOffset` means that one is missing
/// @param mayHaveGaps whether offsets may be missing between batches; else a batch that does not
///     follow on the one before is damaged
/// @param sizeInBytes of all segments together if `clean`, -1 if it is not known
/// @param digest what the files must say up to `soundUpTo`, null if it is not known
public record OpeningState(
        boolean clean,
        long soundUpTo,
        long durableUpTo,
        long logStartOffset,
        boolean gapsAreLosses,
        boolean complete,
        boolean mayHaveGaps,
        long sizeInBytes,
        @Nullable LogDigest digest) {

    /// Nothing is known: every batch is checked.
    public static final OpeningState UNKNOWN = new OpeningState(false, 0, 0, 0, false, false, true, -1, null);
}
