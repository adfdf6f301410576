package io.moldau.broker.config;

import static io.moldau.common.config.ConfigKey.Importance.HIGH;
import static io.moldau.common.config.ConfigKey.Importance.LOW;

import io.moldau.common.config.ConfigKey;
import io.moldau.common.config.ConfigType;
import java.util.List;

/// Keys about consumer, share and streams groups.
public final class GroupKeys {

    public static final ConfigKey<Integer> OFFSET_METADATA_MAX_BYTES = ConfigKey.of(
                    "offset.metadata.max.bytes", ConfigType.anyInt())
            .defaultTo(4096)
            .importance(HIGH)
            .describedAs("Longest text a client may store with a committed offset.");

    public static final ConfigKey<Integer> OFFSETS_COMMIT_TIMEOUT_MS = ConfigKey.of(
                    "offsets.commit.timeout.ms", ConfigType.intAtLeast(1))
            .defaultTo(5000)
            .importance(HIGH)
            .describedAs("How long a commit waits for the replicas of the offsets topic.");

    public static final ConfigKey<Integer> OFFSETS_LOAD_BUFFER_SIZE = ConfigKey.of(
                    "offsets.load.buffer.size", ConfigType.intAtLeast(1))
            .defaultTo(5_242_880)
            .importance(HIGH)
            .describedAs("How many bytes at a time are read when a coordinator loads its partition.");

    public static final ConfigKey<Long> OFFSETS_RETENTION_CHECK_INTERVAL_MS = ConfigKey.of(
                    "offsets.retention.check.interval.ms", ConfigType.longAtLeast(1L))
            .defaultTo(600_000L)
            .importance(HIGH)
            .describedAs("How often expired offsets are looked for.");

    public static final ConfigKey<Integer> OFFSETS_RETENTION_MINUTES = ConfigKey.of(
                    "offsets.retention.minutes", ConfigType.intAtLeast(1))
            .defaultTo(10_080)
            .importance(HIGH)
            .describedAs("How long offsets of an empty group are kept.");

    public static final ConfigKey<Integer> OFFSETS_TOPIC_COMPRESSION_CODEC = ConfigKey.of(
                    "offsets.topic.compression.codec", ConfigType.anyInt())
            .defaultTo(0)
            .importance(HIGH)
            .describedAs("Codec number of the offsets topic's batches; 0 is none.");

    public static final ConfigKey<Integer> OFFSETS_TOPIC_NUM_PARTITIONS = ConfigKey.of(
                    "offsets.topic.num.partitions", ConfigType.intAtLeast(1))
            .defaultTo(50)
            .importance(HIGH)
            .describedAs("Number of partitions of the offsets topic; must not change once it exists.");

    public static final ConfigKey<Short> OFFSETS_TOPIC_REPLICATION_FACTOR = ConfigKey.of(
                    "offsets.topic.replication.factor", ConfigType.shortAtLeast(1))
            .defaultTo((short) 3)
            .importance(HIGH)
            .describedAs("Replication factor of the offsets topic. Left at its default, a smaller cluster uses as "
                    + "many replicas as it has brokers.");

    public static final ConfigKey<Integer> OFFSETS_TOPIC_SEGMENT_BYTES = ConfigKey.of(
                    "offsets.topic.segment.bytes", ConfigType.intAtLeast(1))
            .defaultTo(104_857_600)
            .importance(HIGH)
            .describedAs("Segment size of the offsets topic.");

    public static final ConfigKey<Integer> GROUP_INITIAL_REBALANCE_DELAY_MS = ConfigKey.of(
                    "group.initial.rebalance.delay.ms", ConfigType.anyInt())
            .defaultTo(3000)
            .describedAs("How long a new group's first rebalance waits for further members.");

    public static final ConfigKey<Integer> GROUP_MAX_SESSION_TIMEOUT_MS = ConfigKey.of(
                    "group.max.session.timeout.ms", ConfigType.anyInt())
            .defaultTo(1_800_000)
            .describedAs("Longest session time-out a classic member may ask for.");

