package io.moldau.log.space;

/// Where the watermarks of one volume are. Pure.
///
/// A mark counts as passed upwards again only when half as much again is free, so that a volume at a mark does not
/// open and close its topics with every deleted file.
///
/// @param shortBytes below it space is short
/// @param fullBytes below it the volume counts as full; at most `shortBytes`
/// @param reserveBytes kept in a file that is given up when nothing else is left
public record SpaceMarks(long shortBytes, long fullBytes, long reserveBytes) {

    /// Nothing is refused before the disk refuses it.
    public static final SpaceMarks NONE = new SpaceMarks(0, 0, 0);

    private static final long MIB = 1 << 20;
    private static final long MOST_SHORT = 5 * 1024 * MIB;
    private static final long MOST_FULL = 1024 * MIB;
    private static final long MOST_RESERVE = 8 * MIB;

    /// As configured: -1 takes what suits a volume of that size, 0 does without.
    ///
    /// @param totalBytes of the volume
    public static SpaceMarks of(long shortBytes, long fullBytes, long reserveBytes, long totalBytes) {
        if (totalBytes <= 0) {
            return NONE;
        }
        long full = fullBytes >= 0 ? fullBytes : Math.min(MOST_FULL, totalBytes / 20);
        long first = shortBytes >= 0 ? shortBytes : Math.min(MOST_SHORT, totalBytes / 10);
        long reserve = reserveBytes >= 0 ? reserveBytes : Math.min(MOST_RESERVE, totalBytes / 32);
        return new SpaceMarks(Math.max(first, full), full, reserve);
    }

    /// @param before what it was at the last look
    /// @param freeBytes what is free besides the reserve
    public SpaceLevel next(SpaceLevel before, long freeBytes) {
        if (freeBytes < fullBytes || before == SpaceLevel.FULL && freeBytes < leaving(fullBytes)) {
            return SpaceLevel.FULL;
        }
        if (freeBytes < shortBytes || before != SpaceLevel.AMPLE && freeBytes < leaving(shortBytes)) {
            return SpaceLevel.SHORT;
        }
        return SpaceLevel.AMPLE;
    }

    private static long leaving(long mark) {
        return mark + mark / 2;
    }
}
