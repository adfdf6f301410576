package io.moldau.broker.config;

import static io.moldau.common.config.ConfigKey.Importance.HIGH;
import static io.moldau.common.config.ConfigKey.Importance.LOW;

import io.moldau.common.config.ConfigKey;
import io.moldau.common.config.ConfigType;
import java.util.List;

/// Keys about partition logs: where they are, how they roll, what they keep, what they accept.
public final class LogKeys {

    public static final ConfigKey<List<String>> LOG_DIR = ConfigKey.of("log.dir", ConfigType.list())
            .defaultTo(List.of("data"))
            .importance(HIGH)
            .describedAs("Directory of the partition logs when `log.dirs` is not set.");

    /// In `cordoned.log.dirs`.
    public static final String ALL_DIRECTORIES = "*";

    public static final ConfigKey<List<String>> LOG_DIRS = ConfigKey.of("log.dirs", ConfigType.list())
            .importance(HIGH)
            .describedAs("Directories of the partition logs, separated by commas.");

    public static final ConfigKey<List<String>> CORDONED_LOG_DIRS = ConfigKey.of(
                    "cordoned.log.dirs",
                    ConfigType.list()
                            .checked(
                                    dirs -> dirs.contains(ALL_DIRECTORIES) && dirs.size() > 1
                                            ? "* stands for all, so nothing else may stand beside it"
                                            : "",
                                    "*, or some of log.dirs"))
            .defaultTo(List.of())
            .describedAs(
                    "Log directories that get no new replicas; what is in them stays and is served. `*` stands for "
                            + "all: the controller then gives the broker no replicas.");

    public static final ConfigKey<Integer> LOG_SEGMENT_BYTES = ConfigKey.of(
                    "log.segment.bytes", ConfigType.intAtLeast(1_048_576))
            .defaultTo(1_073_741_824)
            .importance(HIGH)
            .describedAs("Largest size of one log segment.");

    public static final ConfigKey<Long> LOG_ROLL_MS = ConfigKey.of("log.roll.ms", ConfigType.anyLong())
            .importance(HIGH)
            .describedAs("Age after which a new segment is begun even if the old one is not full. Unset, "
                    + "`log.roll.hours` holds.");

    public static final ConfigKey<Integer> LOG_ROLL_HOURS = ConfigKey.of("log.roll.hours", ConfigType.intAtLeast(1))
            .defaultTo(168)
            .importance(HIGH)
            .describedAs("Age in hours after which a new segment is begun, when `log.roll.ms` is not set.");

    public static final ConfigKey<Long> LOG_ROLL_JITTER_MS = ConfigKey.of("log.roll.jitter.ms", ConfigType.anyLong())
            .importance(HIGH)
            .describedAs("Largest random part taken from the rolling age, so that segments do not all roll at once. "
                    + "Unset, `log.roll.jitter.hours` holds.");

    public static final ConfigKey<Integer> LOG_ROLL_JITTER_HOURS = ConfigKey.of(
                    "log.roll.jitter.hours", ConfigType.intAtLeast(0))
            .defaultTo(0)
            .importance(HIGH)
            .describedAs("Largest random part in hours taken from the rolling age, when `log.roll.jitter.ms` is not "
                    + "set.");

    public static final ConfigKey<Long> LOG_RETENTION_MS = ConfigKey.of("log.retention.ms", ConfigType.anyLong())
            .importance(HIGH)
            .describedAs("How long a segment is kept; -1 keeps it for ever. Unset, the minutes hold.");

    public static final ConfigKey<Integer> LOG_RETENTION_MINUTES = ConfigKey.of(
                    "log.retention.minutes", ConfigType.anyInt())
            .importance(HIGH)
            .describedAs("How long a segment is kept in minutes, when `log.retention.ms` is not set.");

    public static final ConfigKey<Integer> LOG_RETENTION_HOURS = ConfigKey.of(
                    "log.retention.hours", ConfigType.anyInt())
            .defaultTo(168)
            .importance(HIGH)
            .describedAs("How long a segment is kept in hours, when neither milliseconds nor minutes are set.");

