package io.moldau.broker.config;

import static io.moldau.common.config.ConfigKey.Importance.LOW;

import io.moldau.common.config.ConfigKey;
import io.moldau.common.config.ConfigType;
import java.util.List;

/// Keys about tiered storage.
public final class TieredStorageKeys {

    /// Every key of this area, in the order of the documentation.
    static final List<KnownKey> ALL = List.of(
            KnownKey.accepted(
                            ConfigKey.of("log.local.retention.bytes", ConfigType.longAtLeast(-2L))
                                    .defaultTo(-2L)
                                    .describedAs(
                                            "Size of the part of a tiered log that stays on local disk; -2 follows the whole log's."),
                            Reasons.TIERED)
                    .clusterWide(),
            KnownKey.accepted(
                            ConfigKey.of("log.local.retention.ms", ConfigType.longAtLeast(-2L))
                                    .defaultTo(-2L)
                                    .describedAs(
                                            "Age of the part of a tiered log that stays on local disk; -2 follows the whole log's."),
                            Reasons.TIERED)
                    .clusterWide(),
            KnownKey.accepted(
                            ConfigKey.of("log.remote.copy.lag.bytes", ConfigType.longAtLeast(-1L))
                                    .defaultTo(-1L)
                                    .describedAs(
                                            "How many bytes a segment lies back before it may be copied to remote storage."),
                            Reasons.TIERED)
                    .clusterWide(),
            KnownKey.accepted(
                            ConfigKey.of("log.remote.copy.lag.ms", ConfigType.longAtLeast(-1L))
                                    .defaultTo(0L)
                                    .describedAs("How old a segment is before it may be copied to remote storage."),
                            Reasons.TIERED)
                    .clusterWide(),
            KnownKey.accepted(
                            ConfigKey.of("remote.fetch.max.wait.ms", ConfigType.intAtLeast(1))
                                    .defaultTo(500)
                                    .describedAs("Longest time a fetch waits for remote storage."),
                            Reasons.TIERED)
                    .clusterWide(),
            KnownKey.accepted(
                            ConfigKey.of("remote.list.offsets.request.timeout.ms", ConfigType.longAtLeast(1L))
                                    .defaultTo(30_000L)
                                    .describedAs("How long a search for offsets in remote storage may take."),
                            Reasons.TIERED)
                    .clusterWide(),
            KnownKey.accepted(
                            ConfigKey.of("remote.log.index.file.cache.total.size.bytes", ConfigType.longAtLeast(1L))
                                    .defaultTo(1_073_741_824L)
                                    .importance(LOW)
                                    .describedAs("Disk space for indexes fetched from remote storage."),
                            Reasons.TIERED)
                    .clusterWide(),
            KnownKey.accepted(
                    ConfigKey.of("remote.log.index.file.cache.ttl.ms", ConfigType.longAtLeast(-1L))
                            .defaultTo(900_000L)
                            .importance(LOW)
                            .hidden()
                            .describedAs("How long an index fetched from remote storage is kept."),
                    Reasons.TIERED),
            KnownKey.accepted(
                            ConfigKey.of("remote.log.manager.copier.thread.pool.size", ConfigType.intAtLeast(1))
                                    .defaultTo(10)
                                    .describedAs("Threads that copy segments to remote storage."),
                            Reasons.TIERED)
                    .clusterWide(),
            KnownKey.accepted(
                            ConfigKey.of("remote.log.manager.copy.max.bytes.per.second", ConfigType.longAtLeast(1L))
                                    .defaultTo(Long.MAX_VALUE)
                                    .describedAs("Most bytes per second copied to remote storage."),
                            Reasons.TIERED)
                    .clusterWide(),
            KnownKey.accepted(
                    ConfigKey.of("remote.log.manager.copy.quota.window.num", ConfigType.intAtLeast(1))
                            .defaultTo(11)
                            .describedAs("Number of samples kept for the copying quota."),
                    Reasons.TIERED),
            KnownKey.accepted(
                    ConfigKey.of("remote.log.manager.copy.quota.window.size.seconds", ConfigType.intAtLeast(1))
                            .defaultTo(1)
                            .describedAs("Length of one sample for the copying quota."),
                    Reasons.TIERED),
            KnownKey.accepted(
                            ConfigKey.of("remote.log.manager.expiration.thread.pool.size", ConfigType.intAtLeast(1))
                                    .defaultTo(10)
                                    .describedAs("Threads that remove expired remote segments."),
                            Reasons.TIERED)
                    .clusterWide(),
            KnownKey.accepted(
                            ConfigKey.of("remote.log.manager.fetch.max.bytes.per.second", ConfigType.longAtLeast(1L))
                                    .defaultTo(Long.MAX_VALUE)
                                    .describedAs("Most bytes per second fetched from remote storage."),
                            Reasons.TIERED)
                    .clusterWide(),
            KnownKey.accepted(
                    ConfigKey.of("remote.log.manager.fetch.quota.window.num", ConfigType.intAtLeast(1))
                            .defaultTo(11)
                            .describedAs("Number of samples kept for the fetching quota."),
                    Reasons.TIERED),
            KnownKey.accepted(
                    ConfigKey.of("remote.log.manager.fetch.quota.window.size.seconds", ConfigType.intAtLeast(1))
                            .defaultTo(1)
                            .describedAs("Length of one sample for the fetching quota."),
                    Reasons.TIERED),
            KnownKey.accepted(
                            ConfigKey.of("remote.log.manager.follower.thread.pool.size", ConfigType.intAtLeast(1))
                                    .defaultTo(2)
                                    .describedAs("Threads that serve followers of tiered topics."),
                            Reasons.TIERED)
                    .clusterWide(),
            KnownKey.accepted(
                    ConfigKey.of("remote.log.manager.task.interval.ms", ConfigType.longAtLeast(1L))
                            .defaultTo(30_000L)
                            .importance(LOW)
                            .describedAs("How often copying and expiry run."),
                    Reasons.TIERED),
            KnownKey.accepted(
                    ConfigKey.of("remote.log.manager.task.retry.backoff.max.ms", ConfigType.longAtLeast(1L))
                            .defaultTo(30_000L)
                            .importance(LOW)
                            .hidden()
                            .describedAs("Longest pause before a failed remote task runs again."),
                    Reasons.TIERED),
            KnownKey.accepted(
                    ConfigKey.of("remote.log.manager.task.retry.backoff.ms", ConfigType.longAtLeast(1L))
                            .defaultTo(500L)
                            .importance(LOW)
                            .hidden()
                            .describedAs("First pause before a failed remote task runs again."),
                    Reasons.TIERED),
            KnownKey.accepted(
                    ConfigKey.of("remote.log.manager.task.retry.jitter", ConfigType.doubleBetween(0, 0.5))
                            .defaultTo(0.2)
                            .importance(LOW)
                            .hidden()
                            .describedAs("Random part of the pause before a failed remote task runs again."),
                    Reasons.TIERED),
            KnownKey.accepted(
                    ConfigKey.of("remote.log.manager.thread.pool.size", ConfigType.intAtLeast(1))
                            .defaultTo(2)
                            .describedAs("Threads of the remote log tasks."),
                    Reasons.TIERED),
            KnownKey.accepted(
                    ConfigKey.of("remote.log.metadata.custom.metadata.max.bytes", ConfigType.intAtLeast(0))
                            .defaultTo(128)
                            .importance(LOW)
                            .describedAs("Most bytes of own metadata a remote store may keep per segment."),
                    Reasons.TIERED),
            KnownKey.accepted(
                    ConfigKey.of("remote.log.metadata.manager.class.name", ConfigType.string())
                            .defaultTo(
                                    "org.apache.kafka.server.log.remote.metadata.storage.TopicBasedRemoteLogMetadataManager")
                            .describedAs("Class that keeps the metadata of remote segments."),
                    Reasons.TIERED),
            KnownKey.accepted(
                    ConfigKey.of("remote.log.metadata.manager.class.path", ConfigType.string())
                            .describedAs("Class path of the metadata plugin."),
                    Reasons.TIERED),
            KnownKey.accepted(
                    ConfigKey.of("remote.log.metadata.manager.impl.prefix", ConfigType.string())
                            .defaultTo("rlmm.config.")
                            .describedAs("Prefix of the keys handed to the metadata plugin."),
                    Reasons.TIERED),
            KnownKey.accepted(
                    ConfigKey.of("remote.log.metadata.manager.listener.name", ConfigType.string())
                            .describedAs("Listener the metadata plugin connects to."),
                    Reasons.TIERED),
            KnownKey.accepted(
                    ConfigKey.of("remote.log.reader.max.pending.tasks", ConfigType.intAtLeast(1))
                            .defaultTo(100)
                            .describedAs("Most reads from remote storage that may wait."),
                    Reasons.TIERED),
            KnownKey.accepted(
                            ConfigKey.of("remote.log.reader.threads", ConfigType.intAtLeast(1))
                                    .defaultTo(10)
                                    .describedAs("Threads that read from remote storage."),
                            Reasons.TIERED)
                    .clusterWide(),
            KnownKey.accepted(
                    ConfigKey.of("remote.log.storage.manager.class.name", ConfigType.string())
                            .describedAs("Class that stores segments remotely."),
                    Reasons.TIERED),
            KnownKey.accepted(
                    ConfigKey.of("remote.log.storage.manager.class.path", ConfigType.string())
                            .describedAs("Class path of the storage plugin."),
                    Reasons.TIERED),
            KnownKey.accepted(
                    ConfigKey.of("remote.log.storage.manager.impl.prefix", ConfigType.string())
                            .defaultTo("rsm.config.")
                            .describedAs("Prefix of the keys handed to the storage plugin."),
                    Reasons.TIERED),
            KnownKey.later(
                    ConfigKey.of("remote.log.storage.system.enable", ConfigType.bool())
                            .defaultTo(false)
                            .describedAs("Whether segments may be kept in remote storage at all."),
                    Reasons.TIERED));

    private TieredStorageKeys() {}
}
