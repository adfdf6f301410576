package io.moldau.log.space;

/// What is configured of the watermarks, as [SpaceMarks#of]: -1 for what suits the volume, 0 for none.
///
/// @param shortBytes `moldau.storage.short.bytes`
/// @param fullBytes `moldau.storage.full.bytes`
/// @param reserveBytes `moldau.storage.reserve.bytes`
public record MarkSettings(long shortBytes, long fullBytes, long reserveBytes) {

    public static final MarkSettings DEFAULTS = new MarkSettings(-1, -1, -1);

    SpaceMarks marks(long totalBytes) {
        return SpaceMarks.of(shortBytes, fullBytes, reserveBytes, totalBytes);
    }
}
