package io.moldau.common;

/// Moldau is wrong: something that must always hold does not. Ends at a [FaultHandler], never in a retry.
public final class InvariantViolation extends RuntimeException {

    private static final long serialVersionUID = 1L;

    public InvariantViolation(String message) {
        super(message);
    }
}
