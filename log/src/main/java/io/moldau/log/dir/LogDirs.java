package io.moldau.log.dir;

import io.moldau.common.ApiException;
import io.moldau.common.Errors;
import io.moldau.common.TopicIdPartition;
import io.moldau.common.TopicPartition;
import io.moldau.common.Uuid;
import io.moldau.common.time.Time;
import io.moldau.log.LogConfig;
import io.moldau.log.LogEnvironment;
import io.moldau.log.LogMetrics;
import io.moldau.log.PartitionLog;
import io.moldau.log.space.DirectorySpace;
import io.moldau.log.space.SpaceLevel;
import io.moldau.log.storage.LogStorage;
import io.moldau.log.storage.ScratchBuffers;
import io.moldau.log.storage.StorageException;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// All partitions' logs of a node, in one or several log directories.
///
/// Opening reads one checkpoint for each directory and no partition's files; those are opened on first use, and
/// only logs that a crash left in doubt are looked at right away. A directory that fails goes offline alone.
/// Thread-safe.
public final class LogDirs implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(LogDirs.class);

    // Of buffers that each reading thread has.
    private static final int HEADER_BYTES = 4 << 10;
    private static final int CHECK_BYTES = 64 << 10;
    private static final int MOST_PREFERRED = 100_000;

    private record DoomedDirectory(Path path, LogDirectory owner, long deleteAtMs) {}

    private final LogEnvironment environment;
    private final LogDirsConfig config;
    private final LogStorage storage;
    private final ConcurrentHashMap<TopicPartition, PartitionLog> logs = new ConcurrentHashMap<>();
    private final List<LogDirectory> directories = new ArrayList<>();
    private final List<Consumer<LogDirState.Offline>> listeners = new CopyOnWriteArrayList<>();
    private final Queue<DoomedDirectory> doomed = new ConcurrentLinkedQueue<>();
    private final LogMaintenance maintenance;
    private final LogCleaner cleaner;
    private LogRecovery recovery;
    private final LogDirMoves moves;
    /// Where partitions are to be that are not here yet (KIP-113).
    private final Map<TopicPartition, Path> preferred;

    private volatile Set<Path> cordoned = Set.of();

    private LogDirs(LogEnvironment environment, LogDirsConfig config) {
        this.environment = environment;
        this.config = config;
        this.storage = environment.storage();
        this.maintenance = new LogMaintenance(this, config, environment.time());
        this.cleaner = new LogCleaner(this, environment.time(), environment.metrics());
        this.recovery = new LogRecovery(Map.of(), 1, environment.time(), environment.metrics());
        this.moves = new LogDirMoves(new Directories(), environment);
        this.preferred = Collections.synchronizedMap(new LinkedHashMap<>() {
            @Override
            protected boolean removeEldestEntry(Map.Entry<TopicPartition, Path> eldest) {
                return size() > MOST_PREFERRED;
            }
        });
    }

    private final class Directories implements LogDirMoves.Directories {
        @Override
        public LogDirectory at(Path path) {
            return directoryAt(path);
        }

        @Override
        public void doom(Path path, LogDirectory owner, long delayMs) {
            doomed.add(new DoomedDirectory(path, owner, environment.time().milliseconds() + delayMs));
        }
    }

    /// [#openAtOnce], and waits until the logs are sound that a crash left in doubt.
    public static LogDirs open(
            List<Path> directories, LogStorage storage, Time time, LogDirsConfig config, LogMetrics metrics)
            throws IOException {
        var dirs = openAtOnce(directories, storage, time, config, metrics);
        dirs.recovery().await();
        return dirs;
    }

    /// Opens the directories; those that do not exist are made. Takes a time that does not depend
    /// on how many clean partitions there are, beyond reading their names. Logs that a crash left
    /// in doubt are made sound meanwhile: [#recovery] knows which.
    ///
    /// @throws IOException if not one of the directories can be used
    public static LogDirs openAtOnce(
            List<Path> directories, LogStorage storage, Time time, LogDirsConfig config, LogMetrics metrics)
            throws IOException {
        var environment = new LogEnvironment(
                storage,
                time,
                metrics,
                config.random(),
                new ScratchBuffers(HEADER_BYTES),
                new ScratchBuffers(CHECK_BYTES),
                TimeUnit.MILLISECONDS.toNanos(config.readCheckIntervalMs()),
                config.producerIdExpirationMs());
        var dirs = new LogDirs(environment, config);
        IOException failure = null;
        for (var path : directories) {
            var directory = LogDirectory.open(storage, path.toAbsolutePath().normalize(), dirs::onFailure);
            dirs.directories.add(directory);
            if (directory.state() instanceof LogDirState.Offline(Path ignored, IOException cause)) {
                failure = cause;
                metrics.directoryOffline(directory.path());
                continue;
            }
            dirs.adopt(directory);
        }
        if (dirs.directories.stream().noneMatch(LogDirectory::isOnline)) {
            throw new IOException("No log directory can be used: " + directories, failure);
        }
        dirs.resumeMoves();
        dirs.recovery = dirs.beginRecovery();
        return dirs;
    }

    private void resumeMoves() {
        boolean allOnline = directories.stream().allMatch(LogDirectory::isOnline);
        for (var directory : directories) {
            if (directory.isOnline()) {
                try {
                    moves.resume(directory, logs::get, allOnline);
                } catch (IOException e) {
                    directory.fail("Looking at unfinished moves failed", e);
                }
            }
        }
    }

    private void adopt(LogDirectory directory) {
        long nowMs = environment.time().milliseconds();
        directory.found().forEach((partition, summary) -> {
            var log = new PartitionLog(
                    LogDirectory.identity(partition, summary),
                    directory.path(),
                    LogConfig.DEFAULTS,
                    environment,
                    directory,
                    summary);
            var other = logs.putIfAbsent(partition, log);
            if (other != null && !keepsLater(other, log)) {
                LOG.error(
                        "A partition is in two log directories, using the first partition={} first={} second={}",
                        partition,
                        other.logDir(),
                        directory.path());
            }
        });
        for (var path : directory.takeLeftToDelete()) {
            doomed.add(new DoomedDirectory(path, directory, nowMs));
        }
    }

    /// Of a partition that has moved between the two, what it left behind goes.
    private boolean keepsLater(PartitionLog other, PartitionLog log) {
        try {
            var later = moves.later(other, log);
            if (later == null) {
                return false;
            }
            var earlier = later == log ? other : log;
            LOG.info(
                    "A partition has moved partition={} from={} to={}",
                    log.topicPartition(),
                    earlier.logDir(),
                    later.logDir());
            logs.put(log.topicPartition(), later);
            deleteFiles(earlier, 0);
            return true;
        } catch (IOException e) {
            LOG.error("Which of two directories has a partition is not known partition={}", log.topicPartition(), e);
            return false;
        }
    }

    private LogRecovery beginRecovery() {
        var inDoubt = new LinkedHashMap<LogDirectory, List<PartitionLog>>();
        for (var directory : directories) {
            inDoubt.put(
                    directory,
                    logsIn(directory).stream().filter(PartitionLog::isInDoubt).toList());
        }
        var begun = new LogRecovery(inDoubt, config.recoveryThreads(), environment.time(), environment.metrics());
        begun.start();
        return begun;
    }

    /// Which logs are still being made sound after a crash.
    public LogRecovery recovery() {
        return recovery;
    }

    private void onFailure(LogDirState.Offline state) {
        environment.metrics().directoryOffline(state.path());
        listeners.forEach(listener -> listener.accept(state));
    }

    /// The broker epoch in the clean-shutdown markers, -1 after a crash or if they differ (KIP-966).
    public long previousBrokerEpoch() {
        long epoch = -1;
        for (var directory : directories) {
            long found = directory.previousBrokerEpoch();
            if (found < 0 || (epoch >= 0 && found != epoch)) {
                return -1;
            }
            epoch = found;
        }
        return epoch;
    }

    /// Called once for each directory that fails from now on, on the thread that saw it.
    public void onOffline(Consumer<LogDirState.Offline> listener) {
        listeners.add(listener);
    }

    /// The partition's log; a new one gets no files before its first append. If there is one of another topic
    /// with the same name, which was deleted while this node was down, it goes.
    ///
    /// @throws StorageException if the directory it is in, or every directory, is offline
    public PartitionLog getOrCreate(TopicIdPartition partition, LogConfig logConfig) {
        var existing = logs.get(partition.topicPartition());
        if (existing != null) {
            if (existing.topicId().equals(partition.topicId())
                    || existing.topicId().equals(Uuid.ZERO)
                    || partition.topicId().equals(Uuid.ZERO)) {
                existing.checkOnline();
                existing.updateConfig(logConfig);
                return existing;
            }
            LOG.warn(
                    "Deleting the log of an earlier topic partition={} earlier={} now={}",
                    partition.topicPartition(),
                    existing.topicId(),
                    partition.topicId());
            delete(partition.topicPartition());
        }
        return logs.computeIfAbsent(partition.topicPartition(), key -> create(partition, logConfig));
    }

    private PartitionLog create(TopicIdPartition partition, LogConfig logConfig) {
        var chosen = directoryFor(partition.topicPartition());
        return new PartitionLog(partition, chosen.path(), logConfig, environment, chosen, null);
    }

    private LogDirectory directoryFor(TopicPartition partition) {
        var wanted = preferred.remove(partition);
        if (wanted != null && directoryAt(wanted).isOnline()) {
            return directoryAt(wanted);
        }
        var online = directories.stream().filter(LogDirectory::isOnline).toList();
        if (online.size() == 1) {
            return online.getFirst();
        }
        var candidates = new ArrayList<LogDirPlacement.Candidate>();
        for (var directory : online) {
            candidates.add(new LogDirPlacement.Candidate(
                    directory.path(),
                    replicasIn(directory.path()),
                    config.byFreeBytes() ? usable(directory) : 0,
                    cordoned.contains(directory.path())));
        }
        return LogDirPlacement.choose(candidates, config.byFreeBytes())
                .map(this::directoryAt)
                .orElseGet(() -> {
                    var first = directories.getFirst();
                    first.checkOnline();
                    throw new ApiException(Errors.KAFKA_STORAGE_ERROR, "No log directory is online");
                });
    }

    private long replicasIn(Path directory) {
        return logs.values().stream()
                        .filter(log -> log.logDir().equals(directory))
                        .count()
                + moves.all().stream()
                        .filter(copy -> copy.logDir().equals(directory))
                        .count();
    }

    private long usable(LogDirectory directory) {
        try {
            return storage.usableBytes(directory.path());
        } catch (IOException e) {
            LOG.warn("Free bytes of the volume unknown directory={}", directory.path(), e);
            return 0;
        }
    }

    /// The partition, which has no log yet, is to get one in this directory, as long as the node
    /// runs.
    ///
    /// @throws ApiException `LOG_DIR_NOT_FOUND` if the node has no such directory
    public void prefer(TopicPartition partition, Path directory) {
        directoryAt(directory);
        if (!logs.containsKey(partition)) {
            preferred.put(partition, directory);
        }
    }

    /// These directories get no new replicas from now on (KIP-1066).
    public void cordon(Set<Path> directories) {
        cordoned = Set.copyOf(directories);
    }

    public boolean isCordoned(Path directory) {
        return cordoned.contains(directory);
    }

    /// The partitions that move between directories.
    public LogDirMoves moves() {
        return moves;
    }

    public @Nullable PartitionLog get(TopicPartition partition) {
        return logs.get(partition);
    }

    /// Forgets a partition; its files go after `file.delete.delay.ms`.
    public void delete(TopicPartition partition) {
        var log = logs.remove(partition);
        if (log != null) {
            moves.cancel(partition);
            try {
                deleteFiles(log, log.config().fileDeleteDelayMs());
            } catch (ApiException e) {
                // Not even room for the note that it goes: it is still here, and goes when there is some.
                logs.putIfAbsent(partition, log);
                throw e;
            }
        }
    }

    private void deleteFiles(PartitionLog log, long delayMs) {
        var directory = directoryAt(log.logDir());
        if (!directory.isOnline()) {
            log.abandon();
            return;
        }
        var renamed =
                log.renameForDeletion(LogDirectory.deletionName(log.topicPartition(), Uuid.random(config.random())));
        if (renamed != null) {
            doomed.add(
                    new DoomedDirectory(renamed, directory, environment.time().milliseconds() + delayMs));
        }
    }

    /// Forgets a partition and keeps its files, under another name that ends in `-stray`.
    public void setAside(TopicPartition partition) {
        var log = logs.remove(partition);
        if (log == null) {
            return;
        }
        moves.cancel(partition);
        var directory = directoryAt(log.logDir());
        if (!directory.isOnline()) {
            log.abandon();
            return;
        }
        log.renameForDeletion(LogDirectory.strayName(partition, Uuid.random(config.random())));
    }

    private LogDirectory directoryAt(Path path) {
        for (var directory : directories) {
            if (directory.path().equals(path)) {
                return directory;
            }
        }
        throw LogDirMoves.notHere(path);
    }

    /// A live view.
    public Collection<PartitionLog> logs() {
        return Collections.unmodifiableCollection(logs.values());
    }

    public List<LogDirState> directories() {
        return directories.stream().map(LogDirectory::state).toList();
    }

    /// The size of the file system a directory is on.
    public long totalBytes(Path directory) throws IOException {
        return storage.totalBytes(directory);
    }

    /// What is free of it.
    public long usableBytes(Path directory) throws IOException {
        return storage.usableBytes(directory);
    }

    private List<PartitionLog> logsIn(LogDirectory directory) {
        return logs.values().stream()
                .filter(log -> log.logDir().equals(directory.path()))
                .toList();
    }

    // ---- upkeep

    /// The upkeep of these logs, for whoever runs it.
    public LogMaintenance maintenance() {
        return maintenance;
    }

    /// The compaction of these logs, for whoever runs it.
    public LogCleaner cleaner() {
        return cleaner;
    }

    /// One round of upkeep, as [LogMaintenance#runOnce].
    public void runMaintenance(long nowMs) {
        maintenance.runOnce(nowMs);
    }

    /// Makes everything durable.
    public void flushAll() {
        for (var log : logs.values()) {
            if (!recovery.isPending(log.topicPartition())) {
                log.flush();
            }
        }
    }

    /// Writes every checkpoint now.
    public void checkpoint() {
        saveChanged();
        writeOffsetCheckpoints();
    }

    /// Deletes segments that are too old, too many, or below the log start.
    public void runRetention(long nowMs) {
        int heldByFuture = 0;
        long doomedBytes = 0;
        for (var log : logs.values()) {
            try {
                log.deleteOldSegments(nowMs);
            } catch (ApiException e) {
                LOG.warn("Retention passes over a log partition={} reason={}", log.topicPartition(), e.getMessage());
            }
            heldByFuture += log.isRetentionHeldByFuture() ? 1 : 0;
            doomedBytes += log.doomedBytes();
        }
        environment.metrics().retentionLooked(heldByFuture, doomedBytes);
    }

    void flushRolled() {
        for (var directory : directories) {
            for (var log = directory.pollRolled(); log != null; log = directory.pollRolled()) {
                try {
                    log.flushInactive();
                } catch (ApiException e) {
                    // A full disk, which may have room for this the next time.
                    directory.rolled(log);
                    LOG.debug("Flushing has to wait partition={} reason={}", log.topicPartition(), e.getMessage());
                    break;
                }
            }
        }
    }

    void saveChanged() {
        eachUnlessFull(directory -> directory.save(logsIn(directory)));
    }

    void writeOffsetCheckpoints() {
        eachUnlessFull(directory -> directory.writeOffsetCheckpoints(logsIn(directory)));
    }

    private void eachUnlessFull(Consumer<LogDirectory> step) {
        for (var directory : directories) {
            try {
                step.accept(directory);
            } catch (ApiException e) {
                // A full disk: tried again the next time, and nothing of the others.
                LOG.debug("Upkeep has to wait path={} reason={}", directory.path(), e.getMessage());
            }
        }
    }

    /// How much room there is in each directory.
    public List<DirectorySpace> spaces() {
        return directories.stream().map(LogDirectory::space).toList();
    }

    boolean isShortOfSpace() {
        return directories.stream().anyMatch(directory -> directory.space().level() != SpaceLevel.AMPLE);
    }

    /// @param mayGoOn asked before each file, or segment of one
    void deleteDirectories(long nowMs, BooleanSupplier mayGoOn) {
        for (Iterator<DoomedDirectory> left = doomed.iterator(); left.hasNext() && mayGoOn.getAsBoolean(); ) {
            var next = left.next();
            if (next.deleteAtMs() > nowMs && next.owner().space().level() == SpaceLevel.AMPLE) {
                continue;
            }
            if (!next.owner().isOnline() || deleted(next, mayGoOn)) {
                left.remove();
            }
        }
    }

    /// @return whether all of it is gone
    private boolean deleted(DoomedDirectory doomed, BooleanSupplier mayGoOn) {
        try {
            for (var name : storage.list(doomed.path())) {
                if (!mayGoOn.getAsBoolean()) {
                    return false;
                }
                storage.deleteTree(doomed.path().resolve(name));
            }
            storage.deleteTree(doomed.path());
            return true;
        } catch (IOException e) {
            throw doomed.owner().fail("Deleting '" + doomed.path() + "' failed", e);
        }
    }

    // ---- the end

    /// Stops cleanly: everything is flushed and the clean-shutdown marker carries the broker's epoch.
    public void close(long brokerEpoch) {
        recovery.stop();
        moves.close();
        for (var directory : directories) {
            directory.close(logsIn(directory), brokerEpoch, recovery::isPending);
        }
        logs.clear();
    }

    /// Lets go of everything without writing a byte: what a crash leaves behind, for tests.
    public void abandon() {
        recovery.stop();
        moves.close();
        for (var directory : directories) {
            directory.abandon(logsIn(directory));
        }
        logs.clear();
    }

    /// [#close(long)] without a broker epoch.
    @Override
    public void close() {
        close(-1L);
    }
}
