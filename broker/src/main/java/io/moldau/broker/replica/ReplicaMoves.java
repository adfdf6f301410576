package io.moldau.broker.replica;

import io.moldau.common.ApiException;
import io.moldau.common.Errors;
import io.moldau.common.TopicPartition;
import io.moldau.common.Uuid;
import io.moldau.common.time.Time;
import io.moldau.log.FutureLog;
import io.moldau.log.PartitionLog;
import io.moldau.log.dir.LogDirState;
import io.moldau.log.dir.LogDirs;
import io.moldau.log.storage.StorageException;
import io.moldau.metadata.partition.PartitionRegistration;
import java.nio.ByteBuffer;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.Collection;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Moves replicas between the log directories of this node (KIP-113): begins and gives up moves,
/// and does their work a piece at a time on threads that somebody else has.
///
/// A copy that has caught up is announced to the controller before it takes the log's place
/// (KIP-858): were it told after, and the new directory failed in between, the controller would go
/// on taking this replica for a good one. Thread-safe.
public final class ReplicaMoves {

    private static final Logger LOG = LoggerFactory.getLogger(ReplicaMoves.class);

    /// What [#work] returns for a move that has ended.
    public static final long ENDED = -1;

    /// So much is copied before other moves have their turn.
    private static final int BUDGET = 1 << 20;

    private static final long SOON_NANOS = TimeUnit.MILLISECONDS.toNanos(10);
    private static final long LATER_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

    /// Kafka's `<hex>-future` behind the partition and a point.
    private static final int FUTURE_SUFFIX_LENGTH = ".".length() + 32 + "-future".length();

    private static final int LONGEST_FILE_NAME = 255;

    private final LogDirs logs;
    private final PartitionRegistry partitions;
    private final DirectoryAssignments assignments;
    private final Map<Path, Uuid> directoryIds;
    private final ReplicationThrottle throttle;
    private final Time time;
    private final LongAdder movedBytes = new LongAdder();
    private final LongAdder completed = new LongAdder();
    private final LongAdder failed = new LongAdder();

    /// @param directoryIds by the directories' absolute paths
    /// @param throttle `replica.alter.log.dirs.io.max.bytes.per.second`
    public ReplicaMoves(
            LogDirs logs,
            PartitionRegistry partitions,
            DirectoryAssignments assignments,
            Map<Path, Uuid> directoryIds,
            ReplicationThrottle throttle,
            Time time) {
        this.logs = logs;
        this.partitions = partitions;
        this.assignments = assignments;
        this.directoryIds = Map.copyOf(directoryIds);
        this.throttle = throttle;
        this.time = time;
        logs.onOffline(this::directoryFailed);
    }

    /// Copies that are under way. A live view.
    public Collection<FutureLog> underWay() {
        return logs.moves().all();
    }

    /// Bytes that moves have gone over since the node started.
    public long movedBytes() {
        return movedBytes.sum();
    }

    /// Moves that came to their end since the node started.
    public long completed() {
        return completed.sum();
    }

    /// Moves that were given up because a directory failed or the log is damaged.
    public long failed() {
        return failed.sum();
    }

    // ---- begin

    /// Has the replica moved to a log directory; with the one it is in, a move elsewhere is given
    /// up. Waits for the disk.
    ///
    /// @throws ApiException with the error for the client, Kafka's
    public void move(TopicPartition partition, String directory) {
        if (partition.toString().length() + FUTURE_SUFFIX_LENGTH > LONGEST_FILE_NAME) {
            throw new ApiException(
                    Errors.INVALID_TOPIC_EXCEPTION,
                    "The name of topic " + partition.topic() + " is too long for the directory of a copy");
        }
        Path target = path(directory);
        switch (stateOf(target)) {
            case LogDirState.Online ignored -> {}
            case LogDirState.Offline ignored ->
                throw new ApiException(Errors.KAFKA_STORAGE_ERROR, "Log directory " + target + " is offline");
        }
        if (logs.isCordoned(target)) {
            throw new ApiException(
                    Errors.INVALID_REPLICA_ASSIGNMENT,
                    "Log directory " + target + " is cordoned: take it out of cordoned.log.dirs, or choose another");
        }
        switch (partitions.get(partition)) {
            case HostedPartition.Online(Partition it) -> move(it.log(), target);
            case HostedPartition.Offline ignored ->
                throw new ApiException(Errors.KAFKA_STORAGE_ERROR, "Partition " + partition + " is offline");
            case HostedPartition.None ignored -> {
                logs.prefer(partition, target);
                throw new ApiException(
                        Errors.REPLICA_NOT_AVAILABLE,
                        "This broker has no replica of " + partition + "; if it gets one, it will be in " + target);
            }
        }
    }

