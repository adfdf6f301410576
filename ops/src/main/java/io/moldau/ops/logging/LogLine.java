package io.moldau.ops.logging;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.time.Instant;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import org.slf4j.event.Level;

/// How an event is written: time, level, the logger's last name, the message, and the stack trace of a failure.
final class LogLine {

    private final DateTimeFormatter time;

    /// @param pattern of [DateTimeFormatter]
    LogLine(String pattern, ZoneId zone) {
        time = DateTimeFormatter.ofPattern(pattern, Locale.ROOT).withZone(zone);
    }

    String of(long nowMs, Level level, String logger, String message, @Nullable Throwable failure) {
        var line = new StringBuilder(128);
        time.formatTo(Instant.ofEpochMilli(nowMs), line);
        line.append(' ')
                .append(level)
                .append(' ')
                .append(logger, logger.lastIndexOf('.') + 1, logger.length())
                .append(" - ")
                .append(message);
        if (failure != null) {
            var trace = new StringWriter();
            failure.printStackTrace(new PrintWriter(trace));
            line.append(System.lineSeparator()).append(trace.toString().stripTrailing());
        }
        return line.toString();
    }
}
