package io.moldau.log.dir;

import io.moldau.common.ApiException;
import io.moldau.common.TopicIdPartition;
import io.moldau.common.TopicPartition;
import io.moldau.common.Uuid;
import io.moldau.log.LogJournal;
import io.moldau.log.LogSummary;
import io.moldau.log.PartitionLog;
import io.moldau.log.recovery.CleanShutdownMarker;
import io.moldau.log.recovery.OpeningState;
import io.moldau.log.recovery.PartitionMetadataFile;
import io.moldau.log.space.DirectorySpace;
import io.moldau.log.space.SpaceLevel;
import io.moldau.log.storage.DiskException;
import io.moldau.log.storage.LogStorage;
import io.moldau.log.storage.StorageException;
import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// One log directory: its lock, its journal, its checkpoint files, and whether it works. Thread-safe.
final class LogDirectory implements LogJournal {

    private static final Logger LOG = LoggerFactory.getLogger(LogDirectory.class);
    private static final Pattern PARTITION = Pattern.compile("(.+)-(\\d{1,9})");
    private static final String DELETE_SUFFIX = "-delete";
    private static final String STRAY_SUFFIX = "-stray";
    private static final String FUTURE_SUFFIX = "-future";
    private static final Pattern FUTURE = Pattern.compile("(.+)-(\\d{1,9})\\.[0-9a-f]{32}" + FUTURE_SUFFIX);

    /// Told once when the directory fails.
    interface FailureListener {
        void failed(LogDirState.Offline state);
    }

    private final LogStorage storage;
    private final Path path;
    private final FailureListener listener;
    private volatile LogDirState state;
    private final ConcurrentLinkedQueue<PartitionLog> rolled = new ConcurrentLinkedQueue<>();
    private final List<Path> leftToDelete = new ArrayList<>();
    private final long previousBrokerEpoch;
    private final @Nullable Closeable lock;
    private final @Nullable LogDirJournal journal;
    private final Map<TopicPartition, LogSummary> found;
    private final CleanerCheckpoint cleaned;
    private final DirectorySpace space;

    private LogDirectory(
            LogStorage storage,
            Path path,
            FailureListener listener,
            LogDirState state,
            long previousBrokerEpoch,
            @Nullable Closeable lock,
            @Nullable LogDirJournal journal,
            Map<TopicPartition, LogSummary> found,
            List<Path> leftToDelete,
            CleanerCheckpoint cleaned,
            DirectorySpace space) {
        this.cleaned = cleaned;
        this.space = space;
        this.storage = storage;
        this.path = path;
        this.listener = listener;
        this.state = state;
        this.previousBrokerEpoch = previousBrokerEpoch;
        this.lock = lock;
        this.journal = journal;
        this.found = found;
        this.leftToDelete.addAll(leftToDelete);
    }

    /// Opens the directory; one that cannot be opened is offline from the beginning.
    static LogDirectory open(LogStorage storage, Path path, FailureListener listener) {
        Closeable lock = null;
        var space = new DirectorySpace(storage, path);
        try {
            if (!storage.isDirectory(path)) {
                storage.createDirectories(path);
                storage.syncDirectory(LogStorage.parent(path));
            }
            lock = storage.lock(path.resolve(".lock"));
            var marker = CleanShutdownMarker.read(storage, path);
            var markerFile = path.resolve(CleanShutdownMarker.FILE_NAME);
            long markerMs = marker.isPresent() ? storage.lastModifiedMs(markerFile) : -1;
            var remembered = LogDirJournal.read(storage, path, markerMs);
            var journal = remembered != null ? remembered : LogDirJournal.empty(storage, path);
            var summaries = new LinkedHashMap<>(journal.summaries());
            var leftovers = adoptDirectories(storage, path, journal, summaries, marker.isPresent());
            space.withRoom(() -> {
                journal.start();
                return journal;
            });
            if (marker.isPresent()) {
                storage.delete(markerFile);
                storage.syncDirectory(path);
            }
            return new LogDirectory(
                    storage,
                    path,
                    listener,
                    new LogDirState.Online(path),
                    marker.orElse(-1L),
                    lock,
                    journal,
                    summaries,
                    leftovers,
                    CleanerCheckpoint.read(storage, path, summaries.keySet(), journal::cleanedUpTo),
                    space);
        } catch (IOException e) {
            LOG.error("Log directory cannot be used path={}", path, e);
            if (lock != null) {
                closeQuietly(lock, path);
            }
            return new LogDirectory(
                    storage,
                    path,
                    listener,
                    new LogDirState.Offline(path, e),
                    -1,
                    null,
                    null,
                    Map.of(),
                    List.of(),
                    CleanerCheckpoint.empty(storage, path),
                    space);
        }
    }