    public static final ConfigKey<Long> LOG_RETENTION_BYTES = ConfigKey.of("log.retention.bytes", ConfigType.anyLong())
            .defaultTo(-1L)
            .importance(HIGH)
            .describedAs("Size a partition may grow to before old segments go; -1 is no limit.");

    public static final ConfigKey<Long> LOG_RETENTION_CHECK_INTERVAL_MS = ConfigKey.of(
                    "log.retention.check.interval.ms", ConfigType.longAtLeast(1L))
            .defaultTo(300_000L)
            .describedAs("How often the node looks for segments to remove.");

    public static final ConfigKey<Long> LOG_SEGMENT_DELETE_DELAY_MS = ConfigKey.of(
                    "log.segment.delete.delay.ms", ConfigType.longAtLeast(0L))
            .defaultTo(60_000L)
            .importance(HIGH)
            .describedAs("Delay between taking a segment out of a log and removing its files.");

    public static final ConfigKey<List<String>> LOG_CLEANUP_POLICY = ConfigKey.of(
                    "log.cleanup.policy", ConfigType.listOf("compact", "delete"))
            .defaultTo(List.of("delete"))
            .describedAs("What happens to old records: `delete` by age and size, `compact` by key, both, or neither "
                    + "when empty.");

    public static final ConfigKey<Integer> LOG_INDEX_INTERVAL_BYTES = ConfigKey.of(
                    "log.index.interval.bytes", ConfigType.intAtLeast(0))
            .defaultTo(4096)
            .describedAs("How many bytes of records lie between two entries of the offset index.");

    public static final ConfigKey<Integer> LOG_INDEX_SIZE_MAX_BYTES = ConfigKey.of(
                    "log.index.size.max.bytes", ConfigType.intAtLeast(4))
            .defaultTo(10_485_760)
            .describedAs("Largest size of an index file.");

    public static final ConfigKey<Long> LOG_FLUSH_INTERVAL_MESSAGES = ConfigKey.of(
                    "log.flush.interval.messages", ConfigType.longAtLeast(1L))
            .defaultTo(Long.MAX_VALUE)
            .importance(HIGH)
            .describedAs("How many records may wait in the operating system's cache before they are forced to disk.");

    public static final ConfigKey<Long> LOG_FLUSH_INTERVAL_MS = ConfigKey.of(
                    "log.flush.interval.ms", ConfigType.anyLong())
            .importance(HIGH)
            .describedAs("How long records may wait in the operating system's cache before they are forced to disk. "
                    + "Unset, the scheduler's interval holds.");

    public static final ConfigKey<Long> LOG_FLUSH_SCHEDULER_INTERVAL_MS = ConfigKey.of(
                    "log.flush.scheduler.interval.ms", ConfigType.anyLong())
            .defaultTo(Long.MAX_VALUE)
            .importance(HIGH)
            .describedAs("How often the node looks for logs that are due to be forced to disk.");

    public static final ConfigKey<Integer> LOG_FLUSH_OFFSET_CHECKPOINT_INTERVAL_MS = ConfigKey.of(
                    "log.flush.offset.checkpoint.interval.ms", ConfigType.intAtLeast(0))
            .defaultTo(60_000)
            .importance(HIGH)
            .describedAs("How often the recovery points are written to their checkpoint file.");

    public static final ConfigKey<Boolean> LOG_PREALLOCATE = ConfigKey.of("log.preallocate", ConfigType.bool())
            .defaultTo(false)
            .describedAs("Whether a new segment's file gets its full size at once.");

    public static final ConfigKey<String> LOG_MESSAGE_TIMESTAMP_TYPE = ConfigKey.of(
                    "log.message.timestamp.type", ConfigType.oneOf("CreateTime", "LogAppendTime"))
            .defaultTo("CreateTime")
            .describedAs("Whether a record carries the time its producer gave it (`CreateTime`) or that of its "
                    + "append (`LogAppendTime`).");

