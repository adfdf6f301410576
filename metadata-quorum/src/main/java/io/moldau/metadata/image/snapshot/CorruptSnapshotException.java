package io.moldau.metadata.image.snapshot;

import java.io.IOException;

/// The bytes are not a whole, undamaged snapshot that this release can read.
public final class CorruptSnapshotException extends IOException {

    private static final long serialVersionUID = 1L;

    public CorruptSnapshotException(String message) {
        super(message);
    }
}