    /// Adds the partitions on disk that the journal knows nothing of: those that Kafka wrote, or that somebody
    /// put there.
    ///
    /// @return directories whose deletion was not finished
    private static List<Path> adoptDirectories(
            LogStorage storage,
            Path path,
            LogDirJournal journal,
            Map<TopicPartition, LogSummary> summaries,
            boolean clean)
            throws IOException {
        var leftovers = new ArrayList<Path>();
        Map<TopicPartition, Long> recoveryPoints = null;
        Map<TopicPartition, Long> logStarts = Map.of();
        Map<TopicPartition, Long> highWatermarks = Map.of();
        for (var name : storage.list(path)) {
            if (name.endsWith(DELETE_SUFFIX)) {
                leftovers.add(path.resolve(name));
                continue;
            }
            var matcher = PARTITION.matcher(name);
            if (!matcher.matches() || name.startsWith(LogDirJournal.JOURNAL)) {
                continue;
            }
            var partition = new TopicPartition(matcher.group(1), Integer.parseInt(matcher.group(2)));
            if (summaries.containsKey(partition) || !storage.isDirectory(path.resolve(name))) {
                continue;
            }
            if (recoveryPoints == null) {
                recoveryPoints = OffsetCheckpoint.read(storage, path.resolve(OffsetCheckpoint.RECOVERY_POINT));
                logStarts = OffsetCheckpoint.read(storage, path.resolve(OffsetCheckpoint.LOG_START));
                highWatermarks = OffsetCheckpoint.read(storage, path.resolve(OffsetCheckpoint.HIGH_WATERMARK));
            }
            long recoveryPoint = recoveryPoints.getOrDefault(partition, 0L);
            var opening = new OpeningState(
                    clean,
                    recoveryPoint,
                    0,
                    Math.max(logStarts.getOrDefault(partition, 0L), journal.notedLogStart(partition)),
                    journal.notesMayBeMissing(),
                    false,
                    true,
                    -1,
                    null);
            var summary = new LogSummary(
                    PartitionMetadataFile.read(storage, path.resolve(name)),
                    null,
                    recoveryPoint,
                    highWatermarks.getOrDefault(partition, 0L),
                    0,
                    opening);
            journal.adopt(partition, summary);
            summaries.put(partition, summary);
        }
        return leftovers;
    }

    private static void closeQuietly(Closeable closeable, Path path) {
        try {
            closeable.close();
        } catch (IOException e) {
            LOG.warn("Closing the lock failed path={}", path, e);
        }
    }

    Path path() {
        return path;
    }

    LogDirState state() {
        return state;
    }

    boolean isOnline() {
        return state instanceof LogDirState.Online;
    }

    long previousBrokerEpoch() {
        return previousBrokerEpoch;
    }

    /// The partitions that were in the directory when it was opened.
    Map<TopicPartition, LogSummary> found() {
        return found;
    }

    // ---- what logs report

    @Override
    public void beforeFirstChange(PartitionLog log) throws IOException {
        space.withRoom(() -> {
            openJournal().dirty(log.topicPartition(), log.topicId());
            return log;
        });
    }

    @Override
    public void beforeTruncation(PartitionLog log, long offset) throws IOException {
        // Else a start after a crash would take records for compacted that came after the cut.
        space.withRoom(() -> {
            cleaned.limit(log.topicPartition(), offset);
            openJournal().truncated(log.topicPartition(), offset);
            return log;
        });
    }

    @Override
    public void logStartAdvanced(PartitionLog log, long offset) throws IOException {
        space.withRoom(() -> {
            openJournal().logStartAdvanced(log.topicPartition(), offset);
            return log;
        });
    }

    @Override
    public long logStartMoved(PartitionLog log, long offset) throws IOException {
        return space.withRoom(() -> openJournal().segmentsGo(log.topicPartition(), offset));
    }

    @Override
    public void settle(long word) throws IOException {
        openJournal().settle(word);
    }

    @Override
    public void gapsMayCome(PartitionLog log) throws IOException {
        space.withRoom(() -> {
            openJournal().gapsMayCome(log.topicPartition());
            return log;
        });
    }

    @Override
    public void beforeDeletion(PartitionLog log) throws IOException {
        cleaned.remove(log.topicPartition());
        space.withRoom(() -> {
            openJournal().removed(log.topicPartition());
            return log;
        });
    }

    @Override
    public void arriving(PartitionLog log, LogSummary summary) throws IOException {
        openJournal().saved(log.topicPartition(), summary);
        openJournal().dirty(log.topicPartition(), log.topicId());
        openJournal().settle();
    }

