package io.moldau.log.recovery;

/// What is known of a partition's log before its files are opened.
///
/// @param clean whether nothing was written since the files were last known to be sound
/// @param soundUpTo everything below this offset needs no check of its checksums
/// @param durableUpTo everything below this offset must be there; 0 if nothing is known
/// @param logStartOffset from the checkpoint, 0 if there is none
/// @param gapsAreLosses whether a hole between segments behind `soundUpTo` means that unforced bytes were lost;
///     in a directory another program wrote it may be the work of compaction
public record OpeningState(
        boolean clean, long soundUpTo, long durableUpTo, long logStartOffset, boolean gapsAreLosses) {

    /// Nothing is known: every batch is checked.
    public static final OpeningState UNKNOWN = new OpeningState(false, 0, 0, 0, false);
}
