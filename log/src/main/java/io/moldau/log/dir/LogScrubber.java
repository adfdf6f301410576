package io.moldau.log.dir;

import io.moldau.common.ApiException;
import io.moldau.common.TopicPartition;
import io.moldau.common.time.Time;
import io.moldau.log.LogMetrics;
import io.moldau.log.PartitionLog;
import io.moldau.log.clean.CleaningPace;
import io.moldau.log.scrub.LogScrub;
import io.moldau.log.scrub.Mending;
import io.moldau.log.scrub.SoundRecords;
import io.moldau.log.storage.CorruptLogException;
import io.moldau.log.storage.StorageException;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashMap;
import java.util.Map;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Reads all logs of a node again and again to find damage while there are other copies, and mends what is found, here
/// or by a reader, from those. Makes no thread: who calls [#mendNext] and [#scrubNext] does the work. One caller at a
/// time.
public final class LogScrubber {

    private static final Logger LOG = LoggerFactory.getLogger(LogScrubber.class);
    private static final long FIRST_RETRY_MS = 5_000;
    private static final long LAST_RETRY_MS = 600_000;

    private record Retry(int failures, long atMs) {}

    private final LogDirs dirs;
    private final Time time;
    private final LogMetrics metrics;
    private final RandomGenerator random;
    private final Deque<TopicPartition> left = new ArrayDeque<>();
    private final Map<TopicPartition, Retry> retries = new HashMap<>();
    private long passBeganMs;
    private boolean begun;

    LogScrubber(LogDirs dirs, Time time, LogMetrics metrics, RandomGenerator random) {
        this.dirs = dirs;
        this.time = time;
        this.metrics = metrics;
        this.random = random;
    }

    // ---- mending

    /// Mends one segment, if one is known to be damaged and its time has come.
    ///
    /// @return whether there was one
    public boolean mendNext(SoundRecords source, CleaningPace pace) {
        tell();
        long nowMs = time.milliseconds();
        for (var log : dirs.logs()) {
            var partition = log.topicPartition();
            if (log.damages().isEmpty()) {
                continue;
            }
            var retry = retries.get(partition);
            if ((retry == null || nowMs >= retry.atMs()) && dirs.cleaner().claim(partition)) {
                try {
                    mend(log, source, pace);
                } finally {
                    dirs.cleaner().release(partition);
                }
                return true;
            }
        }
        retries.keySet().removeIf(partition -> {
            var log = dirs.get(partition);
            return log == null || log.damages().isEmpty();
        });
        return false;
    }

    private void tell() {
        int places = 0;
        int hopeless = 0;
        for (var log : dirs.logs()) {
            for (var damage : log.damages()) {
                places++;
                hopeless += damage.hopeless() ? 1 : 0;
            }
        }
        metrics.damages(places, hopeless);
    }

    private void mend(PartitionLog log, SoundRecords source, CleaningPace pace) {
        var damage = log.damages().getFirst();
        try {
            switch (new Mending(log, source, pace).mend(damage)) {
                case MENDED -> {
                    retries.remove(log.topicPartition());
                    LOG.info(
                            "A damaged segment was written anew, with records of another replica partition={} offsets={}-{} file={}",
                            log.topicPartition(),
                            damage.fromOffset(),
                            damage.toOffset(),
                            damage.what());
                    metrics.mended(log.topicPartition());
                }
                case NOT_TO_BE_HAD -> {
                    log.hopeless(damage, true);
                    later(log, "no other replica in sync could give them");
                }
                case LATER -> later(log, "the log changed meanwhile");
            }
        } catch (CorruptLogException | ApiException e) {
            later(log, String.valueOf(e.getMessage()));
        } catch (StorageException e) {
            later(log, "its log directory failed");
        } catch (IOException e) {
            later(log, e.toString());
        }
    }

    private void later(PartitionLog log, String reason) {
        var before = retries.get(log.topicPartition());
        int failures = before == null ? 1 : before.failures() + 1;
        long pause = Math.min(LAST_RETRY_MS, FIRST_RETRY_MS << Math.min(failures - 1, 10));
        retries.put(log.topicPartition(), new Retry(failures, time.milliseconds() + pause));
        LOG.warn(
                "Damaged records are not mended yet partition={} reason=\"{}\" retryInMs={}",
                log.topicPartition(),
                reason,
                pause);
    }

    // ---- looking

    /// Reads one log, if one is due.
    ///
    /// @param intervalMs how long after one pass over all logs began the next one does
    /// @return whether there was one
    public boolean scrubNext(CleaningPace pace, long intervalMs) {
        var log = next(intervalMs);
        if (log == null) {
            return false;
        }
        try {
            long bytes = log.hasFiles() ? new LogScrub(pace).scrub(log) : 0;
            if (bytes >= 0) {
                metrics.scrubbed(bytes, time.milliseconds());
            }
        } catch (StorageException e) {
            LOG.warn("A check of files stopped at a failing log directory path={}", e.directory(), e);
        } catch (ApiException | IOException e) {
            LOG.warn("A log cannot be checked partition={}", log.topicPartition(), e);
        }
        return true;
    }

    private @Nullable PartitionLog next(long intervalMs) {
        long nowMs = time.milliseconds();
        if (left.isEmpty() && (!begun || nowMs - passBeganMs >= intervalMs)) {
            var all = new ArrayList<TopicPartition>();
            dirs.logs().forEach(log -> all.add(log.topicPartition()));
            all.sort(Comparator.comparing(TopicPartition::toString));
            // Else a node that is restarted often would only ever come to the first ones.
            Collections.rotate(all, all.isEmpty() ? 0 : random.nextInt(all.size()));
            left.addAll(all);
            passBeganMs = nowMs;
            begun = true;
        }
        var partition = left.poll();
        while (partition != null) {
            var log = dirs.get(partition);
            if (log != null) {
                return log;
            }
            partition = left.poll();
        }
        return null;
    }
}