    private LogDirJournal openJournal() throws IOException {
        var open = journal;
        if (open == null) {
            throw new IOException("Log directory '" + path + "' was never opened");
        }
        return open;
    }

    @Override
    public long cleanedUpTo(PartitionLog log) {
        return cleaned.get(log.topicPartition());
    }

    @Override
    public void cleaned(PartitionLog log, long offset) {
        cleaned.put(log.topicPartition(), offset);
    }

    @Override
    public void saveCleanedUpTo() throws IOException {
        // Before the file: what it says beyond that is not believed.
        openJournal().cleaned(cleaned.all());
        cleaned.write();
    }

    @Override
    public void rolled(PartitionLog log) {
        rolled.add(log);
    }

    /// The next log that was rolled and not yet flushed.
    @Nullable
    PartitionLog pollRolled() {
        return rolled.poll();
    }

    @Override
    public StorageException failed(PartitionLog log, IOException cause) {
        return fail("The disk failed partition " + log.topicPartition(), cause);
    }

    StorageException fail(String what, IOException cause) {
        var offline = new LogDirState.Offline(path, cause);
        if (goOffline(offline)) {
            LOG.error("Log directory is offline until the next start path={}", path, cause);
            listener.failed(offline);
        }
        return new StorageException(what + ": log directory '" + path + "' is offline, " + cause, path, cause);
    }

    private synchronized boolean goOffline(LogDirState.Offline offline) {
        if (!isOnline()) {
            return false;
        }
        state = offline;
        return true;
    }

    private RuntimeException unlessFull(String what, IOException cause) {
        return DiskException.isFull(cause) ? space.ranOut(cause) : fail(what, cause);
    }

    @Override
    public DirectorySpace space() {
        return space;
    }

    @Override
    public void checkOnline() {
        if (state instanceof LogDirState.Offline(Path ignored, IOException cause)) {
            throw new StorageException("Log directory '" + path + "' is offline since " + cause, path, cause);
        }
    }

    // ---- upkeep

    /// Writes down the state of every log that has changed.
    void save(Iterable<PartitionLog> logs) {
        if (!isOnline()) {
            return;
        }
        var changed = new boolean[1];
        for (var log : logs) {
            log.save(this, summary -> {
                openJournal().saved(log.topicPartition(), summary);
                changed[0] = true;
            });
        }
        try {
            if (changed[0]) {
                openJournal().settle();
            }
        } catch (IOException e) {
            throw unlessFull("Writing the checkpoint failed", e);
        }
    }

    /// Writes the files that Kafka would look at.
    void writeOffsetCheckpoints(Iterable<PartitionLog> logs) {
        if (!isOnline()) {
            return;
        }
        var recoveryPoints = new HashMap<TopicPartition, Long>();
        var logStarts = new HashMap<TopicPartition, Long>();
        var highWatermarks = new HashMap<TopicPartition, Long>();
        for (var log : logs) {
            if (log.isInDoubt() || !log.hasFiles()) {
                continue;
            }
            var view = log.view();
            recoveryPoints.put(log.topicPartition(), view.recoveryPoint());
            highWatermarks.put(log.topicPartition(), log.highWatermark());
            if (view.logStartOffset() > 0) {
                logStarts.put(log.topicPartition(), view.logStartOffset());
            }
        }
        try {
            OffsetCheckpoint.write(storage, path.resolve(OffsetCheckpoint.RECOVERY_POINT), recoveryPoints);
            OffsetCheckpoint.write(storage, path.resolve(OffsetCheckpoint.LOG_START), logStarts);
            OffsetCheckpoint.write(storage, path.resolve(OffsetCheckpoint.HIGH_WATERMARK), highWatermarks);
        } catch (IOException e) {
            throw unlessFull("Writing the offset checkpoints failed", e);
        }
    }

    /// Directories whose deletion an earlier run did not finish; each only once.
    synchronized List<Path> takeLeftToDelete() {
        var taken = List.copyOf(leftToDelete);
        leftToDelete.clear();
        return taken;
    }

    // ---- the end

    /// Closes all logs and leaves the marker that says so; not if a log is in doubt still.
    ///
    /// @param inDoubt of which partitions the logs are left as they are
    void close(List<PartitionLog> logs, long brokerEpoch, Predicate<TopicPartition> inDoubt) {
        if (isOnline()) {
            if (space.level() == SpaceLevel.FULL) {
                space.giveUpReserve();
            }
            try {
                closeCleanly(logs, brokerEpoch, inDoubt);
            } catch (IOException e) {
                fail("Stopping cleanly failed", e);
            } catch (StorageException e) {
                LOG.error("Log directory could not be closed cleanly path={}", path, e);
            }
        }
        abandon(isOnline() ? List.of() : logs);
    }

