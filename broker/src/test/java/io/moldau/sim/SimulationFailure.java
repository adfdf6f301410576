package io.moldau.sim;

import org.jspecify.annotations.Nullable;

/// Something that must never happen happened in a simulation.
final class SimulationFailure extends AssertionError {

    private static final long serialVersionUID = 1L;

    SimulationFailure(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
