package io.moldau.ops.logging;

import org.jspecify.annotations.Nullable;
import org.slf4j.Marker;
import org.slf4j.event.Level;
import org.slf4j.helpers.LegacyAbstractLogger;
import org.slf4j.helpers.MessageFormatter;

/// A logger whose level can change at any time. Thread-safe.
final class LevelledLogger extends LegacyAbstractLogger {

    private static final long serialVersionUID = 1L;

    /// Takes what a logger lets through.
    interface Sink {
        void write(Level level, String logger, String message, @Nullable Throwable failure);
    }

    private final transient Sink sink;

    /// Written by [Loggers].
    private volatile int threshold;

    LevelledLogger(String name, int threshold, Sink sink) {
        this.name = name;
        this.threshold = threshold;
        this.sink = sink;
    }

    /// @param least what is let through, as [Level#toInt] has it
    void threshold(int least) {
        threshold = least;
    }

    int threshold() {
        return threshold;
    }

    @Override
    public boolean isTraceEnabled() {
        return threshold <= Level.TRACE.toInt();
    }

    @Override
    public boolean isDebugEnabled() {
        return threshold <= Level.DEBUG.toInt();
    }

    @Override
    public boolean isInfoEnabled() {
        return threshold <= Level.INFO.toInt();
    }

    @Override
    public boolean isWarnEnabled() {
        return threshold <= Level.WARN.toInt();
    }

    @Override
    public boolean isErrorEnabled() {
        return threshold <= Level.ERROR.toInt();
    }

    @Override
    protected @Nullable String getFullyQualifiedCallerName() {
        return null;
    }

    @Override
    protected void handleNormalizedLoggingCall(
            Level level,
            @Nullable Marker marker,
            @Nullable String message,
            Object @Nullable [] arguments,
            @Nullable Throwable failure) {
        String text = arguments == null || arguments.length == 0
                ? String.valueOf(message)
                : String.valueOf(MessageFormatter.basicArrayFormat(message, arguments));
        sink.write(level, name, text, failure);
    }
}
