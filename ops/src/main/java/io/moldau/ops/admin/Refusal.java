package io.moldau.ops.admin;

/// A request that gets no answer; the message says why, for people.
final class Refusal extends RuntimeException {

    private static final long serialVersionUID = 1L;

    private final int status;

    Refusal(int status, String message) {
        super(message, null, false, false);
        this.status = status;
    }

    int status() {
        return status;
    }
}
