package io.moldau.wire.protocol;

/// A message cannot be written in a version because a field that this version lacks carries a value.
public final class UnsupportedFieldException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    public UnsupportedFieldException(String message) {
        super(message);
    }
}
