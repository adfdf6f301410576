package io.moldau.broker.config;

import io.moldau.common.config.ConfigKey;
import io.moldau.common.config.ConfigSchema;
import io.moldau.common.config.ConfigType;
import java.util.List;

/// Keys a topic may override. Each names the broker keys that hold when it does not.
public final class TopicConfigKeys {

    public static final ConfigKey<List<String>> CLEANUP_POLICY = ConfigKey.of(
                    "cleanup.policy", ConfigType.listOf("compact", "delete"))
            .defaultTo(List.of("delete"))
            .standInFor("log.cleanup.policy")
            .describedAs("What happens to old records: `delete` by age and size, `compact` by key, both, or neither "
                    + "when empty.");

    public static final ConfigKey<String> COMPRESSION_TYPE = ConfigKey.of(
                    "compression.type", ConfigType.oneOf("uncompressed", "zstd", "lz4", "snappy", "gzip", "producer"))
            .defaultTo("producer")
            .standInFor("compression.type")
            .describedAs("Codec of stored batches: `producer` keeps what was sent, `uncompressed` unpacks, another "
                    + "name packs anew.");

    public static final ConfigKey<Integer> COMPRESSION_GZIP_LEVEL = ConfigKey.of(
                    "compression.gzip.level", ConfigType.anyInt().checked(BrokerConfigKeys::gzipLevel, "1 to 9, or -1"))
            .defaultTo(-1)
            .standInFor("compression.gzip.level")
            .describedAs("Level of gzip when `compression.type` is gzip; -1 is gzip's own default.");

    public static final ConfigKey<Integer> COMPRESSION_LZ4_LEVEL = ConfigKey.of(
                    "compression.lz4.level", ConfigType.intBetween(1, 17))
            .defaultTo(9)
            .standInFor("compression.lz4.level")
            .describedAs("Level of LZ4 when `compression.type` is lz4.");

    public static final ConfigKey<Integer> COMPRESSION_ZSTD_LEVEL = ConfigKey.of(
                    "compression.zstd.level", ConfigType.intBetween(-131_072, 22))
            .defaultTo(3)
            .standInFor("compression.zstd.level")
            .describedAs("Level of Zstandard when `compression.type` is zstd.");

    public static final ConfigKey<Long> DELETE_RETENTION_MS = ConfigKey.of(
                    "delete.retention.ms", ConfigType.longAtLeast(0L))
            .defaultTo(86_400_000L)
            .standInFor("log.cleaner.delete.retention.ms")
            .describedAs("How long a delete marker stays in a compacted log, so that a reader that began at the "
                    + "start can see it.");

    public static final ConfigKey<Long> FILE_DELETE_DELAY_MS = ConfigKey.of(
                    "file.delete.delay.ms", ConfigType.longAtLeast(0L))
            .defaultTo(60_000L)
            .standInFor("log.segment.delete.delay.ms")
            .describedAs("Delay between taking a segment out of the log and removing its files.");

    public static final ConfigKey<Long> FLUSH_MESSAGES = ConfigKey.of("flush.messages", ConfigType.longAtLeast(1L))
            .defaultTo(Long.MAX_VALUE)
            .standInFor("log.flush.interval.messages")
            .describedAs("How many records may wait in the operating system's cache before they are forced to disk.");

    public static final ConfigKey<Long> FLUSH_MS = ConfigKey.of("flush.ms", ConfigType.longAtLeast(0L))
            .defaultTo(Long.MAX_VALUE)
            .standInFor("log.flush.interval.ms", "log.flush.scheduler.interval.ms")
            .describedAs("How long records may wait in the operating system's cache before they are forced to disk.");

    public static final ConfigKey<Integer> INDEX_INTERVAL_BYTES = ConfigKey.of(
                    "index.interval.bytes", ConfigType.intAtLeast(0))
            .defaultTo(4096)
            .standInFor("log.index.interval.bytes")
            .describedAs("How many bytes of records lie between two entries of the offset index.");

    public static final ConfigKey<Integer> INTERNAL_SEGMENT_BYTES = ConfigKey.of(
                    "internal.segment.bytes", ConfigType.anyInt())
            .hidden()
            .describedAs("Test setting that allows segments smaller than `segment.bytes` does.");

    public static final ConfigKey<Long> MAX_COMPACTION_LAG_MS = ConfigKey.of(
                    "max.compaction.lag.ms", ConfigType.longAtLeast(1L))
            .defaultTo(Long.MAX_VALUE)
            .standInFor("log.cleaner.max.compaction.lag.ms")
            .describedAs("Age above which a record must be compacted.");