    public static final ConfigKey<Long> LOG_MESSAGE_TIMESTAMP_BEFORE_MAX_MS = ConfigKey.of(
                    "log.message.timestamp.before.max.ms", ConfigType.longAtLeast(0L))
            .defaultTo(Long.MAX_VALUE)
            .describedAs("How far a producer's timestamp may lie before the broker's clock.");

    public static final ConfigKey<Long> LOG_MESSAGE_TIMESTAMP_AFTER_MAX_MS = ConfigKey.of(
                    "log.message.timestamp.after.max.ms", ConfigType.longAtLeast(0L))
            .defaultTo(3_600_000L)
            .describedAs("How far a producer's timestamp may lie after the broker's clock.");

    public static final ConfigKey<Integer> MESSAGE_MAX_BYTES = ConfigKey.of(
                    "message.max.bytes", ConfigType.intAtLeast(0))
            .defaultTo(1_048_588)
            .importance(HIGH)
            .describedAs("Largest record batch accepted, as it is on the wire.");

    public static final ConfigKey<String> COMPRESSION_TYPE = ConfigKey.of(
                    "compression.type", ConfigType.oneOf("uncompressed", "zstd", "lz4", "snappy", "gzip", "producer"))
            .defaultTo("producer")
            .importance(HIGH)
            .describedAs("Codec of stored batches: `producer` keeps what was sent, `uncompressed` unpacks, another "
                    + "name packs anew.");

    public static final ConfigKey<Integer> COMPRESSION_GZIP_LEVEL = ConfigKey.of(
                    "compression.gzip.level", ConfigType.anyInt().checked(BrokerConfigKeys::gzipLevel, "1 to 9, or -1"))
            .defaultTo(-1)
            .describedAs("Level of gzip when batches are packed anew; -1 is gzip's own default.");

    public static final ConfigKey<Integer> COMPRESSION_LZ4_LEVEL = ConfigKey.of(
                    "compression.lz4.level", ConfigType.intBetween(1, 17))
            .defaultTo(9)
            .describedAs("Level of LZ4 when batches are packed anew.");

    public static final ConfigKey<Integer> COMPRESSION_ZSTD_LEVEL = ConfigKey.of(
                    "compression.zstd.level", ConfigType.intBetween(-131_072, 22))
            .defaultTo(3)
            .describedAs("Level of Zstandard when batches are packed anew.");

    public static final ConfigKey<Integer> NUM_RECOVERY_THREADS_PER_DATA_DIR = ConfigKey.of(
                    "num.recovery.threads.per.data.dir", ConfigType.intAtLeast(1))
            .defaultTo(2)
            .importance(HIGH)
            .describedAs("Threads per log directory that check logs after a crash.");

    public static final ConfigKey<Integer> PRODUCER_ID_EXPIRATION_MS = ConfigKey.of(
                    "producer.id.expiration.ms", ConfigType.intAtLeast(1))
            .defaultTo(86_400_000)
            .importance(LOW)
            .describedAs("How long an idle producer's sequence numbers are remembered.");

    public static final ConfigKey<Integer> PRODUCER_ID_EXPIRATION_CHECK_INTERVAL_MS = ConfigKey.of(
                    "producer.id.expiration.check.interval.ms", ConfigType.intAtLeast(1))
            .defaultTo(600_000)
            .importance(LOW)
            .hidden()
            .describedAs("How often expired producers are looked for.");

    public static final ConfigKey<Boolean> LOG_CLEANER_ENABLE = ConfigKey.of("log.cleaner.enable", ConfigType.bool())
            .defaultTo(true)
            .describedAs("Whether compacted topics are cleaned.");

    public static final ConfigKey<Integer> LOG_CLEANER_THREADS = ConfigKey.of(
                    "log.cleaner.threads", ConfigType.intAtLeast(0))
            .defaultTo(1)
            .describedAs("Number of threads that compact logs.");

