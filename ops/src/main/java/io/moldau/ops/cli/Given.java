package io.moldau.ops.cli;

import io.moldau.common.TopicPartition;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.time.format.DateTimeParseException;
import java.util.Locale;

/// Times and partitions as people give them. Functions.
final class Given {

    private Given() {}

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
