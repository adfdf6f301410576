package io.moldau.broker.lifecycle;

/// The node refuses to start. The message is for the operator: cause, subject and remedy in whole sentences.
public final class StartException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    public StartException(String message) {
        super(message);
    }

    public StartException(String message, Throwable cause) {
        super(message, cause);
    }
}
