package io.moldau.common.time;

/// The machine's own clocks. Composition roots hand it out; nothing else reads them.
public final class SystemTime implements Time {

    @Override
    public long milliseconds() {
        return System.currentTimeMillis();
    }

    @Override
    public long nanoseconds() {
        return System.nanoTime();
    }
}
