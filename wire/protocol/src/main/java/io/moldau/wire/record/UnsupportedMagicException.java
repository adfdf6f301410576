package io.moldau.wire.record;

import io.moldau.wire.protocol.MalformedMessageException;

/// Records in a message format other than v2: the message sets before Kafka 0.11, or one from the future.
public final class UnsupportedMagicException extends MalformedMessageException {

    private static final long serialVersionUID = 1L;

    private final byte magic;

    UnsupportedMagicException(byte magic) {
        super("Records have magic " + magic + "; only magic 2, the format since Kafka 0.11, is supported");
        this.magic = magic;
    }

    public byte magic() {
        return magic;
    }
}
