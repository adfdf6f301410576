package io.moldau.log.storage;

import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.List;

/// Files and directories as the log sees them. Real in [NioLogStorage]; a simulated one in the tests tears
/// writes, forgets bytes that were not forced, flips bits, fails and runs full.
///
/// Creating, renaming or deleting a file changes its directory, and that change is only durable after
/// [#syncDirectory] of that directory.
public interface LogStorage {

    /// How a file is opened.
    enum Access {
        /// The file must exist.
        READ,
        /// The file must exist.
        READ_WRITE,
        /// The file is made if it does not exist.
        CREATE
    }

    LogFile open(Path path, Access access) throws IOException;

    boolean exists(Path path);

    boolean isDirectory(Path path);

    /// The names in a directory, sorted; none if there is no such directory.
    List<String> list(Path directory) throws IOException;

    long size(Path path) throws IOException;

    long lastModifiedMs(Path path) throws IOException;

    void createDirectories(Path directory) throws IOException;

    /// Replaces `to` if it exists, atomically.
    void rename(Path from, Path to) throws IOException;

    /// Deletes a file; nothing happens if it does not exist.
    void delete(Path path) throws IOException;

    /// Deletes a directory with everything in it; nothing happens if it does not exist.
    void deleteTree(Path directory) throws IOException;

    void syncDirectory(Path directory) throws IOException;

    byte[] readAll(Path path) throws IOException;

    /// Takes an exclusive lock that other processes see, until the returned handle is closed.
    ///
    /// @throws IOException if another process or another opener in this one holds it
    Closeable lock(Path path) throws IOException;

    /// Names one run of the operating system. As long as it stays the same, bytes written by a process that died
    /// are still there, forced or not; when it changes, only forced ones are sure to be.
    String bootId();

    long totalBytes(Path directory) throws IOException;

    long usableBytes(Path directory) throws IOException;

    /// Gives `path` this content as a whole: readers, also after a crash, see the old content or the new.
    ///
    /// @param sync whether the new content is durable on return
    default void replace(Path path, byte[] content, boolean sync) throws IOException {
        var temporary = path.resolveSibling(path.getFileName() + ".tmp");
        try (var file = open(temporary, Access.CREATE)) {
            file.truncate(0);
            file.write(ByteBuffer.wrap(content), 0);
            if (sync) {
                file.force();
            }
        }
        rename(temporary, path);
        if (sync) {
            syncDirectory(parent(path));
        }
    }

    /// The directory a file is in.
    static Path parent(Path path) {
        var parent = path.getParent();
        return parent == null ? path.toAbsolutePath().getRoot() : parent;
    }
}