    public static final ConfigKey<Long> LOG_CLEANER_BACKOFF_MS = ConfigKey.of(
                    "log.cleaner.backoff.ms", ConfigType.longAtLeast(0L))
            .defaultTo(15_000L)
            .describedAs("Pause of a cleaner that found nothing to do.");

    public static final ConfigKey<Long> LOG_CLEANER_DEDUPE_BUFFER_SIZE = ConfigKey.of(
                    "log.cleaner.dedupe.buffer.size", ConfigType.anyLong())
            .defaultTo(134_217_728L)
            .describedAs("Most memory of all cleaners together for remembering keys; never more than an eighth of the "
                    + "heap. What does not fit takes several passes.");

    public static final ConfigKey<Integer> LOG_CLEANER_IO_BUFFER_SIZE = ConfigKey.of(
                    "log.cleaner.io.buffer.size", ConfigType.intAtLeast(0))
            .defaultTo(524_288)
            .describedAs("Memory of all cleaners together for reading and writing.");

    public static final ConfigKey<Double> LOG_CLEANER_IO_BUFFER_LOAD_FACTOR = ConfigKey.of(
                    "log.cleaner.io.buffer.load.factor", ConfigType.anyDouble())
            .defaultTo(0.9)
            .describedAs("How full the memory for keys may get.");

    public static final ConfigKey<Double> LOG_CLEANER_IO_MAX_BYTES_PER_SECOND = ConfigKey.of(
                    "log.cleaner.io.max.bytes.per.second", ConfigType.anyDouble())
            .defaultTo(Double.MAX_VALUE)
            .describedAs("Most bytes per second all cleaners read and write.");

    public static final ConfigKey<Long> LOG_CLEANER_MIN_COMPACTION_LAG_MS = ConfigKey.of(
                    "log.cleaner.min.compaction.lag.ms", ConfigType.longAtLeast(0L))
            .defaultTo(0L)
            .describedAs("Age below which a record is not compacted.");

    public static final ConfigKey<Long> LOG_CLEANER_MAX_COMPACTION_LAG_MS = ConfigKey.of(
                    "log.cleaner.max.compaction.lag.ms", ConfigType.longAtLeast(1L))
            .defaultTo(Long.MAX_VALUE)
            .describedAs("Age above which a record must be compacted.");

