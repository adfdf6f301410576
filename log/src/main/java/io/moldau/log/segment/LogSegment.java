package io.moldau.log.segment;

import io.moldau.log.storage.LogFile;

/// One segment.
public final class LogSegment {
    private final LogFile file;

    LogSegment(LogFile file) {
        this.file = file;
    }

    public LogFile file() {
        return file;
    }

    public void retain() {}

    public void release() {}
}
