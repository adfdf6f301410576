package io.moldau.log.recovery;

import io.moldau.common.ApiException;
import io.moldau.common.TopicIdPartition;
import io.moldau.common.TopicPartition;
import io.moldau.common.Uuid;
import io.moldau.log.AbortedTransaction;
import io.moldau.log.LogConfig;
import io.moldau.log.LogFixture;
import io.moldau.log.PartitionLog;
import io.moldau.log.TimestampAndOffset;
import io.moldau.log.append.AppendOrigin;
import io.moldau.log.clean.CleanerConfig;
import io.moldau.log.clean.CleaningPace;
import io.moldau.log.epoch.LeaderEpochHistory;
import io.moldau.log.producer.ActiveProducer;
import io.moldau.log.storage.SimulatedStorage;
import io.moldau.testing.MockTime;
import io.moldau.wire.record.BatchBuilder;
import io.moldau.wire.record.ControlRecord;
import io.moldau.wire.record.RecordBatch;
import io.moldau.wire.record.RecordBatches;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.jspecify.annotations.Nullable;

/// A log directory with several partitions that have seen everything: transactions, several leader
/// epochs, rolls, deleted records, retention and compaction; with it, what each of them holds.
final class SampleLogs {

    static final Path DIRECTORY = Path.of("/data");

    /// How the process that wrote them ended.
    enum Ending {
        CLEAN,
        /// Killed when everything had been written down.
        KILLED_AT_REST,
        /// Killed while it wrote.
        KILLED
    }

    /// What a partition holds, as far as anybody can see.
    private record Contents(
            long logStartOffset,
            long logEndOffset,
            byte[] batches,
            List<AbortedTransaction> aborted,
            LeaderEpochHistory epochs,
            List<ActiveProducer> producers,
            Map<Long, TimestampAndOffset> byTime) {}

    /// @param refused the partitions that are not served, and what is said of them
    /// @param wrong what is served and is not what was written
    record Outcome(Map<TopicIdPartition, ApiException> refused, List<String> wrong) {}

    private static final LogConfig CONFIG = LogConfig.DEFAULTS.toBuilder()
            .segmentBytes(2_000)
            .indexIntervalBytes(100)
            .fileDeleteDelayMs(0)
            .build();
    private static final LogConfig COMPACT = CONFIG.toBuilder()
            .compact(true)
            .delete(false)
            .minCleanableDirtyRatio(0.01)
            .build();

    private final MockTime time = new MockTime();
    private final long startMs = time.milliseconds();
    private final Random random;
    private final SimulatedStorage storage;
    private final LogFixture fixture;
    private final List<TopicIdPartition> partitions;
    private final Map<TopicIdPartition, Contents> written = new LinkedHashMap<>();
    // Below these a start after a crash has nothing to check.
    private final Map<TopicIdPartition, Long> savedEnds = new HashMap<>();
    private final Map<Long, Integer> sequences = new HashMap<>();

    private SampleLogs(long seed) throws IOException {
        random = new Random(seed);
        storage = new SimulatedStorage(time, random);
        storage.createDirectories(DIRECTORY);
        storage.overwrite(
                DIRECTORY.resolve("meta.properties"),
                ("directory.id=" + new Uuid(seed, seed) + "\n").getBytes(StandardCharsets.UTF_8));
        fixture = new LogFixture(storage, DIRECTORY, time).config(CONFIG);
        partitions = List.of(
                partition(7, "topic", 0),
                partition(7, "topic", 1),
                partition(8, "other", 0),
                partition(9, "compacted", 0));
    }

    private static TopicIdPartition partition(long id, String topic, int number) {
        return new TopicIdPartition(new Uuid(id, id), new TopicPartition(topic, number));
    }

    static SampleLogs write(Ending ending, long seed) throws IOException {
        var logs = new SampleLogs(seed);
        logs.write(ending);
        return logs;
    }

    SimulatedStorage storage() {
        return storage;
    }

