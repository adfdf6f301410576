package io.moldau.wire.protocol;

/// The bytes are not what the protocol says they should be. The only exception decoding declares; a subclass says that
/// the reason is one a caller may want to answer differently.
public class MalformedMessageException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    public MalformedMessageException(String message) {
        super(message, null, false, false);
    }
}
