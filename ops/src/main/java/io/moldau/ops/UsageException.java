package io.moldau.ops;

/// A command line that cannot be understood. The message names the word and the remedy, for the person who typed it.
public final class UsageException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    UsageException(String message) {
        super(message);
    }
}
