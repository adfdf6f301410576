package io.moldau.log.dir;

import java.io.IOException;
import java.nio.file.Path;

/// Whether a log directory is in use.
public sealed interface LogDirState {

    Path path();

    record Online(Path path) implements LogDirState {}

    /// The disk failed; nothing in the directory is read or written until the node restarts.
    record Offline(Path path, IOException cause) implements LogDirState {}
}
