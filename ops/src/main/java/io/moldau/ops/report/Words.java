package io.moldau.ops.cli;

import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.time.format.DateTimeParseException;
import java.util.List;
import java.util.Locale;
import org.apache.kafka.common.TopicPartition;

/// Numbers, sizes, times and names of partitions as people write and read them. Functions.
final class Words {

    private static final List<String> UNITS = List.of("B", "KiB", "MiB", "GiB", "TiB", "PiB");

    private Words() {}

    /// `-` for what is not known.
    static String bytes(long bytes) {
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
    static String count(long number, String one) {
        return number + " " + (number == 1 ? one : one + "s");
    }

    static String instant(long ms) {
        return ms < 0 ? "-" : Instant.ofEpochMilli(ms).toString();
    }

    /// Milliseconds since 1970, or a date, or a date with time; without a zone it is UTC. With a sign in
    /// front a time before now, as in `-15m`, `-2h` or `-P1D`.
    ///
    /// @throws ToolException if it is none of these
    static long timestamp(String text, long nowMs) {
        try {
            if (text.matches("\\d+")) {
                return Long.parseLong(text);
            }
            if (text.startsWith("-")) {
                String span = text.substring(1).toUpperCase(Locale.ROOT);
                String iso = span.startsWith("P") ? span : span.endsWith("D") ? "P" + span : "PT" + span;
                return nowMs - Duration.parse(iso).toMillis();
            }
            if (!text.contains("T")) {
                return LocalDate.parse(text)
                        .atStartOfDay()
                        .toInstant(ZoneOffset.UTC)
                        .toEpochMilli();
            }
            return text.matches(".*(Z|[+-]\\d\\d:?\\d\\d)")
                    ? OffsetDateTime.parse(text).toInstant().toEpochMilli()
                    : LocalDateTime.parse(text).toInstant(ZoneOffset.UTC).toEpochMilli();
        } catch (DateTimeParseException | NumberFormatException | ArithmeticException e) {
            throw noTime(text);
        } catch (DateTimeException e) {
            throw noTime(text);
        }
    }

    private static ToolException noTime(String text) {
        return new ToolException(
                "'" + text + "' is no time.",
                "Write milliseconds since 1970, a time like 2026-11-30T14:00:00Z, or a span before now like -15m.");
    }

    /// `orders-3`; a name may have dashes itself.
    static TopicPartition partition(String text) {
        int dash = text.lastIndexOf('-');
        if (dash > 0 && text.substring(dash + 1).matches("\\d{1,9}")) {
            return new TopicPartition(text.substring(0, dash), Integer.parseInt(text.substring(dash + 1)));
        }
        throw new ToolException(
                "'" + text + "' names no partition.", "Write topic and number with a dash between, like orders-3.");
    }
}
