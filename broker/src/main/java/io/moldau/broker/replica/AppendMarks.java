package io.moldau.broker.replica;

/// Remembers roughly which offset lies a given number of bytes before the end, without an entry per append.
///
/// A mark is set each time so many bytes have come; what counts is the mark before the last. Written by the
/// appender, read by anybody.
final class AppendMarks {

    private final int bytesPerMark;
    private long lastMark;
    private long bytesSinceMark;
    private volatile long from;

    /// @param logEndOffset nothing below it is known to have been appended lately
    AppendMarks(int bytesPerMark, long logEndOffset) {
        this.bytesPerMark = bytesPerMark;
        this.lastMark = logEndOffset;
        this.from = logEndOffset;
    }

    void appended(long baseOffset, int bytes) {
        if (bytesSinceMark >= bytesPerMark) {
            from = lastMark;
            lastMark = baseOffset;
            bytesSinceMark = 0;
        }
        bytesSinceMark += bytes;
    }

    /// At least the last `bytesPerMark` bytes, and at most twice as many, lie from here on (fewer in a log that is
    /// new).
    long from() {
        return from;
    }
}
