package io.moldau.log.segment;

import java.nio.file.Path;
import java.util.List;

/// The names of the files in a partition's directory.
public final class SegmentFiles {

    public static final String LOG = ".log";
    public static final String OFFSET_INDEX = ".index";
    public static final String TIME_INDEX = ".timeindex";
    public static final String TRANSACTION_INDEX = ".txnindex";

    /// The indexes of a segment; the transaction index, which not every segment has, comes first.
    public static final List<String> INDEXES = List.of(TRANSACTION_INDEX, TIME_INDEX, OFFSET_INDEX);

    public static final String PRODUCER_SNAPSHOT = ".snapshot";
    public static final String DELETED = ".deleted";
    public static final String CLEANED = ".cleaned";
    public static final String SWAP = ".swap";

    private static final int DIGITS = 20;

    private SegmentFiles() {}

    /// The offset with 20 digits, then the suffix.
    public static String name(long offset, String suffix) {
        var digits = Long.toString(offset);
        return "0".repeat(DIGITS - digits.length()) + digits + suffix;
    }

    public static Path path(Path directory, long offset, String suffix) {
        return directory.resolve(name(offset, suffix));
    }

    /// The offset a name begins with, -1 if it is not 20 digits and then exactly this suffix.
    public static long offsetOf(String name, String suffix) {
        if (name.length() != DIGITS + suffix.length() || !name.endsWith(suffix)) {
            return -1;
        }
        try {
            return Long.parseLong(name, 0, DIGITS, 10);
        } catch (NumberFormatException e) {
            return -1;
        }
    }
}
