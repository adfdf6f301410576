package io.moldau.log.dir;

import java.util.function.IntSupplier;
import java.util.random.RandomGenerator;

/// How log directories are kept.
///
/// @param checkpointIntervalMs how often the state of changed partitions is written down
/// @param retentionCheckIntervalMs `log.retention.check.interval.ms`
/// @param recoveryPointCheckpointIntervalMs `log.flush.offset.checkpoint.interval.ms`
/// @param producerIdExpirationMs `producer.id.expiration.ms`, which can change while the node runs
/// @param producerIdCheckIntervalMs `producer.id.expiration.check.interval.ms`
/// @param recoveryThreads `num.recovery.threads.per.data.dir`: how many partitions are made sound at once at
///     start
/// @param readCheckIntervalMs `moldau.read.check.interval.ms`
/// @param byFreeBytes whether a new replica goes where, for the bytes that are free, the fewest
///     are
///     (`moldau.log.dir.placement`)
/// @param random for the names of deleted directories and the jitter of segment rolls
public record LogDirsConfig(
        long checkpointIntervalMs,
        long retentionCheckIntervalMs,
        long recoveryPointCheckpointIntervalMs,
        IntSupplier producerIdExpirationMs,
        int producerIdCheckIntervalMs,
        int recoveryThreads,
        long readCheckIntervalMs,
        boolean byFreeBytes,
        RandomGenerator random) {

    /// Kafka's defaults, where Kafka has the setting.
    public static LogDirsConfig defaults(RandomGenerator random) {
        return new LogDirsConfig(5_000, 300_000, 60_000, () -> 86_400_000, 600_000, 2, 3_600_000, false, random);
    }
}
