package io.moldau.ops.report;

import java.time.Instant;
import java.util.List;
import java.util.Locale;

/// Numbers, sizes and times as people read them. Functions.
public final class Words {

    private static final List<String> UNITS = List.of("B", "KiB", "MiB", "GiB", "TiB", "PiB");

    private Words() {}

    /// `-` for what is not known.
    public static String bytes(long bytes) {
        if (bytes < 0) {
            return "-";
        }
        double value = bytes;
        int unit = 0;
        while (value >= 1024 && unit < UNITS.size() - 1) {
            value /= 1024;
            unit++;
        }
        return unit == 0 ? bytes + " B" : String.format(Locale.ROOT, "%.1f %s", value, UNITS.get(unit));
    }

    /// `1 record`, `2 records`.
    public static String count(long number, String one) {
        return number + " " + (number == 1 ? one : one + "s");
    }

    public static String instant(long ms) {
        return ms < 0 ? "-" : Instant.ofEpochMilli(ms).toString();
    }
}
