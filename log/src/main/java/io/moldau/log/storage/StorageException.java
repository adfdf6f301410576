package io.moldau.log.storage;

import java.io.IOException;
import java.nio.file.Path;

/// The disk failed a log. The log directory it happened in goes offline and stays so until the node restarts; a
/// client is told `KAFKA_STORAGE_ERROR`.
public final class StorageException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    private final transient Path directory;

    /// @param directory the log directory (not the partition's) that failed
    public StorageException(String message, Path directory, IOException cause) {
        super(message, cause);
        this.directory = directory;
    }

    /// The log directory that is now offline.
    public Path directory() {
        return directory;
    }
}
