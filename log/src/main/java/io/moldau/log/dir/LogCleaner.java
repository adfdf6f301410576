package io.moldau.log.dir;

import io.moldau.common.ApiException;
import io.moldau.common.TopicPartition;
import io.moldau.common.time.Time;
import io.moldau.log.CleaningView;
import io.moldau.log.LogMetrics;
import io.moldau.log.PartitionLog;
import io.moldau.log.clean.CleanerConfig;
import io.moldau.log.clean.Cleaning;
import io.moldau.log.clean.CleaningPace;
import io.moldau.log.clean.CleaningPolicy;
import io.moldau.log.segment.LogSegment;
import io.moldau.log.storage.StorageException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Compacts the logs of a node, the one with the largest dirty share first. Makes no thread: each call of [#cleanNext]
/// takes one log and compacts it on the thread of its caller; several may be at work at once.
///
/// A log that cannot be compacted is left alone for a while, longer after each failure, counted as uncleanable and
/// tried again.
public final class LogCleaner {

    private static final Logger LOG = LoggerFactory.getLogger(LogCleaner.class);
    private static final long FIRST_RETRY_MS = 60_000;
    private static final long LAST_RETRY_MS = 3_600_000;

    /// A log that cannot be compacted and is left alone for a while.
    ///
    /// @param failures in a row
    /// @param retryAtMs when it is tried again, by the wall clock
    /// @param bytes of the log when it failed last
    /// @param reason of the last failure; names the file if it is one
    public record Uncleanable(
            TopicPartition partition, int failures, long retryAtMs, Path directory, long bytes, String reason) {}

    private record Choice(PartitionLog log, CleaningPolicy.Verdict verdict) {}

    private final LogDirs dirs;
    private final Time time;
    private final LogMetrics metrics;
    private final Queue<Cleaning.Workspace> workspaces = new ConcurrentLinkedQueue<>();

    // Both guarded by this.
    private final Set<TopicPartition> inProgress = new HashSet<>();
    private final Map<TopicPartition, Uncleanable> failures = new HashMap<>();

    LogCleaner(LogDirs dirs, Time time, LogMetrics metrics) {
        this.dirs = dirs;
        this.time = time;
        this.metrics = metrics;
    }

    /// Compacts one log, if one is due.
    ///
    /// @return whether there was one, so that it is worth asking again at once
    public boolean cleanNext(CleanerConfig config, CleaningPace pace) {
        var choice = choose();
        if (choice == null) {
            return false;
        }
        var workspace = workspaces.poll();
        if (workspace == null || workspace.ioBytes() != config.ioBytes()) {
            workspace = new Cleaning.Workspace(config.ioBytes());
        }
        try {
            clean(choice, config, workspace, pace);
        } finally {
            workspaces.add(workspace);
            done(choice.log());
        }
        return true;
    }

    /// The logs that could not be compacted and are left alone for a while.
    public synchronized Set<TopicPartition> uncleanable() {
        return Set.copyOf(failures.keySet());
    }

    /// Why this log cannot be compacted; null if nothing is known that speaks against it.
    public synchronized @Nullable Uncleanable uncleanable(TopicPartition partition) {
        return failures.get(partition);
    }

    // ---- which

    private synchronized @Nullable Choice choose() {
        long nowMs = time.milliseconds();
        failures.keySet().removeIf(partition -> dirs.get(partition) == null);
        Choice best = null;
        double dirtiest = 0;
        for (var log : dirs.logs()) {
            if (!log.config().compact() || inProgress.contains(log.topicPartition())) {
                continue;
            }
            var failure = failures.get(log.topicPartition());
            if (failure != null && nowMs < failure.retryAtMs()) {
                continue;
            }
            var verdict = look(log, nowMs);
            if (verdict == null) {
                continue;
            }
            dirtiest = Math.max(dirtiest, verdict.dirtyRatio());
            if (verdict.due()
                    && (best == null || verdict.dirtyRatio() > best.verdict().dirtyRatio())) {
                best = new Choice(log, verdict);
            }
        }
        if (best != null) {
            inProgress.add(best.log().topicPartition());
        }
        metrics.cleanerLooked(dirtiest, nowMs);
        tellUncleanable();
        return best;
    }

    private CleaningPolicy.@Nullable Verdict look(PartitionLog log, long nowMs) {
        try {
            // Most logs can be passed over without opening their files.
            if (!log.hasFiles()
                    || log.view().activeSegmentBaseOffset() <= Math.max(log.cleanedUpTo(), log.logStartOffset())) {
                return null;
            }
            try (var view = log.viewForCleaning()) {
                return view == null ? null : look(log, view, nowMs);
            }
        } catch (StorageException e) {
            // The directory is offline, and has said so.
            return null;
        } catch (ApiException | IOException e) {
            failed(log, e);
            return null;
        }
    }

    private static CleaningPolicy.Verdict look(PartitionLog log, CleaningView view, long nowMs) throws IOException {
        var config = log.config();
        var policy = new CleaningPolicy(
                config.minCleanableDirtyRatio(), config.minCompactionLagMs(), config.maxCompactionLagMs());
        return policy.look(
                view.segments().stream().map(SegmentLook::new).toList(),
                view.cleanedUpTo(),
                view.view().logStartOffset(),
                view.view().logEndOffset(),
                view.lastStableOffset(),
                nowMs);
    }

    private record SegmentLook(LogSegment segment) implements CleaningPolicy.Segment {
        @Override
        public long baseOffset() {
            return segment.baseOffset();
        }

        @Override
        public long sizeInBytes() {
            return segment.sizeInBytes();
        }

        @Override
        public long newestMs() throws IOException {
            return segment.retentionTimestamp();
        }

        @Override
        public long firstMs() throws IOException {
            segment.loadIndexes(ByteBuffer.allocate(4096));
            return segment.firstBatchTimestamp();
        }
    }

    private synchronized void done(PartitionLog log) {
        inProgress.remove(log.topicPartition());
    }

    // ---- compacting

    private void clean(Choice choice, CleanerConfig config, Cleaning.Workspace workspace, CleaningPace pace) {
        var log = choice.log();
        try {
            long from = choice.verdict().firstDirty();
            long upTo = choice.verdict().upTo();
            while (from < upTo) {
                from = cleanOnce(log, from, upTo, config, workspace, pace);
            }
        } catch (StorageException e) {
            LOG.warn("Compaction stopped at a failing log directory path={}", e.directory(), e);
        } catch (IOException | RuntimeException e) {
            // Whatever it was: the log has lost nothing by it, and the others are still to be compacted.
            failed(log, e);
        }
    }

    /// @return where to go on; `upTo` if there is nothing more to do
    private long cleanOnce(
            PartitionLog log,
            long from,
            long upTo,
            CleanerConfig config,
            Cleaning.Workspace workspace,
            CleaningPace pace)
            throws IOException {
        try (var view = log.viewForCleaning()) {
            if (view == null) {
                return upTo;
            }
            long began = time.nanoseconds();
            try {
                var result = new Cleaning(log, view, config, workspace, pace, time.milliseconds()).run(from, upTo);
                return switch (result) {
                    case Cleaning.Result.Ended ignored -> upTo;
                    case Cleaning.Result.Done done -> {
                        log.cleaned(view, done.upTo());
                        succeeded(log, done, time.nanoseconds() - began);
                        yield log.hasChangedSince(view) ? upTo : done.upTo();
                    }
                };
            } catch (IOException e) {
                if (log.hasChangedSince(view)) {
                    LOG.debug("Compaction given up, the log was cut or deleted partition={}", log.topicPartition(), e);
                    return upTo;
                }
                throw e;
            }
        }
    }

    private synchronized void succeeded(PartitionLog log, Cleaning.Result.Done done, long nanos) {
        if (failures.remove(log.topicPartition()) != null) {
            LOG.info("Compaction works again partition={}", log.topicPartition());
            tellUncleanable();
        }
        var stats = done.stats();
        LOG.debug(
                "Compacted partition={} upTo={} before={} after={} keys={} ms={}",
                log.topicPartition(),
                done.upTo(),
                stats.bytesBefore(),
                stats.bytesAfter(),
                stats.keys(),
                nanos / 1_000_000);
        metrics.cleaned(log.topicPartition(), stats, nanos);
    }

    private synchronized void failed(PartitionLog log, Exception cause) {
        var before = failures.get(log.topicPartition());
        int count = before == null ? 1 : before.failures() + 1;
        long pause = Math.min(LAST_RETRY_MS, FIRST_RETRY_MS << Math.min(count - 1, 10));
        failures.put(
                log.topicPartition(),
                new Uncleanable(
                        log.topicPartition(),
                        count,
                        time.milliseconds() + pause,
                        log.logDir(),
                        log.isInDoubt() ? 0 : log.view().sizeInBytes(),
                        String.valueOf(cause.getMessage())));
        LOG.error(
                "A log cannot be compacted and grows until it can; it is tried again partition={} failures={} inMs={}",
                log.topicPartition(),
                count,
                pause,
                cause);
        metrics.cleaningFailed(log.topicPartition());
        tellUncleanable();
    }

    private void tellUncleanable() {
        var counts = new TreeMap<Path, Integer>();
        var bytes = new TreeMap<Path, Long>();
        dirs.directories().forEach(directory -> {
            counts.put(directory.path(), 0);
            bytes.put(directory.path(), 0L);
        });
        failures.values().forEach(failure -> {
            counts.merge(failure.directory(), 1, Integer::sum);
            bytes.merge(failure.directory(), failure.bytes(), Long::sum);
        });
        counts.forEach((directory, count) -> metrics.uncleanable(directory, count, bytes.getOrDefault(directory, 0L)));
    }
}
