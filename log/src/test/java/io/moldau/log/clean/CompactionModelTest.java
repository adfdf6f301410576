package io.moldau.log.clean;

import static org.assertj.core.api.Assertions.assertThat;

import io.moldau.log.AppendOutcome;
import io.moldau.log.LogConfig;
import io.moldau.log.LogFixture;
import io.moldau.log.PartitionLog;
import io.moldau.log.append.AppendOrigin;
import io.moldau.log.storage.SimulatedStorage;
import io.moldau.log.storage.SimulatedStorage.Unforced;
import io.moldau.testing.MockTime;
import io.moldau.testing.Seeds;
import io.moldau.wire.record.BatchBuilder;
import io.moldau.wire.record.Compression;
import io.moldau.wire.record.ControlRecord;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/// A compacted log beside the list of everything that was written to it: whatever happens, a reader of committed
/// records builds the same map from the log as from all writes.
class CompactionModelTest {

    private static final Path DIRECTORY = Path.of("/data");
    private static final int DELETE_RETENTION_MS = 5_000;

    private enum Fate {
        PLAIN,
        OPEN,
        COMMITTED,
        ABORTED
    }

    private static final class Written {
        final long offset;
        final String key;
        final @Nullable String value;
        final long producerId;
        final long writtenMs;
        Fate fate;

        Written(long offset, String key, @Nullable String value, long producerId, long writtenMs, Fate fate) {
            this.offset = offset;
            this.key = key;
            this.value = value;
            this.producerId = producerId;
            this.writtenMs = writtenMs;
            this.fate = fate;
        }
    }

    /// A log, everything written to it, and a random history of both.
    private static final class History {
        final Random random;
        final MockTime time = new MockTime();
        final SimulatedStorage storage;
        LogFixture fixture;
        final List<Written> written = new ArrayList<>();
        // Of each transactional producer, the next sequence number; those in `open` have a transaction.
        final Map<Long, Integer> sequences = new HashMap<>();
        final Map<Long, Boolean> open = new HashMap<>();
        int values;
        int cleanings;
        final CleanerConfig cleaner;

        History(long seed) {
            random = new Random(seed);
            storage = new SimulatedStorage(time, random);
            // Sometimes the memory takes a few keys only, and a compaction needs several passes.
            cleaner = new CleanerConfig(random.nextInt(3) == 0 ? 150 : 1 << 20, 0.9, 32 << 10);
            fixture = new LogFixture(storage, DIRECTORY, time)
                    .config(LogConfig.DEFAULTS.toBuilder()
                            .segmentBytes(600 + random.nextInt(2_000))
                            .indexIntervalBytes(1 + random.nextInt(200))
                            .compact(true)
                            .delete(false)
                            .minCleanableDirtyRatio(random.nextInt(2) * 0.3)
                            .deleteRetentionMs(DELETE_RETENTION_MS)
                            .fileDeleteDelayMs(random.nextInt(2) * 2_000)
                            .build());
        }

        PartitionLog log() {
            return fixture.log();
        }

        void write() {
            boolean transactional = random.nextInt(3) > 0;
            boolean idempotent = transactional || random.nextBoolean();
            long producerId = idempotent ? (transactional ? 1 : 11) + random.nextInt(3) : -1;
            var builder = new BatchBuilder().compression(Compression.values()[random.nextInt(5)]);
            int count = 1 + random.nextInt(4);
            if (idempotent) {
                builder.producer(producerId, (short) 0, sequences.getOrDefault(producerId, 0))
                        .transactional(transactional);
            }
            var keys = new ArrayList<String>();
            var records = new ArrayList<@Nullable String>();
            for (int i = 0; i < count; i++) {
                var key = "key-" + random.nextInt(9);
                var value = random.nextInt(4) == 0 ? null : "value-" + values++;
                keys.add(key);
                records.add(value);
                builder.append(time.milliseconds(), bytes(key), value == null ? null : bytes(value));
            }
            var outcome =
                    log().appendAsLeader(builder.build(), LogFixture.EPOCH, AppendOrigin.CLIENT, time.milliseconds());
            if (!(outcome instanceof AppendOutcome.Appended appended)) {
                throw new AssertionError(outcome.toString());
            }
            if (idempotent) {
                sequences.merge(producerId, count, Integer::sum);
            }
            if (transactional) {
                open.put(producerId, true);
            }
            for (int i = 0; i < count; i++) {
                written.add(new Written(
                        appended.baseOffset() + i,
                        keys.get(i),
                        records.get(i),
                        producerId,
                        time.milliseconds(),
                        transactional ? Fate.OPEN : Fate.PLAIN));
            }
        }

        static byte[] bytes(String text) {
            return text.getBytes(StandardCharsets.UTF_8);
        }

        void end(long producerId) {
            boolean commit = random.nextBoolean();
            var marker = ControlRecord.endTransactionBatch(
                    producerId, (short) 0, time.milliseconds(), new ControlRecord.EndTransaction(commit, 5));
            log().appendAsLeader(marker, LogFixture.EPOCH, AppendOrigin.TRANSACTION_MARKER, time.milliseconds());
            open.remove(producerId);
            for (var record : written) {
                if (record.producerId == producerId && record.fate == Fate.OPEN) {
                    record.fate = commit ? Fate.COMMITTED : Fate.ABORTED;
                }
            }
        }

        void endSome() {
            for (var producerId : List.copyOf(open.keySet())) {
                if (random.nextBoolean()) {
                    end(producerId);
                }
            }
        }

        void commitAll() {
            log().setHighWatermark(log().view().logEndOffset());
        }

