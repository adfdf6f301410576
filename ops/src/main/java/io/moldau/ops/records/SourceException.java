package io.moldau.ops.records;

/// A partition cannot be read now; the message says why, for people.
public final class SourceException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    public SourceException(String message) {
        super(message);
    }
}
