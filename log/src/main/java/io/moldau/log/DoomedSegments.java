package io.moldau.log;

import io.moldau.log.segment.LogSegment;
import io.moldau.log.segment.SegmentFiles;
import io.moldau.log.storage.LogStorage;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/// The segments a log has let go of whose files are still there, the oldest first. They get names
/// that end in `.deleted`, so that no start takes them for a part of the log, and go after
/// `file.delete.delay.ms`.
///
/// The disk is touched under the lock of the disk alone, one segment at a time; the queue has
/// another, which nobody holds for long. Thread-safe.
final class DoomedSegments {

    /// Makes durable what the journal said of the log's start.
    interface Settling {
        void settle(long word) throws IOException;
    }

    /// @param snapshot the producer snapshot that goes with it, under its own name; null if there
    ///     is none to go
    /// @param word what must be durable before its files are touched
    private record Unnamed(LogSegment segment, @Nullable Path snapshot, long deleteAtMs, long word) {}

    /// @param snapshot under the name it has now
    private record Named(LogSegment segment, @Nullable Path snapshot, long deleteAtMs) {}

    private final LogStorage storage;
    private final Object disk = new Object();
    // Guarded by this.
    private final ArrayDeque<Unnamed> unnamed = new ArrayDeque<>();
    private final ArrayDeque<Named> named = new ArrayDeque<>();
    // Written under the lock.
    private volatile long nextMs = Long.MAX_VALUE;
    private volatile long nextDeletionMs = Long.MAX_VALUE;
    private volatile long bytes;

    DoomedSegments(LogStorage storage) {
        this.storage = storage;
    }

    /// A segment whose files still have their names.
    synchronized void addUnnamed(LogSegment segment, @Nullable Path snapshot, long deleteAtMs, long word) {
        unnamed.add(new Unnamed(segment, snapshot, deleteAtMs, word));
        changedBy(segment.sizeInBytes());
    }

    /// A segment whose files have been renamed; its snapshot is, now.
    void add(LogSegment segment, @Nullable Path snapshot, long deleteAtMs) throws IOException {
        var named = new Named(segment, renamed(snapshot), deleteAtMs);
        synchronized (this) {
            this.named.add(named);
            changedBy(segment.sizeInBytes());
        }
    }

    private @Nullable Path renamed(@Nullable Path snapshot) throws IOException {
        if (snapshot == null || !storage.exists(snapshot)) {
            return null;
        }
        var to = snapshot.resolveSibling(snapshot.getFileName() + SegmentFiles.DELETED);
        storage.rename(snapshot, to);
        return to;
    }

    private void changedBy(long change) {
        bytes += change;
        var first = named.peekFirst();
        nextDeletionMs = first == null ? Long.MAX_VALUE : first.deleteAtMs();
        nextMs = unnamed.isEmpty() ? nextDeletionMs : Long.MIN_VALUE;
    }

    /// Whether something is to be renamed or deleted now.
    boolean hasWork(long nowMs) {
        return nextMs <= nowMs;
    }

    /// Whether something should have been deleted before that time.
    boolean isOverdue(long sinceMs) {
        return nextDeletionMs < sinceMs;
    }

    /// How many bytes are still there.
    long bytes() {
        return bytes;
    }

    /// Renames what has to be, then deletes what is due.
    ///
    /// @param mayGoOn asked before each segment
    void work(long nowMs, BooleanSupplier mayGoOn, Settling settling) throws IOException {
        boolean more = hasWork(nowMs);
        while (more && mayGoOn.getAsBoolean()) {
            synchronized (disk) {
                more = renameNext(settling) || deleteNext(nowMs);
            }
        }
    }

    /// Renames all that have their names still.
    void renameAll(Settling settling) throws IOException {
        synchronized (disk) {
            boolean more = true;
            while (more) {
                more = renameNext(settling);
            }
        }
    }

    private boolean renameNext(Settling settling) throws IOException {
        Unnamed next;
        synchronized (this) {
            next = unnamed.peekFirst();
        }
        if (next == null) {
            return false;
        }
        settling.settle(next.word());
        next.segment().markDeleted();
        var snapshot = renamed(next.snapshot());
        synchronized (this) {
            unnamed.removeFirst();
            named.add(new Named(next.segment(), snapshot, next.deleteAtMs()));
            changedBy(0);
        }
        return true;
    }

    private boolean deleteNext(long nowMs) throws IOException {
        Named next;
        synchronized (this) {
            next = named.peekFirst();
            if (next == null || next.deleteAtMs() > nowMs) {
                return false;
            }
            named.removeFirst();
            changedBy(-next.segment().sizeInBytes());
        }
        next.segment().deleteFiles();
        if (next.snapshot() != null) {
            storage.delete(next.snapshot());
        }
        return true;
    }

    /// Leaves all files as they are and lets go of them. Waits for whoever is at the disk.
    void close() {
        synchronized (disk) {
            synchronized (this) {
                unnamed.forEach(it -> it.segment().release());
                unnamed.clear();
                named.forEach(it -> it.segment().release());
                named.clear();
                bytes = 0;
                changedBy(0);
            }
        }
    }
}