    public static final ConfigKey<Integer> GROUP_MIN_SESSION_TIMEOUT_MS = ConfigKey.of(
                    "group.min.session.timeout.ms", ConfigType.anyInt())
            .defaultTo(6000)
            .describedAs("Shortest session time-out a classic member may ask for.");

    public static final ConfigKey<Integer> GROUP_MAX_SIZE = ConfigKey.of("group.max.size", ConfigType.intAtLeast(1))
            .defaultTo(Integer.MAX_VALUE)
            .describedAs("Most members of a classic group.");

    public static final ConfigKey<Integer> GROUP_CONSUMER_ASSIGNMENT_INTERVAL_MS = ConfigKey.of(
                    "group.consumer.assignment.interval.ms", ConfigType.intAtLeast(0))
            .defaultTo(1000)
            .describedAs("Shortest time between two assignments of one consumer group.");

    public static final ConfigKey<List<String>> GROUP_CONSUMER_ASSIGNORS = ConfigKey.of(
                    "group.consumer.assignors", ConfigType.listOf("uniform", "range"))
            .defaultTo(List.of("uniform", "range"))
            .describedAs("Assignors of the consumer protocol, the default one first.");

    public static final ConfigKey<Integer> GROUP_CONSUMER_HEARTBEAT_INTERVAL_MS = ConfigKey.of(
                    "group.consumer.heartbeat.interval.ms", ConfigType.intAtLeast(1))
            .defaultTo(5000)
            .describedAs("How often members of consumer groups are told to send heartbeats.");

    public static final ConfigKey<Integer> GROUP_CONSUMER_MAX_ASSIGNMENT_INTERVAL_MS = ConfigKey.of(
                    "group.consumer.max.assignment.interval.ms", ConfigType.intAtLeast(0))
            .defaultTo(15_000)
            .describedAs("Largest value a group may set for its assignment interval.");

    public static final ConfigKey<Integer> GROUP_CONSUMER_MAX_HEARTBEAT_INTERVAL_MS = ConfigKey.of(
                    "group.consumer.max.heartbeat.interval.ms", ConfigType.intAtLeast(1))
            .defaultTo(15_000)
            .describedAs("Largest value a group may set for its heartbeat interval.");

    public static final ConfigKey<Integer> GROUP_CONSUMER_MAX_SESSION_TIMEOUT_MS = ConfigKey.of(
                    "group.consumer.max.session.timeout.ms", ConfigType.intAtLeast(1))
            .defaultTo(60_000)
            .describedAs("Largest value a group may set for its session time-out.");

    public static final ConfigKey<Integer> GROUP_CONSUMER_MAX_SIZE = ConfigKey.of(
                    "group.consumer.max.size", ConfigType.intAtLeast(1))
            .defaultTo(Integer.MAX_VALUE)
            .describedAs("Most members of a consumer group.");

    public static final ConfigKey<String> GROUP_CONSUMER_MIGRATION_POLICY = ConfigKey.of(
                    "group.consumer.migration.policy",
                    ConfigType.oneOfIgnoringCase("DISABLED", "DOWNGRADE", "UPGRADE", "BIDIRECTIONAL"))
            .defaultTo("bidirectional")
            .describedAs("Whether groups may move between the classic and the consumer protocol while they have "
                    + "members.");

    public static final ConfigKey<Integer> GROUP_CONSUMER_MIN_ASSIGNMENT_INTERVAL_MS = ConfigKey.of(
                    "group.consumer.min.assignment.interval.ms", ConfigType.intAtLeast(0))
            .defaultTo(0)
            .describedAs("Smallest value a group may set for its assignment interval.");

    public static final ConfigKey<Integer> GROUP_CONSUMER_MIN_HEARTBEAT_INTERVAL_MS = ConfigKey.of(
                    "group.consumer.min.heartbeat.interval.ms", ConfigType.intAtLeast(1))
            .defaultTo(5000)
            .describedAs("Smallest value a group may set for its heartbeat interval.");