    List<TopicIdPartition> partitions() {
        return partitions;
    }

    static Path directory(TopicIdPartition partition) {
        return DIRECTORY.resolve(partition.topicPartition().toString());
    }

    // ---- writing

    private PartitionLog log(TopicIdPartition partition) {
        return fixture.dirs().getOrCreate(partition, isCompacted(partition) ? COMPACT : CONFIG);
    }

    private static boolean isCompacted(TopicIdPartition partition) {
        return partition.topicPartition().topic().equals("compacted");
    }

    private void write(Ending ending) throws IOException {
        for (int round = 0; round < 3; round++) {
            for (var partition : partitions) {
                log(partition).beginEpoch(3 + 2 * round);
                write(partition, 3 + 2 * round, 20 + random.nextInt(8));
            }
            time.advanceMillis(10_000);
        }
        var first = log(partitions.getFirst());
        first.advanceLogStartOffset(first.logStartOffset() + 3);
        fixture.dirs().cleaner().cleanNext(new CleanerConfig(1 << 20, 0.9, 32 << 10), CleaningPace.UNBOUNDED);
        fixture.dirs().flushAll();
        fixture.dirs().checkpoint();
        partitions.forEach(partition -> savedEnds.put(partition, log(partition).logEndOffset()));
        if (ending == Ending.KILLED) {
            for (var partition : partitions) {
                write(partition, 7, 6 + random.nextInt(3));
            }
            var second = log(partitions.get(1));
            second.advanceLogStartOffset(second.logStartOffset() + 30);
            second.deleteOldSegments(time.milliseconds());
            second.deleteDoomedFiles(time.milliseconds());
        }
        for (var partition : partitions) {
            written.put(partition, contents(log(partition)));
        }
        if (ending == Ending.CLEAN) {
            fixture.dirs().close(12L);
        }
        storage.killProcess();
    }

    private void write(TopicIdPartition partition, int epoch, int batches) {
        var log = log(partition);
        long base = 1000L * partitions.indexOf(partition);
        for (int i = 0; i < batches; i++) {
            time.advanceMillis(random.nextInt(50));
            long producer = base + random.nextInt(3);
            boolean transactional = producer == base && !isCompacted(partition);
            append(log, epoch, producer, transactional);
            if (transactional && random.nextBoolean()) {
                var end = new ControlRecord.EndTransaction(random.nextInt(3) == 0, 1);
                log.appendAsLeader(
                        ControlRecord.endTransactionBatch(producer, (short) 0, time.milliseconds(), end),
                        epoch,
                        AppendOrigin.TRANSACTION_MARKER,
                        time.milliseconds());
            }
            log.setHighWatermark(log.logEndOffset());
        }
    }

    private void append(PartitionLog log, int epoch, long producer, boolean transactional) {
        int count = 1 + random.nextInt(3);
        int sequence = sequences.merge(producer, count, Integer::sum) - count;
        var builder = new BatchBuilder().producer(producer, (short) 0, sequence).transactional(transactional);
        for (int i = 0; i < count; i++) {
            var value = new byte[10 + random.nextInt(60)];
            random.nextBytes(value);
            var key = ("key-" + random.nextInt(12)).getBytes(StandardCharsets.UTF_8);
            builder.append(time.milliseconds() - random.nextInt(100), key, value);
        }
        log.appendAsLeader(builder.build(), epoch, AppendOrigin.CLIENT, time.milliseconds());
    }

    // ---- looking

    private Contents contents(PartitionLog log) {
        var view = log.view();
        var batches = LogFixture.bytes(log, view.logStartOffset(), view.logEndOffset());
        var byTime = new LinkedHashMap<Long, TimestampAndOffset>();
        for (long ago = 0; ago < 32_000; ago += 400) {
            long timestamp = startMs + ago;
            byTime.put(timestamp, log.offsetForTimestamp(timestamp, view.logEndOffset()));
        }
        return new Contents(
                view.logStartOffset(),
                view.logEndOffset(),
                batches.array(),
                log.abortedTransactions(view.logStartOffset(), view.logEndOffset()),
                log.leaderEpochs(),
                log.activeProducers(),
                byTime);
    }

