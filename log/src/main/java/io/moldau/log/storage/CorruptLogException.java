package io.moldau.log.storage;

import java.io.IOException;

/// Files of one partition contradict each other or what was known to be durable. The partition is refused;
/// others in the
/// same directory are not affected.
public final class CorruptLogException extends IOException {

    private static final long serialVersionUID = 1L;

    public CorruptLogException(String message) {
        super(message);
    }
}
