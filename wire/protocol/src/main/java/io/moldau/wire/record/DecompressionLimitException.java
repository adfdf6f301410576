package io.moldau.wire.record;

import io.moldau.wire.protocol.MalformedMessageException;

/// Compressed bytes hold more than the reader's [DecompressionLimits] allow.
public final class DecompressionLimitException extends MalformedMessageException {

    private static final long serialVersionUID = 1L;

    DecompressionLimitException(String message) {
        super(message);
    }
}
