package io.moldau.broker.replica;

import io.moldau.common.ApiException;
import io.moldau.common.Errors;
import io.moldau.common.FaultHandler;
import io.moldau.common.TopicIdPartition;
import io.moldau.common.TopicPartition;
import io.moldau.common.Uuid;
import io.moldau.common.time.Time;
import io.moldau.log.PartitionLog;
import io.moldau.log.dir.LogDirState;
import io.moldau.log.dir.LogDirs;
import io.moldau.log.storage.StorageException;
import io.moldau.metadata.image.MetadataImage;
import io.moldau.metadata.image.TopicImage;
import io.moldau.metadata.partition.PartitionRegistration;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// The partitions this node hosts, and what to tell a client about those it does not.
///
/// Look-ups come from any thread; changes only from the thread that publishes metadata, and from whoever sees a
/// disk fail.
public final class PartitionRegistry implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(PartitionRegistry.class);

    private final int localId;
    private final LogDirs logs;
    private final Map<Path, Uuid> directoryIds;
    private final Supplier<MetadataImage> image;
    private final Partition.Services services;
    private final Map<TopicPartition, HostedPartition> hosted = new ConcurrentHashMap<>();

    /// [#PartitionRegistry(int, LogDirs, Supplier, Time, TailCache, FaultHandler, Replication)] for
    /// partitions with one
    /// replica.
    public PartitionRegistry(
            int localId, LogDirs logs, Supplier<MetadataImage> image, Time time, TailCache tails, FaultHandler faults) {
        this(localId, logs, image, time, tails, faults, Replication.NONE);
    }

    /// [#PartitionRegistry(int, LogDirs, Map, Supplier, Time, TailCache, FaultHandler, Replication)]
    /// without identities of directories.
    public PartitionRegistry(
            int localId,
            LogDirs logs,
            Supplier<MetadataImage> image,
            Time time,
            TailCache tails,
            FaultHandler faults,
            Replication replication) {
        this(localId, logs, Map.of(), image, time, tails, faults, replication);
    }

    /// Where nothing is counted.
    ///
    /// @param directoryIds the identity of each log directory, by its absolute path
    /// @param image the node's current metadata
    public PartitionRegistry(
            int localId,
            LogDirs logs,
            Map<Path, Uuid> directoryIds,
            Supplier<MetadataImage> image,
            Time time,
            TailCache tails,
            FaultHandler faults,
            Replication replication) {
        this(localId, logs, directoryIds, image, time, tails, faults, replication, ReplicaMetrics.NONE);
    }

    /// @param directoryIds the identity of each log directory, by its absolute path
    /// @param image the node's current metadata
    public PartitionRegistry(
            int localId,
            LogDirs logs,
            Map<Path, Uuid> directoryIds,
            Supplier<MetadataImage> image,
            Time time,
            TailCache tails,
            FaultHandler faults,
            Replication replication,
            ReplicaMetrics metrics) {
        this.localId = localId;
        this.logs = logs;
        this.directoryIds = Map.copyOf(directoryIds);
        this.image = image;
        this.services = new Partition.Services(localId, time, tails, faults, this::storageFailed, replication, metrics);
        logs.onOffline(this::directoryFailed);
    }

    public int localId() {
        return localId;
    }

    public HostedPartition get(TopicPartition partition) {
        HostedPartition found = hosted.get(partition);
        return found == null ? HostedPartition.NONE : found;
    }

    /// All replicas in working order.
    public List<Partition> onlinePartitions() {
        var online = new ArrayList<Partition>();
        for (HostedPartition partition : hosted.values()) {
            if (partition instanceof HostedPartition.Online(Partition it)) {
                online.add(it);
            }
        }
        return online;
    }

    /// How many replicas cannot be used because their disk failed.
    public int offlineCount() {
        return (int) hosted.values().stream()
                .filter(HostedPartition.Offline.class::isInstance)
                .count();
    }

    /// The replica, or why a client cannot have it: KAFKA_STORAGE_ERROR, NOT_LEADER_OR_FOLLOWER where other brokers
    /// host it, or UNKNOWN_TOPIC_OR_PARTITION.
    ///
    /// @throws ApiException with that error
    public Partition online(TopicPartition partition) {
        return switch (get(partition)) {
            case HostedPartition.Online(Partition it) -> it;
            case HostedPartition.Offline ignored ->
                throw new ApiException(
                        Errors.KAFKA_STORAGE_ERROR, "the log directory of " + partition + " on this broker failed");
            case HostedPartition.None ignored -> {
                if (image.get().topics().partition(partition) != null) {
                    throw new ApiException(Errors.NOT_LEADER_OR_FOLLOWER, "this broker has no replica of " + partition);
                }
                throw new ApiException(Errors.UNKNOWN_TOPIC_OR_PARTITION, "there is no partition " + partition);
            }
        };
    }

    /// The name of the topic with that id.
    ///
    /// @throws ApiException with UNKNOWN_TOPIC_ID
    public String topicName(Uuid topicId) {
        TopicImage topic = image.get().topics().topic(topicId);
        if (topic == null) {
            throw new ApiException(Errors.UNKNOWN_TOPIC_ID, "there is no topic with the id " + topicId);
        }
        return topic.name();
    }

    /// Who leads a partition as far as this node's metadata says, whether it is hosted here or not.
    public @Nullable PartitionRegistration registration(TopicPartition partition) {
        return image.get().topics().partition(partition);
    }

    public MetadataImage image() {
        return image.get();
    }

    /// Has every leader look at its followers: who lags too long, and who may join the ISR.
    public void checkFollowers() {
        for (HostedPartition partition : hosted.values()) {
            if (partition instanceof HostedPartition.Online(Partition it)) {
                it.checkFollowers();
            }
        }
    }

    // --- changes, by the metadata publisher ---

    void becomeLeader(TopicIdPartition id, PartitionRegistration registration, TopicSettings settings) {
        Partition partition = open(id, registration, settings);
        if (partition != null) {
            partition.becomeLeader(registration, settings);
        }
    }

    void becomeFollower(TopicIdPartition id, PartitionRegistration registration, TopicSettings settings) {
        Partition partition = open(id, registration, settings);
        if (partition != null) {
            partition.becomeFollower(registration, settings);
        }
    }

    private @Nullable Partition open(TopicIdPartition id, PartitionRegistration registration, TopicSettings settings) {
        HostedPartition now = get(id.topicPartition());
        if (now instanceof HostedPartition.Online(Partition it) && it.topicId().equals(id.topicId())) {
            return it;
        }
        if (now instanceof HostedPartition.Online) {
            delete(id.topicPartition()); // the topic was deleted and made again under its name
        }
        if (now instanceof HostedPartition.Offline) {
            return null;
        }
        if (isInFailedDirectory(id, registration)) {
            LOG.error("The log directory has failed topic={} partition={}", id.topic(), id.partition());
            hosted.put(id.topicPartition(), HostedPartition.OFFLINE);
            return null;
        }
        try {
            PartitionLog log = logs.getOrCreate(id, settings.log());
            var partition = new Partition(id, log, settings, services);
            hosted.put(id.topicPartition(), new HostedPartition.Online(partition));
            return partition;
        } catch (StorageException e) {
            LOG.error("No log for topic={} partition={}", id.topic(), id.partition(), e);
            hosted.put(id.topicPartition(), HostedPartition.OFFLINE);
            return null;
        } catch (ApiException e) {
            // The others have nothing to do with it.
            LOG.error(
                    "A log cannot be used topic={} partition={} reason={}", id.topic(), id.partition(), e.getMessage());
            hosted.put(id.topicPartition(), HostedPartition.OFFLINE);
            return null;
        }
    }

    /// Where a directory could not be opened, what it holds is not known here; an empty log elsewhere
    /// must not take its place.
    private boolean isInFailedDirectory(TopicIdPartition id, PartitionRegistration registration) {
        if (logs.get(id.topicPartition()) != null) {
            return false;
        }
        Uuid directory = registration.directory(localId);
        for (LogDirState state : logs.directories()) {
            if (state instanceof LogDirState.Offline && directory.equals(directoryIds.get(state.path()))) {
                return true;
            }
        }
        return isLeftBehind(id.topicPartition(), registration);
    }

    /// Whether the metadata has the replica in a directory that works, to which it had not come
    /// yet when another one, which it is in, failed.
    boolean isLeftBehind(TopicPartition partition, PartitionRegistration registration) {
        Uuid directory = registration.directory(localId);
        return logs.directories().stream()
                .anyMatch(state -> directory.equals(directoryIds.get(state.path()))
                        && logs.moves().isOrphanIn(partition, state.path()));
    }

    /// A log directory that does not work, null if all do.
    @Nullable
    Path failedDirectory() {
        return logs.directories().stream()
                .filter(LogDirState.Offline.class::isInstance)
                .map(LogDirState::path)
                .findFirst()
                .orElse(null);
    }

    void delete(TopicPartition partition) {
        HostedPartition gone = hosted.remove(partition);
        if (gone instanceof HostedPartition.Online(Partition it)) {
            it.retire(Errors.NOT_LEADER_OR_FOLLOWER);
            try {
                logs.delete(partition);
            } catch (StorageException e) {
                LOG.error(
                        "Cannot delete the log of topic={} partition={}", partition.topic(), partition.partition(), e);
            }
        }
    }

    void updateSettings(Map<String, TopicSettings> ofTopic) {
        for (Partition partition : onlinePartitions()) {
            TopicSettings settings = ofTopic.get(partition.topicPartition().topic());
            if (settings != null) {
                partition.updateSettings(settings);
            }
        }
    }

    /// Ends all waits and gives back all cached memory. The logs belong to whoever opened them.
    @Override
    public void close() {
        for (Partition partition : onlinePartitions()) {
            partition.retire(Errors.NOT_LEADER_OR_FOLLOWER);
        }
        hosted.clear();
    }

    // --- disks ---

    private void storageFailed(StorageException failure) {
        takeOffline(failure.directory());
    }

    private void directoryFailed(LogDirState.Offline directory) {
        takeOffline(directory.path());
    }

    private void takeOffline(Path directory) {
        for (Partition partition : onlinePartitions()) {
            if (partition.log().logDir().equals(directory)
                    && hosted.replace(
                            partition.topicPartition(),
                            new HostedPartition.Online(partition),
                            HostedPartition.OFFLINE)) {
                LOG.error(
                        "Partition offline topic={} partition={} directory={}",
                        partition.topicPartition().topic(),
                        partition.topicPartition().partition(),
                        directory);
                partition.retire(Errors.KAFKA_STORAGE_ERROR);
            }
        }
    }
}