    /// Starts on a copy of the directory, whatever was done to it, and compares.
    ///
    /// @param startsMayReturn whether the notes of the last minute are gone altogether, and with
    ///     them where logs
    /// begin
    Outcome start(SimulatedStorage copy, boolean startsMayReturn) {
        var refused = new LinkedHashMap<TopicIdPartition, ApiException>();
        var wrong = new ArrayList<String>();
        var started = new LogFixture(copy, DIRECTORY, time).config(CONFIG);
        for (var partition : partitions) {
            try {
                var log = started.dirs().getOrCreate(partition, isCompacted(partition) ? COMPACT : CONFIG);
                log.open();
                var difference = difference(partition, contents(log), startsMayReturn);
                if (difference != null) {
                    wrong.add(partition.topicPartition() + ": " + difference);
                }
            } catch (ApiException e) {
                refused.put(partition, e);
            } catch (AssertionError e) {
                wrong.add(partition.topicPartition() + ": " + e.getMessage());
            }
        }
        copy.killProcess();
        return new Outcome(refused, wrong);
    }

    private @Nullable String difference(TopicIdPartition partition, Contents now, boolean startsMayReturn) {
        var before = written.get(partition);
        if (before == null) {
            return "was not written";
        }
        var damaged = firstDamaged(now.batches());
        if (damaged != null) {
            return damaged;
        }
        if (now.logStartOffset() != before.logStartOffset() && !startsMayReturn) {
            return "begins at " + now.logStartOffset() + ", not at " + before.logStartOffset();
        }
        if (now.logEndOffset() < before.logEndOffset()) {
            // Damage behind what was written down cannot be told from what a kill tears.
            return now.logEndOffset() >= savedEnds.getOrDefault(partition, 0L)
                            && isPrefix(now.batches(), before.batches())
                    ? null
                    : "ends at " + now.logEndOffset() + ", not at " + before.logEndOffset();
        }
        if (now.logEndOffset() != before.logEndOffset()) {
            return "ends at " + now.logEndOffset() + ", not at " + before.logEndOffset();
        }
        if (now.logStartOffset() < before.logStartOffset()) {
            return null;
        }
        if (!Arrays.equals(now.batches(), before.batches())) {
            return "has other batches";
        }
        if (!now.aborted().equals(before.aborted())) {
            return "has aborted transactions " + now.aborted() + ", not " + before.aborted();
        }
        if (!sameEpochs(now, before)) {
            return "has epochs " + now.epochs() + ", not " + before.epochs();
        }
        if (!now.producers().equals(before.producers())) {
            return "has producers " + now.producers() + ", not " + before.producers();
        }
        if (!now.byTime().equals(before.byTime())) {
            return "has times " + now.byTime() + ", not " + before.byTime();
        }
        return null;
    }

    /// Where records are gone, a history that was built again from the others may let an epoch
    /// begin later.
    private static boolean sameEpochs(Contents now, Contents before) {
        return now.epochs().equals(before.epochs())
                || RecordBatches.toList(ByteBuffer.wrap(before.batches())).stream()
                        .allMatch(batch -> now.epochs().epochForOffset(batch.baseOffset())
                                == before.epochs().epochForOffset(batch.baseOffset()));
    }

    private static boolean isPrefix(byte[] some, byte[] all) {
        return some.length <= all.length && Arrays.equals(some, 0, some.length, all, 0, some.length);
    }

    private static @Nullable String firstDamaged(byte[] bytes) {
        for (RecordBatch batch : RecordBatches.toList(ByteBuffer.wrap(bytes))) {
            if (!batch.isCrcValid()) {
                return "serves a damaged batch at offset " + batch.baseOffset();
            }
        }
        return null;
    }
}