    public static final ConfigKey<Integer> MAX_MESSAGE_BYTES = ConfigKey.of(
                    "max.message.bytes", ConfigType.intAtLeast(0))
            .defaultTo(1_048_588)
            .standInFor("message.max.bytes")
            .describedAs("Largest record batch accepted, as it is on the wire.");

    public static final ConfigKey<Long> MESSAGE_TIMESTAMP_AFTER_MAX_MS = ConfigKey.of(
                    "message.timestamp.after.max.ms", ConfigType.longAtLeast(0L))
            .defaultTo(3_600_000L)
            .standInFor("log.message.timestamp.after.max.ms")
            .describedAs("How far a producer's timestamp may lie after the broker's clock.");

    public static final ConfigKey<Long> MESSAGE_TIMESTAMP_BEFORE_MAX_MS = ConfigKey.of(
                    "message.timestamp.before.max.ms", ConfigType.longAtLeast(0L))
            .defaultTo(Long.MAX_VALUE)
            .standInFor("log.message.timestamp.before.max.ms")
            .describedAs("How far a producer's timestamp may lie before the broker's clock.");

    public static final ConfigKey<String> MESSAGE_TIMESTAMP_TYPE = ConfigKey.of(
                    "message.timestamp.type", ConfigType.oneOf("CreateTime", "LogAppendTime"))
            .defaultTo("CreateTime")
            .standInFor("log.message.timestamp.type")
            .describedAs("Whether a record carries the time its producer gave it (`CreateTime`) or that of its "
                    + "append (`LogAppendTime`).");

    public static final ConfigKey<Double> MIN_CLEANABLE_DIRTY_RATIO = ConfigKey.of(
                    "min.cleanable.dirty.ratio", ConfigType.doubleBetween(0, 1))
            .defaultTo(0.5)
            .standInFor("log.cleaner.min.cleanable.ratio")
            .describedAs("Share of the log that must be uncleaned before it is compacted.");

    public static final ConfigKey<Long> MIN_COMPACTION_LAG_MS = ConfigKey.of(
                    "min.compaction.lag.ms", ConfigType.longAtLeast(0L))
            .defaultTo(0L)
            .standInFor("log.cleaner.min.compaction.lag.ms")
            .describedAs("Age below which a record is not compacted.");

    public static final ConfigKey<Integer> MIN_INSYNC_REPLICAS = ConfigKey.of(
                    "min.insync.replicas", ConfigType.intAtLeast(1))
            .defaultTo(1)
            .standInFor("min.insync.replicas")
            .describedAs("Fewest in-sync replicas a write with acks=all needs.");

    public static final ConfigKey<String> DURABILITY = ConfigKey.of(
                    "moldau.durability", ConfigType.oneOf("replicated", "flushed"))
            .defaultTo("replicated")
            .standInFor("moldau.durability")
            .describedAs("When a record is committed, and a write with acks=all answered: `replicated`, when all "
                    + "in-sync replicas have it, be it in memory, as in Kafka; `flushed`, when all of them have forced "
                    + "it to the disk, so that it survives a power cut of all at once.");

    public static final ConfigKey<Boolean> PREALLOCATE = ConfigKey.of("preallocate", ConfigType.bool())
            .defaultTo(false)
            .standInFor("log.preallocate")
            .describedAs("Whether a new segment's file gets its full size at once.");

    public static final ConfigKey<Long> RETENTION_BYTES = ConfigKey.of("retention.bytes", ConfigType.anyLong())
            .defaultTo(-1L)
            .standInFor("log.retention.bytes")
            .describedAs("Size a partition may grow to before old segments go; -1 is no limit.");

    public static final ConfigKey<Long> RETENTION_MS = ConfigKey.of("retention.ms", ConfigType.longAtLeast(-1L))
            .defaultTo(604_800_000L)
            .standInFor("log.retention.ms", "log.retention.minutes", "log.retention.hours")
            .describedAs("How long a segment is kept; -1 keeps it for ever.");

    public static final ConfigKey<Integer> SEGMENT_BYTES = ConfigKey.of(
                    "segment.bytes", ConfigType.intAtLeast(1_048_576))
            .defaultTo(1_073_741_824)
            .standInFor("log.segment.bytes")
            .describedAs("Largest size of one log segment.");

