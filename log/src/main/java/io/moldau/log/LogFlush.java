package io.moldau.log;

import io.moldau.log.segment.LogSegment;
import io.moldau.log.storage.LogStorage;
import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// What of one log is durable, and how it becomes so.
///
/// There are two marks. Below the recovery point, which [LogView] tells, everything is forced, also
/// indexes and what goes with them, so that a start reads nothing of it. Below [#flushedUpTo] the
/// records are, and the names of their files: a start after a power cut finds them by reading, and
/// builds the rest again. The second is never the smaller, and cheap to move: one file is forced,
/// as a rule.
///
/// A flush is planned under the log's lock, carried out without it, so that appends go on, and
/// noted under it again. Several may be under way at a time; each does what was not done when it
/// was planned.
final class LogFlush {

    private static final Logger LOG = LoggerFactory.getLogger(LogFlush.class);

    /// How much of what belongs to the records is forced with them.
    enum Extent {
        RECORDS,
        ALL
    }

    /// One flush. Holds its segments open until [#release].
    ///
    /// @param files whose content is to be forced, and which of their versions
    /// @param names up to which change of names the directories are synced, -1 if they need not be
    record Plan(
            Extent extent,
            List<LogSegment> segments,
            Map<Path, Integer> files,
            int names,
            long endOffset,
            int cuts,
            Forces forces) {
        void release() {
            segments.forEach(LogSegment::release);
        }
    }

    private final LogEnvironment environment;

    /// The forces of a log in one directory: one after the other, and none after one that failed. For
    /// the system tells of a failed write-back once, and whoever forced the same file next would
    /// believe that all is well.
    static final class Forces {

        private interface Force {
            void run() throws IOException;
        }

        private @Nullable IOException failure;

        private synchronized void run(Force force) throws IOException {
            if (failure != null) {
                throw new IOException("An earlier force failed: " + failure.getMessage(), failure);
            }
            try {
                force.run();
            } catch (IOException e) {
                failure = e;
                throw e;
            }
        }
    }

    // Read without the lock, written under it; so is what follows.
    private volatile long flushedUpTo;
    private volatile long forcedUpToMs;
    private Forces forces = new Forces();
    private int cuts;
    private int namesChanged;
    private int namesSynced;
    private final Map<Path, Integer> unsyncedFiles = new LinkedHashMap<>();
    private int versions;

    /// @param flushedUpTo what the process before this one is known to have forced
    LogFlush(LogEnvironment environment, long flushedUpTo) {
        this.environment = environment;
        this.flushedUpTo = flushedUpTo;
        this.forcedUpToMs = environment.time().milliseconds();
    }

    /// Records below this offset survive a power cut. Any thread.
    long flushedUpTo() {
        return flushedUpTo;
    }

    /// When a flush ended last. Any thread.
    long forcedUpToMs() {
        return forcedUpToMs;
    }

    // ---- what the log does

    /// The log was opened: nothing above the recovery point is known to be durable.
    void recoveredUpTo(long recoveryPoint) {
        flushedUpTo = recoveryPoint;
    }

    /// A file got or lost a name.
    void namesChanged() {
        namesChanged++;
    }

    /// A file was written that must be durable before its name is.
    void written(Path path) {
        unsyncedFiles.put(path, ++versions);
        namesChanged++;
    }

    void gone(Path path) {
        unsyncedFiles.remove(path);
    }

    /// The log ends at `end` now: what is written behind that next was not forced.
    void cut(long end) {
        cuts++;
        flushedUpTo = Math.min(flushedUpTo, end);
    }

    /// The log is in another directory now, where as much is durable. What is under way forces
    /// files it has no more, and says nothing of the new ones if that fails.
    void moved() {
        forces = new Forces();
        cuts++;
        namesChanged++;
        unsyncedFiles.clear();
    }

    /// The log is empty and begins there, or nothing below it counts any more.
    void beginAt(long offset) {
        flushedUpTo = Math.max(flushedUpTo, offset);
    }

    // ---- flushing

    /// Null if there is nothing to do. The indexes of what is forced with [Extent#ALL] have been
    /// written by then.
    ///
    /// @param upTo at most
    @Nullable
    Plan plan(Extent extent, LogView view, LogSegment[] segments, long upTo) throws IOException {
        long end = Math.min(upTo, view.logEndOffset());
        boolean names = namesChanged != namesSynced;
        boolean all = extent == Extent.ALL;
        long done = all ? view.recoveryPoint() : flushedUpTo;
        if (end <= done && !names && unsyncedFiles.isEmpty()) {
            return null;
        }
        // With the segment that ends at the recovery point: its indexes were completed when it was rolled.
        long from = all ? view.recoveryPoint() - 1 : flushedUpTo;
        var toForce = new ArrayList<LogSegment>(1);
        for (int i = segments.length - 1; i >= 0; i--) {
            var segment = segments[i];
            if (segment.baseOffset() < end || segment.sizeInBytes() == 0) {
                if (all) {
                    segment.writeIndexes();
                }
                segment.retain();
                toForce.addFirst(segment);
            }
            if (segment.baseOffset() <= from) {
                break;
            }
        }
        // Without new names nothing can refer to the files yet.
        var files = names || all ? Map.copyOf(unsyncedFiles) : Map.<Path, Integer>of();
        return new Plan(extent, toForce, files, names ? namesChanged : -1, end, cuts, forces);
    }

    /// Forces what is left beside the segments, for a log that is closed. Waits for the disk.
    void forceRest(Path directory) throws IOException {
        forces.run(() -> {
            forceFiles(unsyncedFiles.keySet());
            if (namesChanged != namesSynced) {
                environment.storage().syncDirectory(directory);
            }
        });
        unsyncedFiles.clear();
        namesSynced = namesChanged;
    }

    private void forceFiles(Set<Path> paths) throws IOException {
        for (var path : paths) {
            try (var file = environment.storage().open(path, LogStorage.Access.READ_WRITE)) {
                file.force();
            } catch (NoSuchFileException e) {
                // Let go of since the plan was made, by retention or for a newer one: nothing refers to it any more.
                LOG.trace("Not forced, for it is gone file={}", path);
            }
        }
    }

    /// Waits for the disk, without the log's lock or with it.
    ///
    /// @param directory the partition's
    /// @param logDir where that has its name
    void force(Plan plan, Path directory, Path logDir) throws IOException {
        long began = environment.time().nanoseconds();
        plan.forces().run(() -> {
            for (var segment : plan.segments()) {
                if (plan.extent() == Extent.ALL) {
                    segment.force();
                } else {
                    segment.file().force();
                }
            }
            forceFiles(plan.files().keySet());
            if (plan.names() >= 0) {
                environment.storage().syncDirectory(directory);
                environment.storage().syncDirectory(logDir);
            }
        });
        environment.metrics().flushed(environment.time().nanoseconds() - began);
    }

    /// The plan was carried out.
    ///
    /// @return whether everything below its end is durable; not if the log was cut meanwhile, and
    ///     other bytes may stand there than the ones that were forced
    boolean done(Plan plan) {
        forcedUpToMs = environment.time().milliseconds();
        plan.files().forEach(unsyncedFiles::remove);
        namesSynced = Math.max(namesSynced, plan.names());
        if (plan.cuts() != cuts) {
            return false;
        }
        flushedUpTo = Math.max(flushedUpTo, plan.endOffset());
        return true;
    }
}
