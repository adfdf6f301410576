package io.moldau.wire.protocol;

/// The bytes are not what the protocol says they should be. The only exception decoding declares.
public final class MalformedMessageException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    public MalformedMessageException(String message) {
        super(message, null, false, false);
    }
}