    public static final ConfigKey<Integer> GROUP_CONSUMER_MIN_SESSION_TIMEOUT_MS = ConfigKey.of(
                    "group.consumer.min.session.timeout.ms", ConfigType.intAtLeast(1))
            .defaultTo(45_000)
            .describedAs("Smallest value a group may set for its session time-out.");

    public static final ConfigKey<Integer> GROUP_CONSUMER_REGEX_REFRESH_INTERVAL_MS = ConfigKey.of(
                    "group.consumer.regex.refresh.interval.ms", ConfigType.intAtLeast(10_000))
            .defaultTo(600_000)
            .hidden()
            .describedAs("How often topics are matched again against the members' patterns.");

    public static final ConfigKey<Integer> GROUP_CONSUMER_SESSION_TIMEOUT_MS = ConfigKey.of(
                    "group.consumer.session.timeout.ms", ConfigType.intAtLeast(1))
            .defaultTo(45_000)
            .describedAs("How long a member of a consumer group may be silent before it is removed.");

    public static final ConfigKey<List<String>> GROUP_STREAMS_ASSIGNORS = ConfigKey.of(
                    "group.streams.assignors", ConfigType.list())
            .defaultTo(List.of("sticky"))
            .describedAs("Task assignors, the default one first.");

    /// Every key of this area, in the order of the documentation.
    static final List<KnownKey> ALL = List.of(
            KnownKey.used(OFFSET_METADATA_MAX_BYTES),
            KnownKey.used(OFFSETS_COMMIT_TIMEOUT_MS),
            KnownKey.used(OFFSETS_LOAD_BUFFER_SIZE),
            KnownKey.used(OFFSETS_RETENTION_CHECK_INTERVAL_MS),
            KnownKey.used(OFFSETS_RETENTION_MINUTES),
            KnownKey.used(OFFSETS_TOPIC_COMPRESSION_CODEC),
            KnownKey.used(OFFSETS_TOPIC_NUM_PARTITIONS),
            KnownKey.used(OFFSETS_TOPIC_REPLICATION_FACTOR),
            KnownKey.used(OFFSETS_TOPIC_SEGMENT_BYTES),
            KnownKey.used(GROUP_INITIAL_REBALANCE_DELAY_MS),
            KnownKey.used(GROUP_MAX_SESSION_TIMEOUT_MS),
            KnownKey.used(GROUP_MIN_SESSION_TIMEOUT_MS),
            KnownKey.used(GROUP_MAX_SIZE),
            KnownKey.accepted(
                    ConfigKey.of("group.coordinator.append.linger.ms", ConfigType.intAtLeast(-1))
                            .defaultTo(-1)
                            .describedAs("How long the reference's group coordinator gathers writes."),
                    Reasons.COORDINATOR),
            KnownKey.accepted(
                    ConfigKey.of("group.coordinator.background.threads", ConfigType.intAtLeast(1))
                            .defaultTo(2)
                            .importance(HIGH)
                            .describedAs("Threads of the reference's group coordinator for background work."),
                    Reasons.COORDINATOR),
            KnownKey.accepted(
                            ConfigKey.of("group.coordinator.cached.buffer.max.bytes", ConfigType.intAtLeast(524_288))
                                    .defaultTo(1_048_588)
                                    .describedAs(
                                            "Largest write buffer the reference's group coordinator keeps for reuse."),
                            Reasons.COORDINATOR)
                    .clusterWide(),
            KnownKey.accepted(
                    ConfigKey.of(
                                    "group.coordinator.rebalance.protocols",
                                    ConfigType.listOf("consumer", "classic", "share", "streams"))
                            .defaultTo(List.of("classic", "consumer", "streams"))
                            .describedAs("Group protocols the reference turns on; replaced there by feature levels."),
                    Reasons.PROTOCOLS),
            KnownKey.accepted(
                    ConfigKey.of("group.coordinator.threads", ConfigType.intAtLeast(1))
                            .defaultTo(4)
                            .importance(HIGH)
                            .describedAs("Threads of the reference's group coordinator."),
                    Reasons.COORDINATOR),
            KnownKey.used(GROUP_CONSUMER_ASSIGNMENT_INTERVAL_MS).clusterWide(),
            KnownKey.accepted(
                            ConfigKey.of("group.consumer.assignor.offload.enable", ConfigType.bool())
                                    .defaultTo(true)
                                    .hidden()
                                    .describedAs(
                                            "Whether assignments are computed away from the coordinator's thread."),
                            Reasons.OFFLOAD)
                    .clusterWide(),
            KnownKey.used(GROUP_CONSUMER_ASSIGNORS),
            KnownKey.used(GROUP_CONSUMER_HEARTBEAT_INTERVAL_MS),
            KnownKey.used(GROUP_CONSUMER_MAX_ASSIGNMENT_INTERVAL_MS),
            KnownKey.used(GROUP_CONSUMER_MAX_HEARTBEAT_INTERVAL_MS),
            KnownKey.used(GROUP_CONSUMER_MAX_SESSION_TIMEOUT_MS),
            KnownKey.used(GROUP_CONSUMER_MAX_SIZE),
            KnownKey.used(GROUP_CONSUMER_MIGRATION_POLICY),
            KnownKey.used(GROUP_CONSUMER_MIN_ASSIGNMENT_INTERVAL_MS),
            KnownKey.used(GROUP_CONSUMER_MIN_HEARTBEAT_INTERVAL_MS),
            KnownKey.used(GROUP_CONSUMER_MIN_SESSION_TIMEOUT_MS),
            KnownKey.used(GROUP_CONSUMER_REGEX_REFRESH_INTERVAL_MS),
            KnownKey.used(GROUP_CONSUMER_SESSION_TIMEOUT_MS),
            KnownKey.accepted(
                            ConfigKey.of("group.share.assignment.interval.ms", ConfigType.intAtLeast(0))
                                    .defaultTo(1000)
                                    .describedAs("Shortest time between two assignments of one share group."),
                            Reasons.SHARE)
                    .clusterWide(),
            KnownKey.accepted(
                            ConfigKey.of("group.share.assignor.offload.enable", ConfigType.bool())
                                    .defaultTo(true)
                                    .hidden()
                                    .describedAs(
                                            "Whether share assignments are computed away from the coordinator's thread."),
                            Reasons.SHARE)
                    .clusterWide(),
            KnownKey.accepted(
                    ConfigKey.of("group.share.assignors", ConfigType.list())
                            .defaultTo(List.of("simple"))
                            .describedAs("Assignors of share groups."),
                    Reasons.SHARE),
            KnownKey.accepted(
                    ConfigKey.of("group.share.delivery.count.limit", ConfigType.intBetween(2, 10))
                            .defaultTo(5)
                            .describedAs("How often a record is delivered to a share group at most."),
                    Reasons.SHARE),
            KnownKey.accepted(
                    ConfigKey.of("group.share.dlq.manager.class.name", ConfigType.string())
                            .defaultTo("org.apache.kafka.server.share.dlq.DefaultShareGroupDLQManager")
                            .hidden()
                            .describedAs("Class that writes undeliverable records of share groups elsewhere."),
                    Reasons.SHARE),
            KnownKey.accepted(
                    ConfigKey.of("group.share.heartbeat.interval.ms", ConfigType.intAtLeast(1))
                            .defaultTo(5000)
                            .describedAs("How often members of share groups are told to send heartbeats."),
                    Reasons.SHARE),
            KnownKey.accepted(
                    ConfigKey.of("group.share.initialize.retry.interval.ms", ConfigType.intAtLeast(1))
                            .defaultTo(30_000)
                            .importance(LOW)
                            .hidden()
                            .describedAs("Pause before the state of a share partition is initialized again."),
                    Reasons.SHARE),
            KnownKey.accepted(
                    ConfigKey.of("group.share.max.assignment.interval.ms", ConfigType.intAtLeast(0))
                            .defaultTo(15_000)
                            .describedAs("Largest value a share group may set for its assignment interval."),
                    Reasons.SHARE),
            KnownKey.accepted(
                    ConfigKey.of("group.share.max.delivery.count.limit", ConfigType.intBetween(5, 25))
                            .defaultTo(10)
                            .describedAs("Largest value a share group may set for its delivery count."),
                    Reasons.SHARE),
            KnownKey.accepted(
                    ConfigKey.of("group.share.max.heartbeat.interval.ms", ConfigType.intAtLeast(1))
                            .defaultTo(15_000)
                            .describedAs("Largest value a share group may set for its heartbeat interval."),
                    Reasons.SHARE),
            KnownKey.accepted(
                    ConfigKey.of("group.share.max.partition.max.record.locks", ConfigType.intBetween(2000, 10_000))
                            .defaultTo(4000)
                            .describedAs("Largest value a share group may set for its locks per partition."),
                    Reasons.SHARE),
            KnownKey.accepted(
                    ConfigKey.of("group.share.max.record.lock.duration.ms", ConfigType.intBetween(30_000, 3_600_000))
                            .defaultTo(60_000)
                            .describedAs("Largest value a share group may set for its lock duration."),
                    Reasons.SHARE),
            KnownKey.accepted(
                    ConfigKey.of("group.share.max.session.timeout.ms", ConfigType.intAtLeast(1))
                            .defaultTo(60_000)
                            .describedAs("Largest value a share group may set for its session time-out."),
                    Reasons.SHARE),
            KnownKey.accepted(
                    ConfigKey.of("group.share.max.share.sessions", ConfigType.intAtLeast(1))
                            .defaultTo(2000)
                            .describedAs("Most share sessions of one broker."),
                    Reasons.SHARE),
            KnownKey.accepted(
                    ConfigKey.of("group.share.max.size", ConfigType.intBetween(1, 1000))
                            .defaultTo(200)
                            .describedAs("Most members of a share group."),
                    Reasons.SHARE),
            KnownKey.accepted(
                    ConfigKey.of("group.share.min.assignment.interval.ms", ConfigType.intAtLeast(0))
                            .defaultTo(0)
                            .describedAs("Smallest value a share group may set for its assignment interval."),
                    Reasons.SHARE),
            KnownKey.accepted(
                    ConfigKey.of("group.share.min.delivery.count.limit", ConfigType.intBetween(2, 5))
                            .defaultTo(2)
                            .describedAs("Smallest value a share group may set for its delivery count."),
                    Reasons.SHARE),
            KnownKey.accepted(
                    ConfigKey.of("group.share.min.heartbeat.interval.ms", ConfigType.intAtLeast(1))
                            .defaultTo(5000)
                            .describedAs("Smallest value a share group may set for its heartbeat interval."),
                    Reasons.SHARE),
            KnownKey.accepted(
                    ConfigKey.of("group.share.min.partition.max.record.locks", ConfigType.intBetween(100, 2000))
                            .defaultTo(100)
                            .describedAs("Smallest value a share group may set for its locks per partition."),
                    Reasons.SHARE),
            KnownKey.accepted(
                    ConfigKey.of("group.share.min.record.lock.duration.ms", ConfigType.intBetween(1000, 30_000))
                            .defaultTo(15_000)
                            .describedAs("Smallest value a share group may set for its lock duration."),
                    Reasons.SHARE),
            KnownKey.accepted(
                    ConfigKey.of("group.share.min.session.timeout.ms", ConfigType.intAtLeast(1))
                            .defaultTo(45_000)
                            .describedAs("Smallest value a share group may set for its session time-out."),
                    Reasons.SHARE),
            KnownKey.accepted(
                    ConfigKey.of("group.share.partition.max.record.locks", ConfigType.intBetween(100, 10_000))
                            .defaultTo(2000)
                            .describedAs("Most records of a partition a share group may hold locked."),
                    Reasons.SHARE),
            KnownKey.accepted(
                    ConfigKey.of("group.share.persister.class.name", ConfigType.string())
                            .defaultTo("org.apache.kafka.server.share.persister.DefaultStatePersister")
                            .hidden()
                            .describedAs("Class that stores the state of share groups."),
                    Reasons.SHARE),
            KnownKey.accepted(
                    ConfigKey.of("group.share.record.lock.duration.ms", ConfigType.intBetween(1000, 3_600_000))
                            .defaultTo(30_000)
                            .describedAs("How long a record stays locked by the member it was delivered to."),
                    Reasons.SHARE),
            KnownKey.accepted(
                    ConfigKey.of("group.share.session.timeout.ms", ConfigType.intAtLeast(1))
                            .defaultTo(45_000)
                            .describedAs("How long a member of a share group may be silent before it is removed."),
                    Reasons.SHARE),
            KnownKey.accepted(
                    ConfigKey.of("share.coordinator.append.linger.ms", ConfigType.intAtLeast(-1))
                            .defaultTo(-1)
                            .describedAs("How long the share coordinator gathers writes."),
                    Reasons.SHARE),
            KnownKey.accepted(
                            ConfigKey.of("share.coordinator.cached.buffer.max.bytes", ConfigType.intAtLeast(524_288))
                                    .defaultTo(1_048_588)
                                    .describedAs("Largest write buffer the share coordinator keeps for reuse."),
                            Reasons.SHARE)
                    .clusterWide(),
            KnownKey.accepted(
                    ConfigKey.of("share.coordinator.cold.partition.snapshot.interval.ms", ConfigType.intAtLeast(1))
                            .defaultTo(300_000)
                            .importance(LOW)
                            .hidden()
                            .describedAs("How often an idle share partition's state is written in full."),
                    Reasons.SHARE),
            KnownKey.accepted(
                    ConfigKey.of("share.coordinator.load.buffer.size", ConfigType.intAtLeast(1))
                            .defaultTo(5_242_880)
                            .importance(HIGH)
                            .describedAs("How many bytes at a time are read when a share coordinator loads."),
                    Reasons.SHARE),
            KnownKey.accepted(
                    ConfigKey.of(
                                    "share.coordinator.snapshot.update.records.per.snapshot",
                                    ConfigType.intBetween(0, 500))
                            .defaultTo(500)
                            .describedAs("How many updates the share coordinator writes between two full states."),
                    Reasons.SHARE),
            KnownKey.accepted(
                    ConfigKey.of("share.coordinator.state.topic.compression.codec", ConfigType.anyInt())
                            .defaultTo(0)
                            .importance(HIGH)
                            .describedAs("Codec number of the share state topic's batches."),
                    Reasons.SHARE),
            KnownKey.accepted(
                    ConfigKey.of("share.coordinator.state.topic.min.isr", ConfigType.shortAtLeast(1))
                            .defaultTo((short) 2)
                            .importance(HIGH)
                            .describedAs("Fewest in-sync replicas of the share state topic."),
                    Reasons.SHARE),
            KnownKey.accepted(
                    ConfigKey.of("share.coordinator.state.topic.num.partitions", ConfigType.intAtLeast(1))
                            .defaultTo(50)
                            .importance(HIGH)
                            .describedAs("Number of partitions of the share state topic."),
                    Reasons.SHARE),
            KnownKey.accepted(
                    ConfigKey.of("share.coordinator.state.topic.prune.interval.ms", ConfigType.intAtLeast(1))
                            .defaultTo(300_000)
                            .importance(LOW)
                            .hidden()
                            .describedAs("How often superseded records of the share state topic are removed."),
                    Reasons.SHARE),
            KnownKey.accepted(
                    ConfigKey.of("share.coordinator.state.topic.replication.factor", ConfigType.shortAtLeast(1))
                            .defaultTo((short) 3)
                            .importance(HIGH)
                            .describedAs("Replication factor of the share state topic."),
                    Reasons.SHARE),
            KnownKey.accepted(
                    ConfigKey.of("share.coordinator.state.topic.segment.bytes", ConfigType.intAtLeast(1))
                            .defaultTo(104_857_600)
                            .importance(HIGH)
                            .describedAs("Segment size of the share state topic."),
                    Reasons.SHARE),
            KnownKey.accepted(
                    ConfigKey.of("share.coordinator.threads", ConfigType.intAtLeast(1))
                            .defaultTo(1)
                            .describedAs("Threads of the share coordinator."),
                    Reasons.SHARE),
            KnownKey.accepted(
                    ConfigKey.of("share.coordinator.write.timeout.ms", ConfigType.intAtLeast(1))
                            .defaultTo(5000)
                            .importance(HIGH)
                            .describedAs("How long a write of the share coordinator waits for its replicas."),
                    Reasons.SHARE),
            KnownKey.accepted(
                    ConfigKey.of("share.fetch.purgatory.purge.interval.requests", ConfigType.anyInt())
                            .defaultTo(1000)
                            .describedAs("How often share fetches that have ended are swept from the waiting list."),
                    Reasons.SHARE),
            KnownKey.accepted(
                            ConfigKey.of("errors.deadletterqueue.auto.create.topics.enable", ConfigType.bool())
                                    .defaultTo(false)
                                    .describedAs("Whether topics for undeliverable records are created by themselves."),
                            Reasons.SHARE)
                    .clusterWide(),
            KnownKey.accepted(
                            ConfigKey.of("errors.deadletterqueue.topic.name.prefix", ConfigType.string())
                                    .defaultTo("dlq.")
                                    .describedAs("What names of topics for undeliverable records must begin with."),
                            Reasons.SHARE)
                    .clusterWide(),
            KnownKey.accepted(
                    ConfigKey.of("group.streams.acceptable.recovery.lag", ConfigType.longAtLeast(0L))
                            .defaultTo(10_000L)
                            .hidden()
                            .describedAs("How far behind a task's copy may be and still count as caught up."),
                    Reasons.STREAMS),
            KnownKey.accepted(
                            ConfigKey.of("group.streams.assignment.interval.ms", ConfigType.intAtLeast(0))
                                    .defaultTo(1000)
                                    .describedAs("Shortest time between two assignments of one streams group."),
                            Reasons.STREAMS)
                    .clusterWide(),
            KnownKey.accepted(
                            ConfigKey.of("group.streams.assignor.offload.enable", ConfigType.bool())
                                    .defaultTo(true)
                                    .hidden()
                                    .describedAs(
                                            "Whether task assignments are computed away from the coordinator's thread."),
                            Reasons.STREAMS)
                    .clusterWide(),
            KnownKey.accepted(GROUP_STREAMS_ASSIGNORS, Reasons.STREAMS),
            KnownKey.accepted(
                    ConfigKey.of("group.streams.heartbeat.interval.ms", ConfigType.intAtLeast(1))
                            .defaultTo(5000)
                            .describedAs("How often members of streams groups are told to send heartbeats."),
                    Reasons.STREAMS),
            KnownKey.accepted(
                    ConfigKey.of("group.streams.initial.rebalance.delay.ms", ConfigType.intAtLeast(0))
                            .defaultTo(3000)
                            .describedAs("How long a new streams group waits for further members."),
                    Reasons.STREAMS),
            KnownKey.accepted(
                    ConfigKey.of("group.streams.max.assignment.interval.ms", ConfigType.intAtLeast(0))
                            .defaultTo(15_000)
                            .describedAs("Largest value a streams group may set for its assignment interval."),
                    Reasons.STREAMS),
            KnownKey.accepted(
                    ConfigKey.of("group.streams.max.heartbeat.interval.ms", ConfigType.intAtLeast(1))
                            .defaultTo(15_000)
                            .describedAs("Largest value a streams group may set for its heartbeat interval."),
                    Reasons.STREAMS),
            KnownKey.accepted(
                    ConfigKey.of("group.streams.max.session.timeout.ms", ConfigType.intAtLeast(1))
                            .defaultTo(60_000)
                            .describedAs("Largest value a streams group may set for its session time-out."),
                    Reasons.STREAMS),
            KnownKey.accepted(
                    ConfigKey.of("group.streams.max.size", ConfigType.intAtLeast(1))
                            .defaultTo(Integer.MAX_VALUE)
                            .describedAs("Most members of a streams group."),
                    Reasons.STREAMS),
            KnownKey.accepted(
                    ConfigKey.of("group.streams.max.standby.replicas", ConfigType.intAtLeast(0))
                            .defaultTo(2)
                            .describedAs("Largest number of standby copies a streams group may ask for."),
                    Reasons.STREAMS),
            KnownKey.accepted(
                    ConfigKey.of("group.streams.max.warmup.replicas", ConfigType.intAtLeast(0))
                            .defaultTo(20)
                            .hidden()
                            .describedAs("Largest number of copies a streams group may warm up at a time."),
                    Reasons.STREAMS),
            KnownKey.accepted(
                    ConfigKey.of("group.streams.min.assignment.interval.ms", ConfigType.intAtLeast(0))
                            .defaultTo(0)
                            .describedAs("Smallest value a streams group may set for its assignment interval."),
                    Reasons.STREAMS),
            KnownKey.accepted(
                    ConfigKey.of("group.streams.min.heartbeat.interval.ms", ConfigType.intAtLeast(1))
                            .defaultTo(5000)
                            .describedAs("Smallest value a streams group may set for its heartbeat interval."),
                    Reasons.STREAMS),
            KnownKey.accepted(
                    ConfigKey.of("group.streams.min.session.timeout.ms", ConfigType.intAtLeast(1))
                            .defaultTo(45_000)
                            .describedAs("Smallest value a streams group may set for its session time-out."),
                    Reasons.STREAMS),
            KnownKey.accepted(
                    ConfigKey.of("group.streams.min.task.offset.interval.ms", ConfigType.intAtLeast(1))
                            .defaultTo(15_000)
                            .hidden()
                            .describedAs("Smallest value a streams group may set for reporting task offsets."),
                    Reasons.STREAMS),
            KnownKey.accepted(
                    ConfigKey.of("group.streams.num.standby.replicas", ConfigType.intAtLeast(0))
                            .defaultTo(0)
                            .describedAs("Standby copies of each task."),
                    Reasons.STREAMS),
            KnownKey.accepted(
                    ConfigKey.of("group.streams.num.warmup.replicas", ConfigType.intAtLeast(0))
                            .defaultTo(2)
                            .hidden()
                            .describedAs("Copies that may warm up at a time."),
                    Reasons.STREAMS),
            KnownKey.accepted(
                    ConfigKey.of("group.streams.rack.aware.assignment.tags", ConfigType.list())
                            .defaultTo(List.of())
                            .importance(LOW)
                            .describedAs("Client tags by which standby copies are spread."),
                    Reasons.STREAMS),
            KnownKey.accepted(
                    ConfigKey.of("group.streams.session.timeout.ms", ConfigType.intAtLeast(1))
                            .defaultTo(45_000)
                            .describedAs("How long a member of a streams group may be silent before it is removed."),
                    Reasons.STREAMS),
            KnownKey.accepted(
                    ConfigKey.of("group.streams.task.offset.interval.ms", ConfigType.intAtLeast(1))
                            .defaultTo(60_000)
                            .hidden()
                            .describedAs("How often members report the offsets of their tasks."),
                    Reasons.STREAMS),
            KnownKey.later(
                    ConfigKey.of("group.streams.topology.description.plugin.class", ConfigType.className())
                            .describedAs("Class that keeps descriptions of topologies."),
                    Reasons.PLUGIN));

    private GroupKeys() {}
}