    /// Every key of this area, in the order of the documentation.
    static final List<KnownKey> ALL = List.of(
            KnownKey.used(LOG_DIR),
            KnownKey.used(LOG_DIRS),
            KnownKey.used(CORDONED_LOG_DIRS).perBroker(),
            KnownKey.accepted(
                    ConfigKey.of("log.dir.failure.timeout.ms", ConfigType.longAtLeast(1L))
                            .defaultTo(30_000L)
                            .importance(LOW)
                            .describedAs(
                                    "How long a broker may run with a failed log directory that the controller does not know "
                                            + "of."),
                    Reasons.FENCED_BY_THEN),
            KnownKey.used(LOG_SEGMENT_BYTES).clusterWide(),
            KnownKey.used(LOG_ROLL_MS).clusterWide(),
            KnownKey.used(LOG_ROLL_HOURS),
            KnownKey.used(LOG_ROLL_JITTER_MS).clusterWide(),
            KnownKey.used(LOG_ROLL_JITTER_HOURS),
            KnownKey.used(LOG_RETENTION_MS).clusterWide(),
            KnownKey.used(LOG_RETENTION_MINUTES),
            KnownKey.used(LOG_RETENTION_HOURS),
            KnownKey.used(LOG_RETENTION_BYTES).clusterWide(),
            KnownKey.used(LOG_RETENTION_CHECK_INTERVAL_MS),
            KnownKey.used(LOG_SEGMENT_DELETE_DELAY_MS).clusterWide(),
            KnownKey.used(LOG_CLEANUP_POLICY).clusterWide(),
            KnownKey.used(LOG_INDEX_INTERVAL_BYTES).clusterWide(),
            KnownKey.used(LOG_INDEX_SIZE_MAX_BYTES).clusterWide(),
            KnownKey.used(LOG_FLUSH_INTERVAL_MESSAGES).clusterWide(),
            KnownKey.used(LOG_FLUSH_INTERVAL_MS).clusterWide(),
            KnownKey.used(LOG_FLUSH_SCHEDULER_INTERVAL_MS),
            KnownKey.used(LOG_FLUSH_OFFSET_CHECKPOINT_INTERVAL_MS),
            KnownKey.accepted(
                    ConfigKey.of("log.flush.start.offset.checkpoint.interval.ms", ConfigType.intAtLeast(0))
                            .defaultTo(60_000)
                            .importance(HIGH)
                            .describedAs("How often the reference writes log start offsets to their checkpoint file."),
                    Reasons.STARTS),
            KnownKey.used(LOG_PREALLOCATE).clusterWide(),
            KnownKey.accepted(
                    ConfigKey.of("log.initial.task.delay.ms", ConfigType.longAtLeast(0L))
                            .defaultTo(30_000L)
                            .importance(LOW)
                            .hidden()
                            .describedAs("Delay before the first run of the log's background tasks."),
                    Reasons.STARTS2),
            KnownKey.used(LOG_MESSAGE_TIMESTAMP_TYPE).clusterWide(),
            KnownKey.used(LOG_MESSAGE_TIMESTAMP_BEFORE_MAX_MS).clusterWide(),
            KnownKey.used(LOG_MESSAGE_TIMESTAMP_AFTER_MAX_MS).clusterWide(),
            KnownKey.used(MESSAGE_MAX_BYTES).clusterWide(),
            KnownKey.accepted(
                    ConfigKey.of("max.decompressed.message.bytes", ConfigType.intBetween(1, 2_147_483_639))
                            .defaultTo(2_147_483_639)
                            .describedAs("Most bytes a compressed batch may unfold to when it has to be unfolded."),
                    Reasons.UNPACKED),
            KnownKey.used(COMPRESSION_TYPE).clusterWide(),
            KnownKey.used(COMPRESSION_GZIP_LEVEL).clusterWide(),
            KnownKey.used(COMPRESSION_LZ4_LEVEL).clusterWide(),
            KnownKey.used(COMPRESSION_ZSTD_LEVEL).clusterWide(),
            KnownKey.used(NUM_RECOVERY_THREADS_PER_DATA_DIR),
            KnownKey.used(PRODUCER_ID_EXPIRATION_MS).clusterWide(),
            KnownKey.used(PRODUCER_ID_EXPIRATION_CHECK_INTERVAL_MS),
            KnownKey.used(LOG_CLEANER_ENABLE),
            KnownKey.used(LOG_CLEANER_THREADS).clusterWide(),
            KnownKey.used(LOG_CLEANER_BACKOFF_MS).clusterWide(),
            KnownKey.used(LOG_CLEANER_DEDUPE_BUFFER_SIZE).clusterWide(),
            KnownKey.used(LOG_CLEANER_IO_BUFFER_SIZE).clusterWide(),
            KnownKey.used(LOG_CLEANER_IO_BUFFER_LOAD_FACTOR).clusterWide(),
            KnownKey.used(LOG_CLEANER_IO_MAX_BYTES_PER_SECOND).clusterWide(),
            KnownKey.used(ConfigKey.of("log.cleaner.delete.retention.ms", ConfigType.longAtLeast(0L))
                            .defaultTo(86_400_000L)
                            .describedAs(
                                    "How long a delete marker stays in a compacted log, so that readers can see it."))
                    .clusterWide(),
            KnownKey.used(LOG_CLEANER_MIN_COMPACTION_LAG_MS).clusterWide(),
            KnownKey.used(LOG_CLEANER_MAX_COMPACTION_LAG_MS).clusterWide(),
            KnownKey.used(ConfigKey.of("log.cleaner.min.cleanable.ratio", ConfigType.doubleBetween(0, 1))
                            .defaultTo(0.5)
                            .describedAs("Share of a log that must be uncleaned before it is compacted."))
                    .clusterWide());

    private LogKeys() {}
}
