package io.moldau.broker.config;

import static io.moldau.common.config.ConfigKey.Importance.HIGH;

import io.moldau.common.config.ConfigKey;
import io.moldau.common.config.ConfigType;
import java.util.List;

/// Keys about fetching and about replicas.
public final class ReplicationKeys {

    public static final ConfigKey<Integer> FETCH_MAX_BYTES = ConfigKey.of(
                    "fetch.max.bytes", ConfigType.intAtLeast(1024))
            .defaultTo(57_671_680)
            .describedAs("Most bytes one fetch is answered with.");

    public static final ConfigKey<Integer> MAX_INCREMENTAL_FETCH_SESSION_CACHE_SLOTS = ConfigKey.of(
                    "max.incremental.fetch.session.cache.slots", ConfigType.intAtLeast(0))
            .defaultTo(1000)
            .describedAs("Most incremental fetch sessions kept at a time.");

    public static final ConfigKey<String> REPLICA_SELECTOR_CLASS = ConfigKey.of(
                    "replica.selector.class", ConfigType.string())
            .describedAs("How the replica a consumer should read from is chosen: by rack if it ends in "
                    + "`RackAwareReplicaSelector`, or if it is unset and `broker.rack` is set; else the leader.");

    public static final ConfigKey<Long> REPLICA_HIGH_WATERMARK_CHECKPOINT_INTERVAL_MS = ConfigKey.of(
                    "replica.high.watermark.checkpoint.interval.ms", ConfigType.anyLong())
            .defaultTo(5000L)
            .importance(HIGH)
            .describedAs("How often high watermarks are written to their checkpoint file.");

    public static final ConfigKey<Long> REPLICA_LAG_TIME_MAX_MS = ConfigKey.of(
                    "replica.lag.time.max.ms", ConfigType.anyLong())
            .defaultTo(30_000L)
            .importance(HIGH)
            .describedAs("How long a follower may lag before it leaves the in-sync set.");

    public static final ConfigKey<Integer> REPLICA_FETCH_BACKOFF_MS = ConfigKey.of(
                    "replica.fetch.backoff.ms", ConfigType.intAtLeast(0))
            .defaultTo(1000)
            .describedAs("Pause of a follower after a failed fetch.");

    public static final ConfigKey<Integer> REPLICA_FETCH_MAX_BYTES = ConfigKey.of(
                    "replica.fetch.max.bytes", ConfigType.intAtLeast(0))
            .defaultTo(1_048_576)
            .describedAs("Most bytes a follower fetches per partition.");

    public static final ConfigKey<Integer> REPLICA_FETCH_MIN_BYTES = ConfigKey.of(
                    "replica.fetch.min.bytes", ConfigType.anyInt())
            .defaultTo(1)
            .importance(HIGH)
            .describedAs("Fewest bytes a follower's fetch waits for.");

    public static final ConfigKey<Integer> REPLICA_FETCH_RESPONSE_MAX_BYTES = ConfigKey.of(
                    "replica.fetch.response.max.bytes", ConfigType.intAtLeast(0))
            .defaultTo(10_485_760)
            .describedAs("Most bytes one fetch of a follower is answered with.");

    public static final ConfigKey<Integer> REPLICA_FETCH_WAIT_MAX_MS = ConfigKey.of(
                    "replica.fetch.wait.max.ms", ConfigType.anyInt())
            .defaultTo(500)
            .importance(HIGH)
            .describedAs("Longest time a follower's fetch waits at the leader.");

    public static final ConfigKey<Integer> REPLICA_SOCKET_TIMEOUT_MS = ConfigKey.of(
                    "replica.socket.timeout.ms", ConfigType.anyInt())
            .defaultTo(30_000)
            .importance(HIGH)
            .describedAs("Socket time-out of a follower's connection.");

    public static final ConfigKey<Integer> NUM_REPLICA_FETCHERS = ConfigKey.of(
                    "num.replica.fetchers", ConfigType.intAtLeast(1))
            .defaultTo(1)
            .importance(HIGH)
            .describedAs("Number of fetchers per leading broker.");

    public static final ConfigKey<Integer> NUM_REPLICA_ALTER_LOG_DIRS_THREADS = ConfigKey.of(
                    "num.replica.alter.log.dirs.threads", ConfigType.anyInt())
            .importance(HIGH)
            .describedAs("Number of threads that move replicas between log directories. Unset, as many as there are "
                    + "directories.");

    /// Every key of this area, in the order of the documentation.
    static final List<KnownKey> ALL = List.of(
            KnownKey.used(FETCH_MAX_BYTES),
            KnownKey.used(MAX_INCREMENTAL_FETCH_SESSION_CACHE_SLOTS),
            KnownKey.accepted(
                    ConfigKey.of("fetch.purgatory.purge.interval.requests", ConfigType.anyInt())
                            .defaultTo(1000)
                            .describedAs(
                                    "How often the reference sweeps fetches that have ended from its waiting list."),
                    Reasons.WHEEL),
            KnownKey.accepted(
                    ConfigKey.of("producer.purgatory.purge.interval.requests", ConfigType.anyInt())
                            .defaultTo(1000)
                            .describedAs(
                                    "How often the reference sweeps produces that have ended from its waiting list."),
                    Reasons.WHEEL),
            KnownKey.accepted(
                    ConfigKey.of("delete.records.purgatory.purge.interval.requests", ConfigType.anyInt())
                            .defaultTo(1)
                            .describedAs(
                                    "How often the reference sweeps record deletions that have ended from its waiting list."),
                    Reasons.WHEEL),
            KnownKey.used(REPLICA_SELECTOR_CLASS),
            KnownKey.used(REPLICA_HIGH_WATERMARK_CHECKPOINT_INTERVAL_MS),
            KnownKey.used(REPLICA_LAG_TIME_MAX_MS),
            KnownKey.used(REPLICA_FETCH_BACKOFF_MS),
            KnownKey.used(REPLICA_FETCH_MAX_BYTES),
            KnownKey.used(REPLICA_FETCH_MIN_BYTES),
            KnownKey.used(REPLICA_FETCH_RESPONSE_MAX_BYTES),
            KnownKey.used(REPLICA_FETCH_WAIT_MAX_MS),
            KnownKey.accepted(
                    ConfigKey.of("replica.socket.receive.buffer.bytes", ConfigType.anyInt())
                            .defaultTo(65_536)
                            .importance(HIGH)
                            .describedAs("Size of a replication socket's receive buffer."),
                    Reasons.KERNEL),
            KnownKey.used(REPLICA_SOCKET_TIMEOUT_MS),
            KnownKey.used(NUM_REPLICA_FETCHERS).clusterWide(),
            KnownKey.used(NUM_REPLICA_ALTER_LOG_DIRS_THREADS),
            KnownKey.accepted(
                            ConfigKey.of("follower.fetch.last.tiered.offset.enable", ConfigType.bool())
                                    .defaultTo(false)
                                    .describedAs(
                                            "Whether an empty follower begins after the offsets that are in remote storage."),
                            Reasons.TIERED)
                    .clusterWide());

    private ReplicationKeys() {}
}