        void clean() {
            // Each call takes the log once, if it is due.
            for (int i = 0; i < 3 && fixture.dirs().cleaner().cleanNext(cleaner, CleaningPace.UNBOUNDED); i++) {
                cleanings++;
            }
        }

        Map<String, String> expected() {
            long upTo = log().lastStableOffset();
            var map = new TreeMap<String, String>();
            for (var record : written) {
                if (record.offset < upTo && record.fate != Fate.ABORTED && record.fate != Fate.OPEN) {
                    apply(map, record.key, record.value);
                }
            }
            return map;
        }

        static void apply(Map<String, String> map, @Nullable String key, @Nullable String value) {
            if (value == null) {
                map.remove(String.valueOf(key));
            } else {
                map.put(String.valueOf(key), value);
            }
        }

        void check() {
            var read = CommittedReader.read(log());
            var map = new TreeMap<String, String>();
            var byOffset = new HashMap<Long, Written>();
            written.forEach(record -> byOffset.put(record.offset, record));
            long last = -1;
            var shown = new TreeMap<String, Long>();
            for (var record : read) {
                assertThat(record.offset()).isGreaterThan(last);
                last = record.offset();
                var original = byOffset.get(record.offset());
                assertThat(original).as("offset %s", record.offset()).isNotNull();
                assertThat(record.key()).isEqualTo(original.key);
                assertThat(record.value()).isEqualTo(original.value);
                assertThat(original.fate).isNotIn(Fate.ABORTED, Fate.OPEN);
                apply(map, record.key(), record.value());
                shown.put(String.valueOf(record.key()), record.offset());
            }
            assertThat(map).isEqualTo(expected());
            // A young tombstone is still to be seen, for readers who are on their way.
            var newest = new TreeMap<String, Written>();
            long upTo = log().lastStableOffset();
            for (var record : written) {
                if (record.offset < upTo && record.fate != Fate.ABORTED && record.fate != Fate.OPEN) {
                    newest.put(record.key, record);
                }
            }
            newest.forEach((key, record) -> {
                if (record.value == null && record.writtenMs > time.milliseconds() - DELETE_RETENTION_MS) {
                    assertThat(shown.get(key)).as("tombstone of %s", key).isEqualTo(record.offset);
                }
            });
        }

        void reopen() {
            fixture.reopen().open();
            commitAll();
        }
    }

    @Seeds(count = 100)
    void theMapOfTheLogIsTheMapOfAllWrites(long seed) {
        var history = new History(seed);
        for (int step = 0; step < 150; step++) {
            switch (history.random.nextInt(20)) {
                case 0, 1, 2 -> history.endSome();
                case 3, 4 -> {
                    history.commitAll();
                    history.clean();
                }
                case 5 -> history.time.advanceMillis(history.random.nextInt(8_000));
                case 6 -> {
                    history.fixture.dirs().runMaintenance(history.time.milliseconds());
                    history.time.advanceMillis(1_000);
                }
                case 7 -> {
                    history.log().flush();
                    switch (history.random.nextInt(4)) {
                        case 0 -> history.fixture.dirs().close();
                        case 1 -> history.storage.killProcess();
                        case 2 -> history.storage.cutPower(Unforced.LOST);
                        default -> history.storage.cutPower(Unforced.RANDOM);
                    }
                    long end = history.written.isEmpty() ? 0 : history.written.getLast().offset + 1;
                    history.reopen();
                    assertThat(history.log().view().logEndOffset()).isGreaterThanOrEqualTo(end);
                }
                case 8 -> history.log().roll();
                default -> history.write();
            }
            history.commitAll();
            history.check();
        }
        List.copyOf(history.open.keySet()).forEach(history::end);
        history.commitAll();
        history.log().roll();
        for (int i = 0; i < 4; i++) {
            history.write();
            List.copyOf(history.open.keySet()).forEach(history::end);
            history.log().roll();
            history.time.advanceMillis(DELETE_RETENTION_MS + 1);
            history.commitAll();
            history.clean();
            history.check();
        }
        assertThat(history.cleanings).isPositive();
    }

    /// Every change of a file or a name during a compaction is the last one before a crash once.
    @Seeds(count = 3)
    void aCrashAtAnyStepLosesNothing(long seed) {
        for (int at = 1; ; at++) {
            var history = new History(seed);
            for (int i = 0; i < 60; i++) {
                history.write();
                if (i % 4 == 3) {
                    history.endSome();
                }
                if (i == 30) {
                    history.commitAll();
                    history.clean();
                    history.time.advanceMillis(DELETE_RETENTION_MS + 1);
                }
            }
            List.copyOf(history.open.keySet()).forEach(history::end);
            history.log().roll();
            history.write();
            history.log().flush();
            history.fixture.dirs().checkpoint();
            history.commitAll();
            long end = history.log().view().logEndOffset();

            history.storage.crashAt(at);
            history.clean();
            boolean crashed = history.storage.hasCrashed();
            switch ((int) ((seed + at) % 3)) {
                case 0 -> history.storage.killProcess();
                case 1 -> history.storage.cutPower(Unforced.LOST);
                default -> history.storage.cutPower(Unforced.RANDOM);
            }
            // The next start may end at any step too.
            history.storage.crashAt(1 + at % 7);
            try {
                history.fixture.reopen().view();
            } catch (RuntimeException e) {
                assertThat(history.storage.hasCrashed()).isTrue();
            }
            history.storage.killProcess();
            history.reopen();
            assertThat(history.log().view().logEndOffset()).isEqualTo(end);
            history.check();
            history.clean();
            history.check();
            history.write();
            history.commitAll();
            history.check();
            if (!crashed) {
                assertThat(at).isGreaterThan(10);
                return;
            }
        }
    }
}