    public static final ConfigKey<Integer> SEGMENT_INDEX_BYTES = ConfigKey.of(
                    "segment.index.bytes", ConfigType.intAtLeast(4))
            .defaultTo(10_485_760)
            .standInFor("log.index.size.max.bytes")
            .describedAs("Largest size of an index file.");

    public static final ConfigKey<Long> SEGMENT_JITTER_MS = ConfigKey.of(
                    "segment.jitter.ms", ConfigType.longAtLeast(0L))
            .defaultTo(0L)
            .standInFor("log.roll.jitter.ms", "log.roll.jitter.hours")
            .describedAs("Largest random part taken from `segment.ms`, so that segments do not all roll at once.");

    public static final ConfigKey<Long> SEGMENT_MS = ConfigKey.of("segment.ms", ConfigType.longAtLeast(1L))
            .defaultTo(604_800_000L)
            .standInFor("log.roll.ms", "log.roll.hours")
            .describedAs("Age after which a new segment is begun even if the old one is not full.");

    public static final ConfigKey<Long> STORAGE_BUDGET_BYTES = ConfigKey.of(
                    "moldau.storage.budget.bytes", ConfigType.longAtLeast(-1L))
            .defaultTo(-1L)
            .describedAs(
                    "What all partitions of the topic may have together on a broker; with more it takes no records "
                            + "while their disk is short of space (`moldau.storage.short.bytes`). -1 is no limit.");

    public static final ConfigKey<Boolean> UNCLEAN_LEADER_ELECTION_ENABLE = ConfigKey.of(
                    "unclean.leader.election.enable", ConfigType.bool())
            .defaultTo(false)
            .standInFor("unclean.leader.election.enable")
            .describedAs("Whether a replica outside the in-sync set may lead when no other is left, which can lose "
                    + "records.");

    public static final ConfigKey<List<String>> FOLLOWER_REPLICATION_THROTTLED_REPLICAS = ConfigKey.of(
                    "follower.replication.throttled.replicas", throttledReplicas())
            .defaultTo(List.of())
            .describedAs("Replicas whose fetching is throttled, each as `partition:broker`, or `*` for all.");

    public static final ConfigKey<List<String>> LEADER_REPLICATION_THROTTLED_REPLICAS = ConfigKey.of(
                    "leader.replication.throttled.replicas", throttledReplicas())
            .defaultTo(List.of())
            .describedAs(
                    "Replicas whose serving of followers is throttled, each as `partition:broker`, or `*` for all.");