    /// Lets go of everything without writing a byte.
    void abandon(List<PartitionLog> logs) {
        logs.forEach(PartitionLog::abandon);
        try {
            if (journal != null) {
                journal.abandon();
            }
        } catch (IOException e) {
            LOG.warn("Closing the journal failed path={}", path, e);
        }
        if (lock != null) {
            closeQuietly(lock, path);
        }
    }

    private void closeCleanly(List<PartitionLog> logs, long brokerEpoch, Predicate<TopicPartition> inDoubt)
            throws IOException {
        var open = openJournal();
        boolean allSound = true;
        var remembered = new LinkedHashMap<TopicPartition, LogSummary>();
        for (var log : logs) {
            if (inDoubt.test(log.topicPartition())) {
                LOG.warn("Stopping before a log could be checked partition={}", log.topicPartition());
                allSound = false;
                log.abandon();
                continue;
            }
            try {
                if (log.isInDoubt()) {
                    // The marker speaks for every log, so none may be left unchecked.
                    log.open();
                }
                var summary = log.close();
                if (summary != null) {
                    open.saved(log.topicPartition(), summary);
                    remembered.put(log.topicPartition(), summary);
                }
            } catch (ApiException e) {
                LOG.error("A log is damaged, so the stop is not a clean one partition={}", log.topicPartition(), e);
                allSound = false;
            }
        }
        writeOffsetCheckpointsOf(remembered);
        if (allSound) {
            CleanShutdownMarker.write(storage, path, brokerEpoch);
            open.close(storage.lastModifiedMs(path.resolve(CleanShutdownMarker.FILE_NAME)));
        } else {
            open.settle();
        }
    }

    private void writeOffsetCheckpointsOf(Map<TopicPartition, LogSummary> summaries) throws IOException {
        var recoveryPoints = new HashMap<TopicPartition, Long>();
        var logStarts = new HashMap<TopicPartition, Long>();
        var highWatermarks = new HashMap<TopicPartition, Long>();
        summaries.forEach((partition, summary) -> {
            recoveryPoints.put(partition, summary.recoveryPoint());
            highWatermarks.put(partition, summary.highWatermark());
            if (summary.opening().logStartOffset() > 0) {
                logStarts.put(partition, summary.opening().logStartOffset());
            }
        });
        OffsetCheckpoint.write(storage, path.resolve(OffsetCheckpoint.RECOVERY_POINT), recoveryPoints);
        OffsetCheckpoint.write(storage, path.resolve(OffsetCheckpoint.LOG_START), logStarts);
        OffsetCheckpoint.write(storage, path.resolve(OffsetCheckpoint.HIGH_WATERMARK), highWatermarks);
    }

    /// The name a partition's directory gets before it is deleted; never longer than a file name may be.
    static String deletionName(TopicPartition partition, Uuid unique) {
        return uniqueName(partition, unique, DELETE_SUFFIX);
    }

    /// The name of the directory that a partition is copied to which moves here, as Kafka's.
    static String futureName(TopicPartition partition, Uuid unique) {
        var hex = HexFormat.of();
        return partition + "." + hex.toHexDigits(unique.mostSignificantBits())
                + hex.toHexDigits(unique.leastSignificantBits()) + FUTURE_SUFFIX;
    }

    /// The unfinished copies in the directory, in the order of their names, and the partitions
    /// they are of.
    Map<Path, TopicPartition> futures() throws IOException {
        var found = new LinkedHashMap<Path, TopicPartition>();
        for (var name : storage.list(path)) {
            var matcher = FUTURE.matcher(name);
            if (matcher.matches()) {
                found.put(path.resolve(name), new TopicPartition(matcher.group(1), Integer.parseInt(matcher.group(2))));
            }
        }
        return found;
    }

    /// The name of a directory that is kept though no partition has it any more. Nothing reads it.
    static String strayName(TopicPartition partition, Uuid unique) {
        return uniqueName(partition, unique, STRAY_SUFFIX);
    }

    private static String uniqueName(TopicPartition partition, Uuid unique, String ending) {
        var id = Long.toHexString(unique.mostSignificantBits()) + Long.toHexString(unique.leastSignificantBits());
        var suffix = "-" + partition.partition() + "." + id + ending;
        var topic = partition.topic();
        return topic.substring(0, Math.min(topic.length(), 255 - suffix.length())) + suffix;
    }

    /// A partition that has no files yet.
    static TopicIdPartition identity(TopicPartition partition, LogSummary summary) {
        return new TopicIdPartition(summary.topicId(), partition);
    }
}
