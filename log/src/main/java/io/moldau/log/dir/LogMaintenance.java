package io.moldau.log.dir;

import io.moldau.common.ApiException;
import io.moldau.common.time.Time;
import io.moldau.log.PartitionLog;
import io.moldau.log.space.SpaceLevel;
import io.moldau.log.storage.StorageException;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// The upkeep of all logs: flushes that are due, checkpoints, retention, deletions. Has no thread
/// of its own; whoever runs it calls [#runOnce] about twice a second, one caller at a time.
public final class LogMaintenance {

    private static final Logger LOG = LoggerFactory.getLogger(LogMaintenance.class);

    /// How often retention looks while a directory is short of space.
    private static final long PRESSED_RETENTION_MS = 1_000;

    /// How long deletions may take in one round, beside the one that is under way then.
    private static final long DELETING_NANOS = TimeUnit.MILLISECONDS.toNanos(150);

    private static final long LATE_DELETING_NANOS = TimeUnit.MILLISECONDS.toNanos(1_000);
    private static final long LATE_MS = 10_000;

    private final Time time;
    private final LogDirs dirs;
    private final LogDirsConfig config;
    private long nextSaveMs;
    private long nextOffsetCheckpointMs;
    private long nextRetentionMs;
    private long nextPressedRetentionMs = Long.MIN_VALUE;
    private long nextProducerExpiryMs;

    LogMaintenance(LogDirs dirs, LogDirsConfig config, Time time) {
        long nowMs = time.milliseconds();
        this.time = time;
        this.dirs = dirs;
        this.config = config;
        this.nextSaveMs = nowMs + config.checkpointIntervalMs();
        this.nextOffsetCheckpointMs = nowMs + config.recoveryPointCheckpointIntervalMs();
        this.nextRetentionMs = nowMs + Math.min(30_000, config.retentionCheckIntervalMs());
        this.nextProducerExpiryMs = nowMs + config.producerIdCheckIntervalMs();
    }

    /// Does what is due.
    public void runOnce(long nowMs) {
        dirs.recovery().report();
        attempt(dirs::flushRolled);
        for (var log : dirs.logs()) {
            if (log.flushIsDue(nowMs)) {
                attempt(log::flush);
            }
        }
        if (nowMs >= nextSaveMs) {
            nextSaveMs = nowMs + config.checkpointIntervalMs();
            attempt(dirs::saveChanged);
        }
        if (nowMs >= nextOffsetCheckpointMs) {
            nextOffsetCheckpointMs = nowMs + config.recoveryPointCheckpointIntervalMs();
            attempt(dirs::writeOffsetCheckpoints);
        }
        if (nowMs >= nextRetentionMs || nowMs >= nextPressedRetentionMs && dirs.isShortOfSpace()) {
            nextRetentionMs = nowMs + config.retentionCheckIntervalMs();
            nextPressedRetentionMs = nowMs + PRESSED_RETENTION_MS;
            attempt(() -> dirs.runRetention(nowMs));
        }
        if (nowMs >= nextProducerExpiryMs) {
            nextProducerExpiryMs = nowMs + config.producerIdCheckIntervalMs();
            dirs.logs().forEach(log -> log.expireProducers(nowMs));
        }
        deleteDoomed(nowMs);
    }

    /// Deletions make the disk busy, and whoever else wants something of it slow; and they keep
    /// this thread from what else is due. So they get a share of the time.
    private void deleteDoomed(long nowMs) {
        // More is let go of than is deleted: what else is due can wait a little, a full disk cannot.
        boolean late = dirs.logs().stream().anyMatch(log -> log.hasOverdueFiles(nowMs - LATE_MS));
        long until = time.nanoseconds() + (late ? LATE_DELETING_NANOS : DELETING_NANOS);
        BooleanSupplier mayGoOn = () -> time.nanoseconds() - until < 0;
        for (PartitionLog log : dirs.logs()) {
            // Where space is short nobody waits for file.delete.delay.ms.
            long dueMs = log.space().level() == SpaceLevel.AMPLE ? nowMs : Long.MAX_VALUE - 1;
            if (log.hasDoomedFiles(dueMs) && mayGoOn.getAsBoolean()) {
                attempt(() -> log.deleteDoomedFiles(dueMs, mayGoOn));
            }
        }
        attempt(() -> dirs.deleteDirectories(nowMs, mayGoOn));
    }

    // A directory that fails has said so and is offline; the others still want their upkeep.
    private static void attempt(Runnable task) {
        try {
            task.run();
        } catch (StorageException e) {
            LOG.warn("Upkeep stopped at a failing log directory path={} cause={}", e.directory(), e.getMessage());
        } catch (ApiException e) {
            // A full disk. What was not done is still to be done, and the next round tries it again.
            LOG.debug("Upkeep has to wait reason={}", e.getMessage());
        }
    }
}
