package io.moldau.log.recovery;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.moldau.common.ApiException;
import io.moldau.common.Errors;
import io.moldau.log.AbortedTransaction;
import io.moldau.log.AppendOutcome;
import io.moldau.log.LogConfig;
import io.moldau.log.LogFixture;
import io.moldau.log.append.AppendOrigin;
import io.moldau.log.dir.LogDirState;
import io.moldau.log.storage.SimulatedStorage;
import io.moldau.log.storage.SimulatedStorage.Unforced;
import io.moldau.log.storage.StorageException;
import io.moldau.testing.MockTime;
import io.moldau.testing.Seeds;
import io.moldau.wire.record.Compression;
import io.moldau.wire.record.ControlRecord;
import io.moldau.wire.record.RecordBatch;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class CrashRecoveryTest {

    private static final Path DIRECTORY = Path.of("/data");
    private static final Path SEGMENT = DIRECTORY.resolve("topic-0/00000000000000000000.log");

    private final MockTime time = new MockTime();
    private SimulatedStorage storage = new SimulatedStorage(time, new Random(5));

    @Test
    void cutsATornLastBatchAtEveryByte() throws Exception {
        var fixture = new LogFixture(storage, DIRECTORY, time);
        fixture.append(fixture.batch(3));
        fixture.append(fixture.producerBatch(9, 0, 0, 2));
        var before = LogFixture.bytes(fixture.log(), 0, 5);
        fixture.append(fixture.producerBatch(9, 0, 2, 4));
        storage.killProcess();
        var whole = storage.readAll(SEGMENT);

        for (int size = before.remaining(); size <= whole.length; size++) {
            storage.overwrite(SEGMENT, Arrays.copyOf(whole, size));
            var log = fixture.reopen();
            long expected = size == whole.length ? 9 : 5;
            assertThat(log.view().logEndOffset()).as("cut at %s", size).isEqualTo(expected);
            assertThat(LogFixture.bytes(log, 0, 5)).isEqualTo(before);
            assertThat(storage.size(SEGMENT)).isEqualTo(expected == 9 ? whole.length : before.remaining());
            assertThat(log.activeProducers())
                    .singleElement()
                    .satisfies(p -> assertThat(p.lastSequence()).isEqualTo(expected == 9 ? 5 : 1));
            storage.killProcess();
        }
    }

    @Test
    void cutsALastBatchWithAnyByteDamaged() throws Exception {
        var fixture = new LogFixture(storage, DIRECTORY, time);
        fixture.append(fixture.batch(3));
        var before = LogFixture.bytes(fixture.log(), 0, 3);
        fixture.append(fixture.batch(4, Compression.LZ4));
        storage.killProcess();
        var whole = storage.readAll(SEGMENT);

        for (int at = before.remaining(); at < whole.length; at++) {
            var damaged = whole.clone();
            damaged[at] ^= 0x10;
            storage.overwrite(SEGMENT, damaged);
            var log = fixture.reopen();
            int inBatch = at - before.remaining();
            // Neither the leader epoch nor the base offset is covered by the checksum; an offset that is too
            // large cannot be told from one that a leader gave.
            boolean covered = inBatch >= RecordBatch.MAGIC_OFFSET || (inBatch >= 8 && inBatch < 12);
            if (covered) {
                assertThat(log.view().logEndOffset()).as("damaged at %s", at).isEqualTo(3);
            }
            assertThat(LogFixture.bytes(log, 0, 3)).isEqualTo(before);
            storage.killProcess();
            storage.overwrite(SEGMENT, whole);
        }
    }

    @Test
    void aTornTailAndDamagedIndexesCostNothingThatWasWhole() throws Exception {
        var fixture = new LogFixture(storage, DIRECTORY, time);
        for (int i = 0; i < 200; i++) {
            fixture.append(fixture.batch(1));
        }
        // The log's state is on record as clean; then it is damaged while nobody looks.
        fixture.dirs().runMaintenance(time.milliseconds() + 10_000);
        storage.killProcess();
        var whole = storage.readAll(SEGMENT);
        var torn = Arrays.copyOf(whole, whole.length + 77);
        System.arraycopy(whole, 0, torn, whole.length, 40);
        storage.overwrite(SEGMENT, torn);
        var noise = new byte[400];
        new Random(2).nextBytes(noise);
        storage.overwrite(DIRECTORY.resolve("topic-0/00000000000000000000.index"), noise);

        var log = fixture.reopen();
        assertThat(log.view().logEndOffset()).isEqualTo(200);
        assertThat(LogFixture.records(log)).hasSize(200);
        assertThat(fixture.append(fixture.batch(1)))
                .isInstanceOfSatisfying(
                        AppendOutcome.Appended.class,
                        a -> assertThat(a.baseOffset()).isEqualTo(200));
        assertThat(log.offsetForTimestamp(time.milliseconds(), 201)).isNotNull();
        assertThat(storage.size(SEGMENT)).isEqualTo(log.view().sizeInBytes());
    }

    @Test
    void keepsWhatWasFlushedWhateverElseIsLost() {
        var fixture = new LogFixture(storage, DIRECTORY, time);
        fixture.append(fixture.batch(3));
        fixture.log().flush();
        fixture.append(fixture.batch(3));
        storage.cutPower(Unforced.LOST);

        assertThat(fixture.reopen().view().logEndOffset()).isEqualTo(3);
        assertThat(LogFixture.records(fixture.log())).hasSize(3);
    }

    /// A new segment's name counts, and so does the file of leader epochs that was replaced: whoever
    /// makes its name durable must have made its content so.
    @Test
    void keepsFlushedRecordsOfANewSegmentAndTheEpochsBeforeThem() {
        var fixture = new LogFixture(storage, DIRECTORY, time);
        fixture.log().beginEpoch(3);
        fixture.log().appendAsLeader(fixture.batch(3), 3, AppendOrigin.CLIENT, time.milliseconds());
        fixture.log().flush();
        fixture.dirs().checkpoint();
        fixture.log().beginEpoch(5);
        fixture.log().roll();
        fixture.log().appendAsLeader(fixture.batch(2), 5, AppendOrigin.CLIENT, time.milliseconds());
        time.advanceMillis(10_000);
        fixture.dirs().runMaintenance(time.milliseconds());
        fixture.log().appendAsLeader(fixture.batch(2), 5, AppendOrigin.CLIENT, time.milliseconds());
        fixture.log().flushRecords();
        assertThat(fixture.log().flushedUpTo()).isEqualTo(7);
        storage.cutPower(Unforced.LOST);

        var log = fixture.reopen();
        assertThat(log.view().logEndOffset()).isEqualTo(7);
        assertThat(log.endOffsetForEpoch(3).offset()).isEqualTo(3);
        assertThat(log.endOffsetForEpoch(5).offset()).isEqualTo(7);
    }

    @Test
    void flushingRecordsForcesOneFile() {
        var fixture = new LogFixture(storage, DIRECTORY, time);
        fixture.append(fixture.batch(3));
        fixture.log().flushRecords();
        int before = storage.forces();
        fixture.append(fixture.batch(3));
        fixture.append(fixture.batch(3));
        fixture.log().flushRecords();
        assertThat(storage.forces()).isEqualTo(before + 1);
        fixture.log().flushRecords();
        assertThat(storage.forces()).isEqualTo(before + 1);
        assertThat(fixture.log().view().recoveryPoint()).isZero();
    }

    /// What was forced before a cut says nothing of what is written after it.
    @Test
    void aCutTakesTheFlushedEndBack() {
        var fixture = new LogFixture(storage, DIRECTORY, time);
        fixture.append(fixture.batch(3));
        fixture.append(fixture.batch(3));
        fixture.log().flushRecords();
        fixture.log().truncateTo(3);
        fixture.append(fixture.batch(3));
        assertThat(fixture.log().flushedUpTo()).isEqualTo(3);
        fixture.log().truncateFullyAndStartAt(10);
        fixture.append(fixture.batch(3));
        assertThat(fixture.log().flushedUpTo()).isEqualTo(10);
    }

    /// The first aborted transaction of a segment makes its index a file, whose name must be on the disk with it.
    @Test
    void knowsWhichTransactionsWereAbortedWhateverElseIsLost() {
        var fixture = new LogFixture(storage, DIRECTORY, time);
        fixture.append(fixture.producerBatch(9, 0, 0, 2, true));
        fixture.log().flush();
        var marker = ControlRecord.endTransactionBatch(
                9, (short) 0, time.milliseconds(), new ControlRecord.EndTransaction(false, 1));
        fixture.log().appendAsLeader(marker, LogFixture.EPOCH, AppendOrigin.TRANSACTION_MARKER, time.milliseconds());
        fixture.log().flush();
        // From here on recovery takes it as read.
        fixture.dirs().checkpoint();
        storage.cutPower(Unforced.LOST);

        assertThat(fixture.reopen().view().logEndOffset()).isEqualTo(3);
        assertThat(fixture.log().abortedTransactions(0, 3)).containsExactly(new AbortedTransaction(9, 0));
    }

    /// Rounds of appends, rolls, flushes and power cuts: after each, what was acknowledged and flushed is there,
    /// and whatever else is there is a prefix of what was appended.
    @Seeds(count = 100)
    void neverLosesFlushedRecordsNorServesTornOnes(long seed) {
        var random = new Random(seed);
        storage = new SimulatedStorage(time, random);
        var fixture = new LogFixture(storage, DIRECTORY, time);
        fixture.config(LogConfig.DEFAULTS.toBuilder()
                .segmentBytes(600 + random.nextInt(2000))
                .indexIntervalBytes(100)
                .build());
        List<byte[]> expected = new ArrayList<>();
        long flushed = 0;
        int sequence = 0;
        long start = 0;
        for (int round = 0; round < 6; round++) {
            int steps = random.nextInt(40);
            for (int i = 0; i < steps; i++) {
                switch (random.nextInt(12)) {
                    case 0 -> {
                        if (random.nextBoolean()) {
                            fixture.log().flush();
                        } else {
                            fixture.log().flushRecords();
                        }
                        flushed = fixture.log().view().logEndOffset();
                        assertThat(fixture.log().flushedUpTo()).isEqualTo(flushed);
                    }
                    case 1 -> {
                        time.advanceMillis(5_000);
                        fixture.dirs().runMaintenance(time.milliseconds());
                        flushed = Math.max(flushed, fixture.log().view().recoveryPoint());
                    }
                    case 2 -> fixture.log().roll();
                    case 3 -> {
                        var view = fixture.log().view();
                        if (flushed > view.logStartOffset()) {
                            fixture.log().setHighWatermark(flushed);
                            start = view.logStartOffset() + random.nextLong(flushed - view.logStartOffset() + 1);
                            fixture.log().advanceLogStartOffset(start);
                            start = fixture.log().view().logStartOffset();
                        }
                    }
                    default -> {
                        int count = 1 + random.nextInt(4);
                        fixture.append(fixture.producerBatch(9, 0, sequence, count));
                        sequence += count;
                        for (int r = 0; r < count; r++) {
                            expected.add(("value-" + r).getBytes(java.nio.charset.StandardCharsets.UTF_8));
                        }
                    }
                }
            }
            flushed = Math.max(flushed, fixture.log().flushedUpTo());
            switch (random.nextInt(4)) {
                case 0 -> fixture.dirs().close();
                case 1 -> storage.killProcess();
                case 2 -> storage.cutPower(Unforced.LOST);
                default -> storage.cutPower(Unforced.RANDOM);
            }
            var log = fixture.reopen();
            var view = log.view();
            assertThat(view.logEndOffset()).isBetween(flushed, (long) expected.size());
            assertThat(view.logStartOffset()).isEqualTo(start);
            var records = LogFixture.records(log);
            for (int i = 0; i < records.size(); i++) {
                assertThat(records.get(i).offset()).isEqualTo(start + i);
                var value = records.get(i).value();
                assertThat(value).isNotNull();
                var bytes = new byte[value.remaining()];
                value.duplicate().get(bytes);
                assertThat(bytes).isEqualTo(expected.get((int) start + i));
            }
            assertThat(start + records.size()).isEqualTo(view.logEndOffset());
            // What the producer may do next follows from the log that is left.
            expected.subList((int) view.logEndOffset(), expected.size()).clear();
            sequence = expected.size();
            flushed = Math.min(flushed, view.logEndOffset());
        }
    }

    @Test
    void aFailedForceTakesTheDirectoryOfflineForGood() {
        var fixture = new LogFixture(storage, DIRECTORY, time);
        fixture.append(fixture.batch(1));
        var offline = new ArrayList<LogDirState.Offline>();
        fixture.dirs().onOffline(offline::add);
        var log = fixture.log();
        storage.failForces(1);
        assertThatThrownBy(log::flush).isInstanceOf(StorageException.class);
        storage.failForces(0);

        assertThat(offline).hasSize(1);
        assertThat(log.view().recoveryPoint()).isZero();
        assertThatThrownBy(log::flush).isInstanceOf(StorageException.class);
        assertThatThrownBy(() -> log.appendAsFollower(fixture.batch(1))).isInstanceOf(StorageException.class);
        assertThatThrownBy(() -> log.read(0, 100, 1, true)).isInstanceOf(StorageException.class);
        fixture.dirs().close();
        assertThat(storage.exists(DIRECTORY.resolve(CleanShutdownMarker.FILE_NAME)))
                .isFalse();
    }

    @Test
    void aFullDiskRefusesTheAppendAndLosesNothing() {
        var fixture = new LogFixture(storage, DIRECTORY, time);
        fixture.append(fixture.batch(5));
        var log = fixture.log();
        storage.capacity(storage.totalBytes(DIRECTORY) - storage.usableBytes(DIRECTORY) + 100);
        assertThatThrownBy(() -> log.appendAsFollower(fixture.batch(50))).isInstanceOf(RuntimeException.class);
        assertThatThrownBy(() -> fixture.append(fixture.batch(50)))
                .isInstanceOfSatisfying(
                        ApiException.class, e -> assertThat(e.error()).isEqualTo(Errors.KAFKA_STORAGE_ERROR));
        storage.capacity(Long.MAX_VALUE);
        assertThat(fixture.append(fixture.batch(1))).isInstanceOf(AppendOutcome.Appended.class);
        storage.killProcess();

        assertThat(fixture.reopen().view().logEndOffset()).isEqualTo(6);
        assertThat(fixture.append(fixture.batch(50))).isInstanceOf(AppendOutcome.Appended.class);
    }

    @Test
    void refusesALogThatLostAForcedSegment() throws Exception {
        var fixture = new LogFixture(storage, DIRECTORY, time);
        for (int i = 0; i < 4; i++) {
            fixture.append(fixture.batch(5));
            fixture.log().roll();
        }
        fixture.append(fixture.batch(1));
        fixture.log().flush();
        fixture.dirs().checkpoint();
        storage.cutPower(Unforced.LOST);
        storage.delete(DIRECTORY.resolve("topic-0/00000000000000000020.log"));

        fixture.reopen();
        assertThatThrownBy(() -> fixture.log().view()).isInstanceOfSatisfying(ApiException.class, e -> {
            assertThat(e.error()).isEqualTo(Errors.KAFKA_STORAGE_ERROR);
            assertThat(e.getMessage()).contains("topic-0").contains("21");
        });
    }
}
