package io.moldau.log.dir;

import io.moldau.common.ApiException;
import io.moldau.common.Errors;
import io.moldau.common.TopicPartition;
import io.moldau.common.Uuid;
import io.moldau.log.FutureLog;
import io.moldau.log.LogEnvironment;
import io.moldau.log.LogMoves;
import io.moldau.log.PartitionLog;
import io.moldau.log.segment.LogSegment;
import io.moldau.log.storage.LogStorage;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Collection;
import java.util.Collections;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// The partitions that move from one log directory of a node to another, and what crashes have
/// left of such moves. Somebody else does the copying. Thread-safe.
public final class LogDirMoves {

    private static final Logger LOG = LoggerFactory.getLogger(LogDirMoves.class);

    /// What a partition's copy or its old directory needs of the directories.
    interface Directories {
        LogDirectory at(Path path);

        /// The directory at this path, which no partition has any more, is to be deleted.
        void doom(Path path, LogDirectory owner, long delayMs);
    }

    private final Directories directories;
    private final LogStorage storage;
    private final RandomGenerator random;
    private final ConcurrentHashMap<TopicPartition, FutureLog> copies = new ConcurrentHashMap<>();
    /// Copies of partitions that no directory has which works. Filled before anybody asks.
    private final Set<Path> orphans = new HashSet<>();

    LogDirMoves(Directories directories, LogEnvironment environment) {
        this.directories = directories;
        this.storage = environment.storage();
        this.random = environment.random();
    }

    // ---- what a start finds

    /// Which of two logs of one partition, in two directories, counts; the other one has to go.
    /// Null if that cannot be said: somebody else put one there.
    @Nullable
    PartitionLog later(PartitionLog one, PartitionLog other) throws IOException {
        long oneNumber = number(one);
        long otherNumber = number(other);
        return oneNumber == otherNumber ? null : oneNumber > otherNumber ? one : other;
    }

    /// -1 if the log's directory remembers a partition that is not there.
    private long number(PartitionLog log) throws IOException {
        return storage.exists(log.directory()) ? LogMoves.number(storage, log.directory()) : -1;
    }

    /// Takes up the copies in a directory that an earlier run has not finished.
    ///
    /// @param current the log of each partition
    /// @param allOnline whether every log directory works, so that a partition that is in none is
    ///     in none indeed
    void resume(LogDirectory directory, Function<TopicPartition, @Nullable PartitionLog> current, boolean allOnline)
            throws IOException {
        for (var found : directory.futures().entrySet()) {
            var path = found.getKey();
            var partition = found.getValue();
            var log = current.apply(partition);
            if (log == null && !allOnline) {
                orphans.add(path);
            } else if (log == null) {
                var kept = path.resolveSibling(LogDirectory.strayName(partition, Uuid.random(random)));
                LOG.warn("A copy of a partition that is gone is set aside partition={} as={}", partition, kept);
                storage.rename(path, kept);
            } else if (log.logDir().equals(directory.path())
                    || isOfAnotherTopic(path, log)
                    || copies.putIfAbsent(partition, new FutureLog(log, storage, directory.path(), directory, path))
                            != null) {
                discard(path, partition, directory);
            }
        }
    }

    /// Where no topic is named, a crash came before it was: the copy's bytes are compared with
    /// the log's anyway.
    private boolean isOfAnotherTopic(Path path, PartitionLog log) throws IOException {
        var topicId = FutureLog.topicId(storage, path);
        return !topicId.equals(Uuid.ZERO) && !topicId.equals(log.topicId());
    }

    /// Whether a directory has a copy of a partition that nothing else is known of, because
    /// another one failed.
    public boolean isOrphanIn(TopicPartition partition, Path directory) {
        return orphans.stream()
                .anyMatch(path -> directory.equals(path.getParent())
                        && String.valueOf(path.getFileName()).startsWith(partition + "."));
    }

    // ---- moves

    /// All that are under way. A live view.
    public Collection<FutureLog> all() {
        return Collections.unmodifiableCollection(copies.values());
    }

    public @Nullable FutureLog of(TopicPartition partition) {
        return copies.get(partition);
    }

    /// Begins to move a log; goes on with a move to the same directory, and gives up one to
    /// another.
    ///
    /// @return null if the log is there already
    public @Nullable FutureLog begin(PartitionLog log, Path target) {
        var partition = log.topicPartition();
        var underWay = copies.get(partition);
        if (underWay != null && underWay.logDir().equals(target)) {
            return underWay;
        }
        cancel(partition);
        if (log.logDir().equals(target)) {
            return null;
        }
        var directory = directories.at(target);
        directory.checkOnline();
        var path = target.resolve(LogDirectory.futureName(partition, Uuid.random(random)));
        var copy = new FutureLog(log, storage, target, directory, path);
        copy.begin();
        copies.put(partition, copy);
        return copy;
    }

    /// Gives a move up, if there is one, and deletes the copy.
    public void cancel(TopicPartition partition) {
        var copy = copies.remove(partition);
        if (copy != null) {
            copy.close();
            var owner = directories.at(copy.logDir());
            if (owner.isOnline()) {
                try {
                    discard(copy.directory(), partition, owner);
                } catch (IOException e) {
                    throw owner.fail("Deleting '" + copy.directory() + "' failed", e);
                }
            }
        }
    }

    /// One of the two directories failed, or the log cannot be copied. The files stay, for the
    /// next start.
    public void abandon(FutureLog copy) {
        copies.remove(copy.log().topicPartition(), copy);
        copy.close();
    }

    /// Puts the copy in the log's place, if it is ready: see [FutureLog#swap].
    public boolean finish(FutureLog copy) {
        var vacated = copy.swap();
        if (vacated == null) {
            return false;
        }
        copies.remove(copy.log().topicPartition(), copy);
        vacate(copy.log(), vacated);
        return true;
    }

    private void vacate(PartitionLog log, PartitionLog.Vacated vacated) {
        var partition = log.topicPartition();
        var owner = directories.at(LogStorage.parent(vacated.directory()));
        try {
            vacated.journal().beforeDeletion(log);
            if (storage.exists(vacated.directory())) {
                var renamed = owner.path().resolve(LogDirectory.deletionName(partition, Uuid.random(random)));
                storage.rename(vacated.directory(), renamed);
                storage.syncDirectory(owner.path());
                vacated.segments().forEach(segment -> segment.movedTo(renamed));
                directories.doom(renamed, owner, log.config().fileDeleteDelayMs());
            }
        } catch (IOException e) {
            // The log is where it was to go. What it left counts for less when the disk comes
            // back.
            owner.fail("Clearing '" + vacated.directory() + "' after " + partition + " moved away failed", e);
        } finally {
            vacated.segments().forEach(LogSegment::release);
        }
    }

    private void discard(Path path, TopicPartition partition, LogDirectory owner) throws IOException {
        if (storage.exists(path)) {
            var renamed = owner.path().resolve(LogDirectory.deletionName(partition, Uuid.random(random)));
            storage.rename(path, renamed);
            directories.doom(renamed, owner, 0);
        }
    }

    /// Lets go of all copies; the next start goes on with them.
    void close() {
        copies.values().forEach(FutureLog::close);
        copies.clear();
    }

    static ApiException notHere(Path path) {
        return new ApiException(
                Errors.LOG_DIR_NOT_FOUND, "Log directory '" + path + "' is none of this node's: see log.dirs");
    }
}