    /// Every key of this area, in the order of the documentation.
    static final List<KnownKey> ALL = List.of(
            KnownKey.used(CLEANUP_POLICY).clusterWide(),
            KnownKey.used(COMPRESSION_TYPE).clusterWide(),
            KnownKey.used(COMPRESSION_GZIP_LEVEL).clusterWide(),
            KnownKey.used(COMPRESSION_LZ4_LEVEL).clusterWide(),
            KnownKey.used(COMPRESSION_ZSTD_LEVEL).clusterWide(),
            KnownKey.used(DELETE_RETENTION_MS).clusterWide(),
            KnownKey.accepted(
                            ConfigKey.of("errors.deadletterqueue.group.enable", ConfigType.bool())
                                    .defaultTo(false)
                                    .describedAs("Whether share groups may write undeliverable records to this topic."),
                            Reasons.SHARE)
                    .clusterWide(),
            KnownKey.used(FILE_DELETE_DELAY_MS).clusterWide(),
            KnownKey.used(FLUSH_MESSAGES).clusterWide(),
            KnownKey.used(FLUSH_MS).clusterWide(),
            KnownKey.used(FOLLOWER_REPLICATION_THROTTLED_REPLICAS).clusterWide(),
            KnownKey.used(INDEX_INTERVAL_BYTES).clusterWide(),
            KnownKey.used(INTERNAL_SEGMENT_BYTES).clusterWide(),
            KnownKey.used(LEADER_REPLICATION_THROTTLED_REPLICAS).clusterWide(),
            KnownKey.accepted(
                            ConfigKey.of("local.retention.bytes", ConfigType.longAtLeast(-2L))
                                    .defaultTo(-2L)
                                    .standInFor("log.local.retention.bytes")
                                    .describedAs(
                                            "Size of the part of a tiered log that stays on local disk; -2 follows `retention.bytes`."),
                            Reasons.TIERED)
                    .clusterWide(),
            KnownKey.accepted(
                            ConfigKey.of("local.retention.ms", ConfigType.longAtLeast(-2L))
                                    .defaultTo(-2L)
                                    .standInFor("log.local.retention.ms")
                                    .describedAs(
                                            "Age of the part of a tiered log that stays on local disk; -2 follows `retention.ms`."),
                            Reasons.TIERED)
                    .clusterWide(),
            KnownKey.used(MAX_COMPACTION_LAG_MS).clusterWide(),
            KnownKey.accepted(
                            ConfigKey.of("max.decompressed.message.bytes", ConfigType.intBetween(1, 2_147_483_639))
                                    .defaultTo(2_147_483_639)
                                    .standInFor("max.decompressed.message.bytes")
                                    .describedAs(
                                            "Most bytes a compressed batch may unfold to when it has to be unfolded."),
                            Reasons.UNPACKED)
                    .clusterWide(),
            KnownKey.used(MAX_MESSAGE_BYTES).clusterWide(),
            KnownKey.used(MESSAGE_TIMESTAMP_AFTER_MAX_MS).clusterWide(),
            KnownKey.used(MESSAGE_TIMESTAMP_BEFORE_MAX_MS).clusterWide(),
            KnownKey.used(MESSAGE_TIMESTAMP_TYPE).clusterWide(),
            KnownKey.used(MIN_CLEANABLE_DIRTY_RATIO).clusterWide(),
            KnownKey.used(MIN_COMPACTION_LAG_MS).clusterWide(),
            KnownKey.used(MIN_INSYNC_REPLICAS).clusterWide(),
            KnownKey.used(DURABILITY).clusterWide(),
            KnownKey.used(PREALLOCATE).clusterWide(),
            KnownKey.accepted(
                            ConfigKey.of("remote.copy.lag.bytes", ConfigType.longAtLeast(-1L))
                                    .defaultTo(-1L)
                                    .standInFor("log.remote.copy.lag.bytes")
                                    .describedAs(
                                            "How many bytes a segment lies back before it may be copied to remote storage."),
                            Reasons.TIERED)
                    .clusterWide(),
            KnownKey.accepted(
                            ConfigKey.of("remote.copy.lag.ms", ConfigType.longAtLeast(-1L))
                                    .defaultTo(0L)
                                    .standInFor("log.remote.copy.lag.ms")
                                    .describedAs("How old a segment is before it may be copied to remote storage."),
                            Reasons.TIERED)
                    .clusterWide(),
            KnownKey.accepted(
                            ConfigKey.of("remote.log.copy.disable", ConfigType.bool())
                                    .defaultTo(false)
                                    .describedAs("Whether a tiered topic stops copying and only reads what is there."),
                            Reasons.TIERED)
                    .clusterWide(),
            KnownKey.accepted(
                            ConfigKey.of("remote.log.delete.on.disable", ConfigType.bool())
                                    .defaultTo(false)
                                    .describedAs("Whether remote data goes when the topic stops being tiered."),
                            Reasons.TIERED)
                    .clusterWide(),
            KnownKey.later(
                            ConfigKey.of("remote.storage.enable", ConfigType.bool())
                                    .defaultTo(false)
                                    .describedAs("Whether this topic's segments go to remote storage."),
                            Reasons.TIERED)
                    .clusterWide(),
            KnownKey.used(RETENTION_BYTES).clusterWide(),
            KnownKey.used(RETENTION_MS).clusterWide(),
            KnownKey.used(SEGMENT_BYTES).clusterWide(),
            KnownKey.used(SEGMENT_INDEX_BYTES).clusterWide(),
            KnownKey.used(SEGMENT_JITTER_MS).clusterWide(),
            KnownKey.used(SEGMENT_MS).clusterWide(),
            KnownKey.used(STORAGE_BUDGET_BYTES).clusterWide(),
            KnownKey.used(UNCLEAN_LEADER_ELECTION_ENABLE).clusterWide());

    public static final ConfigSchema SCHEMA = KnownKey.schema(ALL);

    private static ConfigType<List<String>> throttledReplicas() {
        return ConfigType.list().checked(TopicConfigKeys::throttledReplicas, "* or partition:broker pairs");
    }

    /// KIP-73: `*`, or pairs of partition and broker.
    static String throttledReplicas(List<String> value) {
        boolean fine = value.equals(List.of("*")) || value.stream().allMatch(pair -> pair.matches("[0-9]+:[0-9]+"));
        return fine ? "" : "it must be * or a list of [partition]:[broker]";
    }

    private TopicConfigKeys() {}
}