    private void move(PartitionLog log, Path target) {
        FutureLog copy = logs.moves().begin(log, target);
        if (copy == null) {
            assignments.settled(log.topicPartition());
        } else {
            LOG.info("Moving a replica partition={} from={} to={}", log.topicPartition(), log.logDir(), copy.logDir());
        }
    }

    private static Path path(String directory) {
        try {
            Path path = Path.of(directory);
            if (path.isAbsolute()) {
                return path.normalize();
            }
        } catch (InvalidPathException e) {
            LOG.debug("No path: {}", directory, e);
        }
        throw unknown(directory);
    }

    private LogDirState stateOf(Path target) {
        for (LogDirState state : logs.directories()) {
            if (state.path().equals(target)) {
                return state;
            }
        }
        throw unknown(target.toString());
    }

    private static ApiException unknown(String directory) {
        return new ApiException(
                Errors.LOG_DIR_NOT_FOUND, "Log directory " + directory + " is none of this broker's: see log.dirs");
    }

    // ---- go on

    /// Goes on with a move.
    ///
    /// @param buffer scratch space
    /// @return in how many nanoseconds to go on, [#ENDED] if there is nothing to go on with
    public long work(FutureLog copy, ByteBuffer buffer) {
        TopicPartition partition = copy.log().topicPartition();
        try {
            if (!(partitions.get(partition) instanceof HostedPartition.Online)
                    && logs.moves().of(partition) == copy) {
                // Found at the start, and the metadata has not come yet.
                return LATER_NANOS;
            }
            long wait = go(copy, partition, buffer);
            if (wait == ENDED) {
                assignments.settled(partition);
            }
            return wait;
        } catch (StorageException e) {
            LOG.error("A move ends with its log directory partition={} directory={}", partition, e.directory());
            logs.moves().abandon(copy);
        } catch (ApiException e) {
            LOG.error("A replica cannot be moved partition={} reason={}", partition, e.getMessage());
            logs.moves().cancel(partition);
        }
        failed.increment();
        if (partitions.get(partition) instanceof HostedPartition.Online) {
            assignments.settled(partition);
        }
        return ENDED;
    }

    private long go(FutureLog copy, TopicPartition partition, ByteBuffer buffer) {
        if (throttle.isExceeded()) {
            return Math.max(SOON_NANOS, throttle.openNanos() - time.nanoseconds());
        }
        int done = step(copy, buffer);
        if (done < 0) {
            logs.moves().abandon(copy);
            return ENDED;
        }
        if (done >= BUDGET) {
            return 0;
        }
        if (!isAnnounced(partition, copy.logDir())) {
            assignments.arriving(partition, copy.logDir());
            return SOON_NANOS;
        }
        copy.prepare();
        // What has come while that waited for the disk.
        step(copy, buffer);
        if (!logs.moves().finish(copy)) {
            return SOON_NANOS;
        }
        completed.increment();
        LOG.info("Moved a replica partition={} to={}", partition, copy.logDir());
        return ENDED;
    }

    private int step(FutureLog copy, ByteBuffer buffer) {
        int done = copy.step(BUDGET, buffer);
        if (done > 0) {
            throttle.record(done);
            movedBytes.add(done);
        }
        return done;
    }

    private boolean isAnnounced(TopicPartition partition, Path target) {
        PartitionRegistration registration = partitions.registration(partition);
        Uuid id = directoryIds.get(target);
        return id == null
                || (registration != null
                        && registration.directory(partitions.localId()).equals(id));
    }

    /// The controller may have been told of replicas there that they are about to be elsewhere:
    /// they are not any more.
    private void directoryFailed(LogDirState.Offline directory) {
        for (FutureLog copy : underWay()) {
            if (copy.log().logDir().equals(directory.path())) {
                assignments.lost(copy.log().topicPartition(), directory.path());
            }
        }
    }
}
