package io.moldau.ops.cli;

/// When each of a thread's records is due, so that all threads together keep a rate. Pure.
///
/// @param beganNanos when the first record of all is due
/// @param perSecond records of all threads; 0 for as many as go
/// @param threads how many there are
/// @param thread which one this is, from 0
record Pacer(long beganNanos, double perSecond, int threads, int thread) {

    private static final double NANOS = 1e9;

    /// A record that goes as soon as it can is due when it goes.
    ///
    /// @param n the thread's records before this one
    long dueNanos(long n, long nowNanos) {
        return perSecond <= 0 ? nowNanos : beganNanos + (long) ((n * (double) threads + thread) * NANOS / perSecond);
    }
}
