package io.moldau.log.storage;

import java.io.IOException;
import java.nio.file.Path;

/// A read, write, truncation or force of an open file failed. The message begins with the file, since the
/// operating system's own text does not name it.
public final class DiskException extends IOException {

    private static final long serialVersionUID = 1L;

    private final transient Path file;
    private final boolean outOfSpace;

    /// @param doing what was being done, like `write`
    public DiskException(Path file, String doing, IOException cause) {
        super("'" + file + "': " + doing + " failed: " + reason(cause), cause);
        this.file = file;
        // After a failed force nobody knows what is on the disk, whatever the reason.
        this.outOfSpace = !doing.endsWith("sync") && isOutOfSpace(cause);
    }

    private static String reason(IOException cause) {
        var message = cause.getMessage();
        return message == null ? cause.getClass().getSimpleName() : message;
    }

    // Java has no type for it, only the text that the operating system's error stands for.
    private static boolean isOutOfSpace(IOException cause) {
        var reason = reason(cause);
        return reason.contains("No space left on device") || reason.contains("Disk quota exceeded");
    }

    public Path file() {
        return file;
    }

    /// Whether the volume, or what this user may have of it, is full: the one failure that can end by itself.
    public boolean outOfSpace() {
        return outOfSpace;
    }

    /// Whether a failure, or what it stems from, is a full volume.
    public static boolean isFull(Throwable failure) {
        for (Throwable at = failure; at != null; at = at.getCause()) {
            if (at instanceof DiskException disk) {
                return disk.outOfSpace();
            }
            if (at instanceof IOException io && isOutOfSpace(io)) {
                return true;
            }
        }
        return false;
    }
}
