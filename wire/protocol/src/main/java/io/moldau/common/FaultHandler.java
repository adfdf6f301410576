package io.moldau.common;

import java.util.ArrayList;
import java.util.List;

/// What happens after a fault of our own, such as an [InvariantViolation]: the node halts, the controller renounces its
/// role, a test records it.
@FunctionalInterface
public interface FaultHandler {

    /// Takes the fault. May not return, if it ends the process. Callable from any thread.
    ///
    /// @param where what was being done, for the log
    void handle(String where, Throwable fault);

    /// Keeps faults for a test to look at.
    final class Recording implements FaultHandler {

        private final List<Fault> faults = new ArrayList<>();

        /// One fault as it was handed over.
        public record Fault(String where, Throwable cause) {}

        @Override
        public synchronized void handle(String where, Throwable fault) {
            faults.add(new Fault(where, fault));
        }

        public synchronized List<Fault> faults() {
            return List.copyOf(faults);
        }
    }
}
