package io.moldau.common;

import java.util.function.Supplier;

/// Checks of what must hold whatever the world does. Not for bad input and not for failing disks: a violation means
/// that Moldau itself is wrong.
public final class Invariant {

    private Invariant() {}

    /// @throws InvariantViolation if the condition is false
    public static void check(boolean condition, String message) {
        if (!condition) {
            throw new InvariantViolation(message);
        }
    }

    /// As the other, for a message that is worth building only when it is needed.
    ///
    /// @throws InvariantViolation if the condition is false
    public static void check(boolean condition, Supplier<String> message) {
        if (!condition) {
            throw new InvariantViolation(message.get());
        }
    }

    /// For a place that cannot be reached: `throw Invariant.unreachable(...)`.
    public static InvariantViolation unreachable(String message) {
        return new InvariantViolation("Reached what cannot be reached: " + message);
    }
}
