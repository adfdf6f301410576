package io.moldau.ops.chaos;

import java.time.Duration;

/// Something that happens to a cluster, and what ends it.
///
/// @param what for the report
/// @param survivable whether clients must be served again while it lasts
/// @param lasts how long at least
public record Fault(String what, boolean survivable, Duration lasts, Step begin, Step end) {

    /// One half of a fault.
    @FunctionalInterface
    public interface Step {
        void run() throws Exception;
    }
}
