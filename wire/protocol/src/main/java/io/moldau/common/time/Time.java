package io.moldau.common.time;

/// The clock as a dependency. Real in `SystemTime`, stepped by hand in tests and simulation.
public interface Time {

    /// Wall clock, milliseconds since the epoch: for timestamps that leave the process, never for time-outs.
    long milliseconds();

    /// Monotonic clock, nanoseconds from an arbitrary origin: for deadlines and durations.
    long nanoseconds();
}
