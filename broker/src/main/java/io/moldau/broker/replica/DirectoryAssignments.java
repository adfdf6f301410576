package io.moldau.broker.replica;

import io.moldau.common.FaultHandler;
import io.moldau.common.TopicIdPartition;
import io.moldau.common.TopicPartition;
import io.moldau.common.Uuid;
import io.moldau.common.time.Time;
import io.moldau.common.time.Timer;
import io.moldau.metadata.channel.NodeToController;
import io.moldau.metadata.controller.ControllerContext;
import io.moldau.metadata.image.LocalReplicaChanges;
import io.moldau.metadata.image.MetadataDelta;
import io.moldau.metadata.image.MetadataImage;
import io.moldau.metadata.image.TopicImage;
import io.moldau.metadata.image.loader.LoaderManifest;
import io.moldau.metadata.image.publisher.MetadataPublisher;
import io.moldau.metadata.partition.PartitionRegistration;
import io.moldau.wire.message.AssignReplicasToDirsRequestData;
import io.moldau.wire.message.AssignReplicasToDirsRequestData.DirectoryData;
import io.moldau.wire.message.AssignReplicasToDirsRequestData.PartitionData;
import io.moldau.wire.message.AssignReplicasToDirsRequestData.TopicData;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Tells the controller in which log directory each replica of this node is, where the metadata says otherwise or
/// nothing (KIP-858): one request at a time, again until the metadata shows it. The controller can
/// then move leaders away from a directory that fails.
///
/// Hears of metadata on the loader's thread, after the replicas have. Works in a mailbox. Thread-safe.
public final class DirectoryAssignments implements MetadataPublisher, AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(DirectoryAssignments.class);

    /// Kafka's bound of one request.
    private static final int MOST_PER_REQUEST = 2250;

    private static final long RETRY_NANOS = TimeUnit.MILLISECONDS.toNanos(500);
    private static final long REQUEST_NANOS = TimeUnit.SECONDS.toNanos(10);

    private record Key(Uuid topicId, int partition) {}

    private final PartitionRegistry partitions;
    private final Map<Path, Uuid> directoryIds;
    private final LongSupplier brokerEpoch;
    private final NodeToController controller;
    private final Time time;
    private final Timer timer;
    private final Executor executor;
    private final Mailbox mailbox;

    /// Where replicas will be in a moment that move from one directory to another.
    private final Map<TopicPartition, Path> arriving = new ConcurrentHashMap<>();

    /// Directories that failed with replicas whose arrival elsewhere had been announced.
    private final Map<TopicPartition, Path> lost = new ConcurrentHashMap<>();

    // Owned by the mailbox.
    private final Map<Key, Uuid> wanted = new LinkedHashMap<>();
    private boolean waiting;
    private boolean closed;

    /// @param directoryIds by the directories' absolute paths
    /// @param brokerEpoch of this node's registration
    /// @param executor for what the timer fires
    public DirectoryAssignments(
            PartitionRegistry partitions,
            Map<Path, Uuid> directoryIds,
            LongSupplier brokerEpoch,
            NodeToController controller,
            Time time,
            Timer timer,
            Executor executor,
            FaultHandler faults) {
        this.partitions = partitions;
        this.directoryIds = Map.copyOf(directoryIds);
        this.brokerEpoch = brokerEpoch;
        this.controller = controller;
        this.time = time;
        this.timer = timer;
        this.executor = executor;
        this.mailbox = new Mailbox(faults);
    }

    @Override
    public String name() {
        return "directory assignments";
    }

    @Override
    public void onMetadataUpdate(MetadataDelta delta, MetadataImage newImage, LoaderManifest manifest) {
        LocalReplicaChanges changes = delta.topicsDelta().localChanges(partitions.localId());
        if (changes.isEmpty()) {
            return;
        }
        var found = new HashMap<Key, @Nullable Uuid>();
        changes.deleted().forEach(id -> found.put(new Key(id.topicId(), id.partition()), null));
        changes.leaders().forEach((id, registration) -> look(id, registration, found));
        changes.followers().forEach((id, registration) -> look(id, registration, found));
        take(found);
    }

    private void take(Map<Key, @Nullable Uuid> found) {
        mailbox.submit(() -> {
            found.forEach((key, directory) -> {
                if (directory == null) {
                    wanted.remove(key);
                } else {
                    wanted.put(key, directory);
                }
            });
            go();
        });
    }

    /// Notes the directory of a replica, or null if the metadata knows it or there is none.
    private void look(TopicIdPartition id, PartitionRegistration registration, Map<Key, @Nullable Uuid> found) {
        Uuid directory = switch (partitions.get(id.topicPartition())) {
            case HostedPartition.Online(Partition it) ->
                directoryIds.get(
                        arriving.getOrDefault(id.topicPartition(), it.log().logDir()));
            case HostedPartition.Offline ignored -> ofOffline(id.topicPartition(), registration);
            case HostedPartition.None ignored -> null;
        };
        boolean known = directory == null || directory.equals(registration.directory(partitions.localId()));
        found.put(new Key(id.topicId(), id.partition()), known ? null : directory);
    }

    /// A replica that the metadata has in a directory that works, while it is in one that failed:
    /// in that, else null.
    private @Nullable Uuid ofOffline(TopicPartition partition, PartitionRegistration registration) {
        Path failed = lost.get(partition);
        if (failed == null && partitions.isLeftBehind(partition, registration)) {
            failed = partitions.failedDirectory();
        }
        return failed == null ? null : directoryIds.get(failed);
    }

    /// The replica is going to be in this directory: the controller is told so now.
    void arriving(TopicPartition partition, Path directory) {
        if (!directory.equals(arriving.put(partition, directory))) {
            lookAgain(partition);
        }
    }

    /// The replica is where its log is.
    void settled(TopicPartition partition) {
        if (arriving.remove(partition) != null) {
            lookAgain(partition);
        }
    }

    /// The directory failed that the replica was about to leave. Says so if the controller may
    /// believe it has left.
    void lost(TopicPartition partition, Path directory) {
        if (arriving.remove(partition) != null) {
            lost.put(partition, directory);
            lookAgain(partition);
        }
    }

    private void lookAgain(TopicPartition partition) {
        TopicImage topic = partitions.image().topics().topic(partition.topic());
        PartitionRegistration registration = topic == null ? null : topic.partition(partition.partition());
        if (topic != null && registration != null) {
            var found = new HashMap<Key, @Nullable Uuid>();
            look(new TopicIdPartition(topic.id(), partition), registration, found);
            take(found);
        }
    }

    private void go() {
        if (closed || waiting || wanted.isEmpty()) {
            return;
        }
        waiting = true;
        var request = request();
        var context = new ControllerContext(
                "User:ANONYMOUS", "", request.highestSupportedVersion(), time.nanoseconds() + REQUEST_NANOS);
        controller.forward(context, request).whenComplete((answer, failure) -> {
            if (failure != null) {
                LOG.debug("Directories not assigned reason={}", String.valueOf(failure));
            }
            // What was taken is not wanted any more when the metadata says so; that mostly comes before.
            timer.schedule(
                    time.nanoseconds() + RETRY_NANOS,
                    () -> executor.execute(() -> mailbox.submit(() -> {
                        waiting = false;
                        go();
                    })));
        });
    }

    private AssignReplicasToDirsRequestData request() {
        var request = new AssignReplicasToDirsRequestData()
                .setBrokerId(partitions.localId())
                .setBrokerEpoch(brokerEpoch.getAsLong());
        var directories = new HashMap<Uuid, DirectoryData>();
        var topics = new HashMap<Key, TopicData>();
        wanted.entrySet().stream().limit(MOST_PER_REQUEST).forEach(it -> {
            DirectoryData directory = directories.computeIfAbsent(it.getValue(), id -> {
                var data = new DirectoryData().setId(id);
                request.directories().add(data);
                return data;
            });
            topics.computeIfAbsent(
                            new Key(it.getKey().topicId(), request.directories().indexOf(directory)), key -> {
                                var data = new TopicData().setTopicId(key.topicId());
                                directory.topics().add(data);
                                return data;
                            })
                    .partitions()
                    .add(new PartitionData().setPartitionIndex(it.getKey().partition()));
        });
        return request;
    }

    @Override
    public void close() {
        mailbox.submit(() -> {
            closed = true;
            wanted.clear();
        });
    }
}
