package io.moldau.broker.coordinator;

import io.moldau.broker.config.GroupKeys;
import io.moldau.broker.config.LogKeys;
import io.moldau.broker.config.NodeConfig;
import io.moldau.broker.coordinator.group.GroupCoordinator;
import io.moldau.broker.coordinator.group.GroupCoordinatorConfig;
import io.moldau.broker.coordinator.group.GroupMetadataPublisher;
import io.moldau.broker.coordinator.group.GroupRecordDecoder;
import io.moldau.broker.coordinator.group.GroupShard;
import io.moldau.broker.coordinator.group.OffsetsTopic;
import io.moldau.broker.coordinator.log.PartitionCoordinatorLog;
import io.moldau.broker.coordinator.runtime.CoordinatorMetrics;
import io.moldau.broker.coordinator.runtime.CoordinatorRuntime;
import io.moldau.broker.replica.PartitionRegistry;
import io.moldau.common.FaultHandler;
import io.moldau.common.time.Time;
import io.moldau.common.time.Timer;
import io.moldau.metadata.image.MetadataImage;
import io.moldau.metadata.image.publisher.MetadataPublisher;
import io.moldau.wire.record.Compression;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;

/// The group coordinator of a node with everything it runs on. Owned by the node, which closes it before the
/// partitions, so that what waits in it can still be answered.
public final class GroupCoordination implements AutoCloseable {

    /// Threads for loading shards and for what the node's timer fires.
    private static final int THREADS = 2;

    private final ExecutorService executor;
    private final CoordinatorRuntime<GroupShard> runtime;
    private final GroupCoordinator coordinator;
    private final MetadataPublisher publisher;

    private GroupCoordination(
            ExecutorService executor,
            CoordinatorRuntime<GroupShard> runtime,
            GroupCoordinator coordinator,
            MetadataPublisher publisher) {
        this.executor = executor;
        this.runtime = runtime;
        this.coordinator = coordinator;
        this.publisher = publisher;
    }

    /// @param image the node's current metadata
    /// @param timer only posts
    /// @param random of member ids; used by one thread at a time
    public static GroupCoordination start(
            NodeConfig config,
            PartitionRegistry partitions,
            Supplier<MetadataImage> image,
            Time time,
            Timer timer,
            FaultHandler faults,
            RandomGenerator.SplittableGenerator random,
            CoordinatorMetrics metrics) {
        var number = new AtomicInteger();
        var executor = new ThreadPoolExecutor(
                THREADS,
                THREADS,
                0L,
                TimeUnit.SECONDS,
                new LinkedBlockingQueue<>(),
                task -> Thread.ofPlatform()
                        .name("group-coordinator-" + number.getAndIncrement())
                        .daemon(true)
                        .unstarted(task),
                // A timer may still fire while the node stops; there is nobody left to tell.
                new ThreadPoolExecutor.DiscardPolicy());
        var groupConfig = groupConfig(config);
        var services = new CoordinatorRuntime.Services(
                new PartitionCoordinatorLog(partitions),
                new GroupRecordDecoder(),
                time,
                timer,
                executor,
                faults,
                metrics,
                Compression.forId(config.get(GroupKeys.OFFSETS_TOPIC_COMPRESSION_CODEC)),
                config.get(LogKeys.MESSAGE_MAX_BYTES),
                config.get(GroupKeys.OFFSETS_LOAD_BUFFER_SIZE),
                groupConfig.offsetCommitTimeoutMs());
        // Shards are made on the metadata loader's thread only, so the source is split by one thread.
        var runtime = new CoordinatorRuntime<>(
                OffsetsTopic.NAME, partition -> new GroupShard(groupConfig, random.split()), services);
        var coordinator =
                new GroupCoordinator(runtime, image, time, config.get(GroupKeys.OFFSETS_TOPIC_NUM_PARTITIONS));
        return new GroupCoordination(
                executor, runtime, coordinator, new GroupMetadataPublisher(partitions.localId(), coordinator));
    }

    private static GroupCoordinatorConfig groupConfig(NodeConfig config) {
        var defaults = GroupCoordinatorConfig.DEFAULTS;
        return new GroupCoordinatorConfig(
                config.get(GroupKeys.GROUP_MIN_SESSION_TIMEOUT_MS),
                config.get(GroupKeys.GROUP_MAX_SESSION_TIMEOUT_MS),
                config.get(GroupKeys.GROUP_INITIAL_REBALANCE_DELAY_MS),
                config.get(GroupKeys.GROUP_MAX_SIZE),
                defaults.newMemberJoinTimeoutMs(),
                config.get(GroupKeys.OFFSET_METADATA_MAX_BYTES),
                TimeUnit.MINUTES.toMillis(config.get(GroupKeys.OFFSETS_RETENTION_MINUTES)),
                config.get(GroupKeys.OFFSETS_RETENTION_CHECK_INTERVAL_MS),
                config.get(GroupKeys.OFFSETS_COMMIT_TIMEOUT_MS),
                defaults.maxPendingMembers());
    }

    /// Serves the group APIs.
    public GroupCoordinator coordinator() {
        return coordinator;
    }

    /// To be called after the partitions' publisher.
    public MetadataPublisher publisher() {
        return publisher;
    }

    /// Whoever waits is told that the coordinator is elsewhere.
    @Override
    public void close() {
        runtime.close();
        executor.shutdown();
    }
}
