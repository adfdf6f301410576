package io.moldau.log;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.moldau.common.ApiException;
import io.moldau.common.Errors;
import io.moldau.common.OffsetAndEpoch;
import io.moldau.log.append.AppendOrigin;
import io.moldau.log.storage.NioLogStorage;
import io.moldau.testing.MockTime;
import io.moldau.wire.record.BatchBuilder;
import io.moldau.wire.record.Compression;
import io.moldau.wire.record.ControlRecord;
import io.moldau.wire.record.RecordBatch;
import io.moldau.wire.record.TimestampType;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PartitionLogTest {

    @TempDir
    Path directory;

    private LogFixture fixture;
    private final MockTime time = new MockTime();

    @BeforeEach
    void open() {
        fixture = new LogFixture(new NioLogStorage(), directory, time);
    }

    @Test
    void aNewLogIsEmptyAndHasNoFiles() {
        assertThat(fixture.log().view()).isEqualTo(LogView.EMPTY);
        assertThat(directory.resolve("topic-0")).doesNotExist();
        assertThat(fixture.log().read(0, 100, 10, true)).isEqualTo(new ReadOutcome.Slice(LogSlice.empty()));
        assertThat(fixture.log().read(1, 100, 10, true)).isEqualTo(new ReadOutcome.OutOfRange(0, 0));
    }

    @Test
    void stampsOffsetAndEpochInTheGivenBuffer() {
        fixture.append(fixture.batch(3));
        var given = fixture.batch(2);
        var outcome = fixture.append(given);

        assertThat(outcome).isEqualTo(new AppendOutcome.Appended(3, 4, -1, 0, time.milliseconds() + 1, null));
        var batch = RecordBatch.at(given);
        assertThat(batch.baseOffset()).isEqualTo(3);
        assertThat(batch.partitionLeaderEpoch()).isEqualTo(LogFixture.EPOCH);
        assertThat(given.position()).isZero();
        assertThat(LogFixture.bytes(fixture.log(), 3, 5)).isEqualTo(given);
        assertThat(fixture.log().view().latestEpoch()).isEqualTo(LogFixture.EPOCH);
    }

    @Test
    void writesDirectBuffersAtAnyPosition() {
        var batch = fixture.batch(2);
        var direct = ByteBuffer.allocateDirect(batch.remaining() + 20);
        direct.position(7).put(batch.duplicate()).flip().position(7);

        assertThat(fixture.append(direct)).isInstanceOf(AppendOutcome.Appended.class);
        assertThat(direct.position()).isEqualTo(7);
        assertThat(LogFixture.bytes(fixture.log(), 0, 2)).isEqualTo(direct);
    }

    @Test
    void readsFromTheBatchThatHoldsTheOffset() {
        fixture.append(fixture.batch(10));
        fixture.append(fixture.batch(10));
        var log = fixture.log();

        assertThat(LogFixture.bytes(log, 15, 20).remaining())
                .isEqualTo(LogFixture.bytes(log, 10, 20).remaining());
        // Up to the high watermark only.
        assertThat(LogFixture.bytes(log, 0, 10).remaining())
                .isEqualTo(LogFixture.bytes(log, 0, 20).remaining() / 2);
        assertThat(log.read(20, 100, 20, true)).isEqualTo(new ReadOutcome.Slice(LogSlice.empty()));
        assertThat(log.read(21, 100, 30, true)).isEqualTo(new ReadOutcome.OutOfRange(0, 20));
    }

    @Test
    void aLimitSmallerThanTheFirstBatchDecides() {
        fixture.append(fixture.batch(10));
        var log = fixture.log();

        assertThat(sizeOf(log.read(0, 1, 10, true)))
                .isEqualTo(LogFixture.bytes(log, 0, 10).remaining());
        assertThat(sizeOf(log.read(0, 1, 10, false))).isZero();
    }

    private static int sizeOf(ReadOutcome outcome) {
        return outcome instanceof ReadOutcome.Slice(LogSlice slice) ? slice.sizeInBytes() : -1;
    }

    @Test
    void rollsBySizeAndReadsAcrossSegments() throws Exception {
        fixture.config(LogConfig.DEFAULTS.toBuilder().segmentBytes(1000).build());
        for (int i = 0; i < 30; i++) {
            fixture.append(fixture.batch(5));
        }
        assertThat(LogFixture.records(fixture.log())).hasSize(150);
        try (var files = Files.list(directory.resolve("topic-0"))) {
            assertThat(files.filter(f -> f.toString().endsWith(".log"))).hasSize(5);
        }
    }

    @Test
    void rollsByTimeOfTheData() {
        fixture.config(LogConfig.DEFAULTS.toBuilder().segmentMs(1000).build());
        fixture.append(fixture.batch(1));
        time.advanceMillis(1001);
        fixture.append(fixture.batch(1));
        assertThat(fixture.log().view().activeSegmentBaseOffset()).isEqualTo(1);
    }

    @Test
    void findsEverythingAgainAfterACleanStop() {
        fixture.append(fixture.batch(3));
        fixture.append(fixture.batch(2));
        fixture.log().setHighWatermark(4);
        fixture.dirs().close(17);

        var log = fixture.reopen();
        assertThat(fixture.dirs().previousBrokerEpoch()).isEqualTo(17);
        assertThat(log.view().logEndOffset()).isEqualTo(5);
        assertThat(log.view().recoveryPoint()).isEqualTo(5);
        assertThat(log.highWatermark()).isEqualTo(4);
        assertThat(LogFixture.records(log)).hasSize(5);
        assertThat(fixture.append(fixture.batch(1)))
                .isInstanceOfSatisfying(
                        AppendOutcome.Appended.class,
                        a -> assertThat(a.baseOffset()).isEqualTo(5));
    }

    @Test
    void refusesWhatKafkaRefuses() {
        var corrupt = fixture.batch(1);
        corrupt.put(corrupt.limit() - 1, (byte) (corrupt.get(corrupt.limit() - 1) ^ 1));
        assertThat(rejection(corrupt)).isEqualTo(Errors.CORRUPT_MESSAGE);

        fixture.config(LogConfig.DEFAULTS.toBuilder().maxMessageBytes(100).build());
        assertThat(rejection(fixture.batch(50))).isEqualTo(Errors.MESSAGE_TOO_LARGE);
        fixture.config(LogConfig.DEFAULTS.toBuilder().segmentBytes(100).build());
        assertThat(rejection(fixture.batch(50))).isEqualTo(Errors.RECORD_LIST_TOO_LARGE);
        fixture.config(LogConfig.DEFAULTS);

        assertThat(rejection(ByteBuffer.allocate(0))).isEqualTo(Errors.INVALID_RECORD);
        var old = fixture.batch(1);
        old.put(RecordBatch.MAGIC_OFFSET, (byte) 1);
        assertThat(rejection(old)).isEqualTo(Errors.INVALID_RECORD);

        var two = ByteBuffer.allocate(1000);
        two.put(fixture.batch(1)).put(fixture.batch(1)).flip();
        assertThat(rejection(two)).isEqualTo(Errors.INVALID_RECORD);

        assertThat(rejection(
                        ControlRecord.endTransactionBatch(1, (short) 0, 0, new ControlRecord.EndTransaction(true, 0))))
                .isEqualTo(Errors.INVALID_RECORD);
        assertThat(rejection(
                        new BatchBuilder().baseOffset(5).append(1, null, null).build()))
                .isEqualTo(Errors.INVALID_RECORD);
        assertThat(fixture.log().view().logEndOffset()).isZero();
    }

    private Errors rejection(ByteBuffer batch) {
        var outcome = fixture.append(batch);
        assertThat(outcome).isInstanceOf(AppendOutcome.Rejected.class);
        return ((AppendOutcome.Rejected) outcome).error();
    }

    @Test
    void namesKeylessRecordsOnACompactedTopic() {
        fixture.config(
                LogConfig.DEFAULTS.toBuilder().compact(true).delete(false).build());
        for (var codec : Compression.values()) {
            var batch = new BatchBuilder()
                    .compression(codec)
                    .append(1, new byte[1], new byte[1])
                    .append(1, null, new byte[1])
                    .append(1, new byte[1], null)
                    .build();
            assertThat(fixture.append(batch)).isInstanceOfSatisfying(AppendOutcome.Rejected.class, r -> {
                assertThat(r.error()).isEqualTo(Errors.INVALID_RECORD);
                assertThat(r.recordErrors())
                        .extracting(AppendOutcome.RecordError::batchIndex)
                        .containsExactly(1);
            });
        }
        assertThat(fixture.append(
                        new BatchBuilder().append(1, new byte[1], null).build()))
                .isInstanceOf(AppendOutcome.Appended.class);
    }

    @Test
    void namesRecordsWhoseTimeIsOutOfBounds() {
        fixture.config(LogConfig.DEFAULTS.toBuilder()
                .timestampBeforeMaxMs(1000)
                .timestampAfterMaxMs(1000)
                .build());
        long now = time.milliseconds();
        var batch = new BatchBuilder()
                .compression(Compression.GZIP)
                .append(now, null, new byte[1])
                .append(now - 1001, null, new byte[1])
                .append(now + 1001, null, new byte[1])
                .append(-1, null, new byte[1])
                .build();
        assertThat(fixture.append(batch)).isInstanceOfSatisfying(AppendOutcome.Rejected.class, r -> {
            assertThat(r.error()).isEqualTo(Errors.INVALID_TIMESTAMP);
            assertThat(r.recordErrors())
                    .extracting(AppendOutcome.RecordError::batchIndex)
                    .containsExactly(1, 2);
        });
    }

    @Test
    void stampsLogAppendTime() {
        fixture.config(LogConfig.DEFAULTS.toBuilder()
                .timestampType(TimestampType.LOG_APPEND_TIME)
                .build());
        var batch = new BatchBuilder()
                .compression(Compression.GZIP)
                .append(1000, null, new byte[1])
                .append(2000, null, new byte[1])
                .build();
        assertThat(fixture.append(batch))
                .isInstanceOfSatisfying(
                        AppendOutcome.Appended.class,
                        a -> assertThat(a.logAppendTimeMs()).isEqualTo(time.milliseconds()));
        assertThat(LogFixture.records(fixture.log()))
                .allMatch(r -> r.timestamp() == time.milliseconds())
                .hasSize(2);
    }

    @Test
    void compressesAsTheTopicAsks() {
        for (var codec : Compression.values()) {
            fixture.config(LogConfig.DEFAULTS.toBuilder().compression(codec).build());
            for (var sent : Compression.values()) {
                long before = fixture.log().view().logEndOffset();
                var outcome = (AppendOutcome.Appended) fixture.append(fixture.batch(20, sent));
                assertThat(outcome.rewritten() == null).isEqualTo(codec == sent);
                assertThat(outcome.baseOffset()).isEqualTo(before);
                var stored = RecordBatch.at(
                        LogFixture.bytes(fixture.log(), before, before + 20).duplicate());
                assertThat(stored.compression()).isEqualTo(codec);
                assertThat(stored.isCrcValid()).isTrue();
                if (outcome.rewritten() != null) {
                    assertThat(outcome.rewritten()).isEqualTo(LogFixture.bytes(fixture.log(), before, before + 20));
                }
            }
        }
        assertThat(LogFixture.records(fixture.log()))
                .allMatch(r -> r.key() != null && r.value() != null)
                .hasSize(500);
    }

    @Test
    void answersRepeatedBatchesWithTheirFirstOffset() {
        for (int i = 0; i < 6; i++) {
            fixture.append(fixture.producerBatch(9, 0, i * 2, 2));
        }
        for (int i = 1; i < 6; i++) {
            assertThat(fixture.append(fixture.producerBatch(9, 0, i * 2, 2)))
                    .isEqualTo(new AppendOutcome.Duplicate(i * 2, i * 2 + 1, -1, 0));
        }
        assertThat(rejection(fixture.producerBatch(9, 0, 0, 2))).isEqualTo(Errors.OUT_OF_ORDER_SEQUENCE_NUMBER);
        assertThat(rejection(fixture.producerBatch(9, 0, 13, 2))).isEqualTo(Errors.OUT_OF_ORDER_SEQUENCE_NUMBER);
        assertThat(rejection(fixture.producerBatch(9, 1, 5, 2))).isEqualTo(Errors.OUT_OF_ORDER_SEQUENCE_NUMBER);
        assertThat(fixture.append(fixture.producerBatch(9, 1, 0, 2))).isInstanceOf(AppendOutcome.Appended.class);
        assertThat(rejection(fixture.producerBatch(9, 0, 12, 2))).isEqualTo(Errors.INVALID_PRODUCER_EPOCH);
    }

    @Test
    void keepsFiveBatchesOverAStopAndACrash() {
        for (int i = 0; i < 6; i++) {
            fixture.append(fixture.producerBatch(9, 0, i * 2, 2));
        }
        fixture.dirs().close();
        fixture.reopen();
        assertFiveDuplicates();

        fixture.append(fixture.producerBatch(9, 0, 12, 2));
        crash();
        fixture.reopen();
        for (int i = 2; i < 7; i++) {
            assertThat(fixture.append(fixture.producerBatch(9, 0, i * 2, 2)))
                    .isEqualTo(new AppendOutcome.Duplicate(i * 2, i * 2 + 1, -1, 0));
        }
    }

    private void assertFiveDuplicates() {
        for (int i = 1; i < 6; i++) {
            assertThat(fixture.append(fixture.producerBatch(9, 0, i * 2, 2)))
                    .isEqualTo(new AppendOutcome.Duplicate(i * 2, i * 2 + 1, -1, 0));
        }
    }

    /// As kill -9 leaves it: what was written is in the page cache, nothing was closed.
    private void crash() {
        fixture.dirs().abandon();
    }

    @Test
    void deletedRecordsStayDeletedAfterACrash() {
        for (int i = 0; i < 10; i++) {
            fixture.append(fixture.batch(1));
        }
        fixture.log().setHighWatermark(8);
        assertThatThrownBy(() -> fixture.log().advanceLogStartOffset(9))
                .isInstanceOfSatisfying(
                        ApiException.class, e -> assertThat(e.error()).isEqualTo(Errors.OFFSET_OUT_OF_RANGE));
        fixture.log().advanceLogStartOffset(6);
        crash();

        var log = fixture.reopen();
        assertThat(log.view().logStartOffset()).isEqualTo(6);
        assertThat(log.view().logEndOffset()).isEqualTo(10);
        assertThat(log.read(5, 100, 10, true)).isEqualTo(new ReadOutcome.OutOfRange(6, 10));
    }

    @Test
    void holdsBackOpenTransactionsAndNamesAbortedOnes() {
        var log = fixture.log();
        fixture.append(fixture.batch(1));
        fixture.append(fixture.producerBatch(9, 0, 0, 2, true));
        fixture.append(fixture.batch(1));
        log.setHighWatermark(4);
        assertThat(log.lastStableOffset()).isEqualTo(1);
        assertThat(rejection(fixture.producerBatch(9, 0, 2, 1, false))).isEqualTo(Errors.INVALID_TXN_STATE);

        endTransaction(false);
        assertThat(log.lastStableOffset()).isEqualTo(1);
        log.setHighWatermark(5);
        assertThat(log.lastStableOffset()).isEqualTo(5);
        assertThat(log.abortedTransactions(0, 5)).containsExactly(new AbortedTransaction(9, 1));
        assertThat(log.abortedTransactions(5, 6)).isEmpty();

        fixture.append(fixture.producerBatch(9, 0, 2, 2, true));
        endTransaction(true);
        crash();
        log = fixture.reopen();
        assertThat(log.abortedTransactions(0, 8)).containsExactly(new AbortedTransaction(9, 1));
        assertThat(log.view().logEndOffset()).isEqualTo(8);
        log.setHighWatermark(8);
        assertThat(log.lastStableOffset()).isEqualTo(8);
        assertThat(log.activeProducers()).singleElement().satisfies(p -> {
            assertThat(p.lastSequence()).isEqualTo(3);
            assertThat(p.coordinatorEpoch()).isEqualTo(1);
        });
    }

    @Test
    void silentProducersAreForgottenUnlessTheirTransactionIsOpen() {
        var log = fixture.log();
        fixture.append(fixture.producerBatch(8, 0, 0, 2, false));
        fixture.append(fixture.producerBatch(9, 0, 0, 2, true));
        assertThat(log.producerCount()).isEqualTo(2);
        assertThat(log.openTransactions()).isEqualTo(1);
        time.advanceMillis(86_000_000);
        fixture.dirs().runMaintenance(time.milliseconds());
        assertThat(log.producerCount()).isEqualTo(2);
        time.advanceMillis(600_000);
        fixture.dirs().runMaintenance(time.milliseconds());
        assertThat(log.producerCount()).isEqualTo(1);
        endTransaction(true);
        assertThat(log.openTransactions()).isZero();
        time.advanceMillis(87_000_000);
        fixture.dirs().runMaintenance(time.milliseconds());
        assertThat(log.producerCount()).isZero();
        assertThat(log.activeProducers()).isEmpty();
        // A producer that is not known any more may go on where it was.
        assertThat(fixture.append(fixture.producerBatch(8, 0, 2, 1, false))).isInstanceOf(AppendOutcome.Appended.class);
    }

    private void endTransaction(boolean commit) {
        var marker = ControlRecord.endTransactionBatch(
                9, (short) 0, time.milliseconds(), new ControlRecord.EndTransaction(commit, 1));
        assertThat(fixture.log()
                        .appendAsLeader(marker, LogFixture.EPOCH, AppendOrigin.TRANSACTION_MARKER, time.milliseconds()))
                .isInstanceOf(AppendOutcome.Appended.class);
    }

    @Test
    void findsRecordsByTimeInsideCompressedBatches() {
        for (int batch = 1; batch <= 2; batch++) {
            var builder = new BatchBuilder().compression(Compression.GZIP);
            for (int i = 0; i < 20; i++) {
                builder.append(batch * 1000L + i, null, new byte[10]);
            }
            fixture.append(builder.build());
        }
        var log = fixture.log();
        assertThat(log.offsetForTimestamp(1000, 40)).isEqualTo(new TimestampAndOffset(1000, 0, LogFixture.EPOCH));
        assertThat(log.offsetForTimestamp(1007, 40)).isEqualTo(new TimestampAndOffset(1007, 7, LogFixture.EPOCH));
        assertThat(log.offsetForTimestamp(1019, 40)).isEqualTo(new TimestampAndOffset(1019, 19, LogFixture.EPOCH));
        assertThat(log.offsetForTimestamp(1020, 40)).isEqualTo(new TimestampAndOffset(2000, 20, LogFixture.EPOCH));
        assertThat(log.offsetForTimestamp(2011, 40)).isEqualTo(new TimestampAndOffset(2011, 31, LogFixture.EPOCH));
        assertThat(log.offsetForTimestamp(2011, 31)).isNull();
        assertThat(log.offsetForTimestamp(2020, 40)).isNull();
        assertThat(log.maxTimestamp()).isEqualTo(new TimestampAndOffset(2019, 39, LogFixture.EPOCH));
    }

    @Test
    void truncatesAndForgetsWhatWasThere() {
        fixture.config(LogConfig.DEFAULTS.toBuilder().segmentBytes(300).build());
        for (int i = 0; i < 20; i++) {
            fixture.append(fixture.producerBatch(9, 0, i, 1));
        }
        var log = fixture.log();
        log.appendAsLeader(fixture.batch(1), 5, AppendOrigin.CLIENT, time.milliseconds());
        assertThat(log.endOffsetForEpoch(LogFixture.EPOCH)).isEqualTo(new OffsetAndEpoch(20, LogFixture.EPOCH));
        log.setHighWatermark(21);
        log.truncateTo(7);

        assertThat(log.view().logEndOffset()).isEqualTo(7);
        assertThat(log.highWatermark()).isEqualTo(7);
        assertThat(log.view().latestEpoch()).isEqualTo(LogFixture.EPOCH);
        assertThat(log.activeProducers())
                .singleElement()
                .satisfies(p -> assertThat(p.lastSequence()).isEqualTo(6));
        assertThat(fixture.append(fixture.producerBatch(9, 0, 7, 1))).isInstanceOf(AppendOutcome.Appended.class);
        crash();
        assertThat(fixture.reopen().view().logEndOffset()).isEqualTo(8);
        assertThat(LogFixture.records(fixture.log())).hasSize(8);

        fixture.log().truncateFullyAndStartAt(100);
        assertThat(fixture.log().view().logStartOffset()).isEqualTo(100);
        fixture.append(fixture.batch(2));
        crash();
        assertThat(fixture.reopen().view().logStartOffset()).isEqualTo(100);
        assertThat(fixture.log().view().logEndOffset()).isEqualTo(102);
    }

    @Test
    void anEpochThatNeverGotARecordIsForgottenWhereTheLogEnds() {
        fixture.append(fixture.batch(3));
        var log = fixture.log();
        log.beginEpoch(9);
        assertThat(log.view().latestEpoch()).isEqualTo(9);
        log.truncateTo(3);
        assertThat(log.view().latestEpoch()).isEqualTo(LogFixture.EPOCH);
        assertThat(log.view().logEndOffset()).isEqualTo(3);
        log.truncateTo(2); // nothing is left of the batch that holds offset 2
        assertThat(log.view().latestEpoch()).isEqualTo(-1);
        assertThat(log.view().logEndOffset()).isZero();
    }

    @Test
    void aFollowerTakesNothingOfALaterEpoch() {
        fixture.append(fixture.batch(2));
        fixture.log().appendAsLeader(fixture.batch(3), LogFixture.EPOCH + 1, AppendOrigin.CLIENT, time.milliseconds());
        var bytes = LogFixture.bytes(fixture.log(), 0, 5);
        var other = fixture.log(new io.moldau.common.TopicIdPartition(
                new io.moldau.common.Uuid(8, 8), new io.moldau.common.TopicPartition("later", 0)));
        other.appendAsFollower(bytes, LogFixture.EPOCH);
        assertThat(other.view().logEndOffset()).isEqualTo(2);
    }

    @Test
    void deletesOldSegmentsLater() throws Exception {
        fixture.config(LogConfig.DEFAULTS.toBuilder()
                .segmentBytes(300)
                .retentionMs(10_000)
                .build());
        for (int i = 0; i < 10; i++) {
            fixture.append(fixture.batch(4));
            time.advanceMillis(1000);
        }
        var log = fixture.log();
        log.setHighWatermark(40);
        time.advanceMillis(5_000);
        assertThat(log.deleteOldSegments(time.milliseconds())).isPositive();
        long start = log.view().logStartOffset();
        assertThat(start).isBetween(12L, 24L);
        assertThat(LogFixture.records(log))
                .first()
                .satisfies(r -> assertThat(r.offset()).isEqualTo(start));
        assertThat(files(".deleted")).isZero();
        log.deleteDoomedFiles(time.milliseconds());
        assertThat(files(".deleted")).isPositive();
        time.advanceMillis(61_000);
        log.deleteDoomedFiles(time.milliseconds());
        assertThat(files(".deleted")).isZero();

        // By now even the active segment is too old.
        log.deleteOldSegments(time.milliseconds());
        assertThat(log.view().logStartOffset()).isEqualTo(40);
        assertThat(fixture.append(fixture.batch(1))).isInstanceOf(AppendOutcome.Appended.class);
    }

    private long files(String suffix) throws Exception {
        try (var files = Files.list(directory.resolve("topic-0"))) {
            return files.filter(f -> f.toString().endsWith(suffix)).count();
        }
    }

    /// Retention has published what is left, and no file has been touched.
    @Test
    void whatRetentionLetGoOfDoesNotComeBackAfterAKill() throws Exception {
        fixture.config(LogConfig.DEFAULTS.toBuilder()
                .segmentBytes(300)
                .retentionBytes(600)
                .build());
        for (int i = 0; i < 20; i++) {
            fixture.append(fixture.batch(4));
        }
        fixture.log().setHighWatermark(80);
        assertThat(fixture.log().deleteOldSegments(time.milliseconds())).isPositive();
        long start = fixture.log().view().logStartOffset();
        long before = files(".log");
        crash();
        assertThat(fixture.reopen().view().logStartOffset()).isEqualTo(start);
        assertThat(files(".log")).isEqualTo(before);
        // What is below the log start goes with the next round.
        fixture.log().setHighWatermark(80);
        assertThat(fixture.log().deleteOldSegments(time.milliseconds())).isPositive();
        fixture.log().deleteDoomedFiles(time.milliseconds());
        assertThat(files(".log")).isLessThan(before);
        assertThat(LogFixture.records(fixture.log()))
                .first()
                .satisfies(r -> assertThat(r.offset()).isEqualTo(start));
    }

    @Test
    void aLogThatBeginsAnewTakesNoNameOfASegmentThatIsGoing() throws Exception {
        fixture.config(LogConfig.DEFAULTS.toBuilder()
                .segmentBytes(300)
                .retentionBytes(600)
                .build());
        for (int i = 0; i < 20; i++) {
            fixture.append(fixture.batch(4));
        }
        fixture.log().setHighWatermark(80);
        fixture.log().deleteOldSegments(time.milliseconds());
        fixture.log().truncateFullyAndStartAt(0);
        fixture.append(fixture.batch(3));
        time.advanceMillis(61_000);
        fixture.log().deleteDoomedFiles(time.milliseconds());
        assertThat(files(".deleted")).isZero();
        assertThat(LogFixture.records(fixture.log())).hasSize(3);
        crash();
        assertThat(LogFixture.records(fixture.reopen())).hasSize(3);
    }

    @Test
    void keepsTheLogUnderItsSize() {
        fixture.config(LogConfig.DEFAULTS.toBuilder()
                .segmentBytes(300)
                .retentionBytes(600)
                .build());
        for (int i = 0; i < 20; i++) {
            fixture.append(fixture.batch(4));
        }
        fixture.log().setHighWatermark(80);
        fixture.log().deleteOldSegments(time.milliseconds());
        assertThat(fixture.log().view().sizeInBytes()).isBetween(600L, 900L);
    }

    @Test
    void aFollowerTakesBatchesAsTheyAre() {
        var leader = fixture.log();
        fixture.append(fixture.batch(3, Compression.GZIP));
        fixture.append(fixture.producerBatch(9, 0, 0, 2));
        leader.appendAsLeader(fixture.batch(1), 7, AppendOrigin.CLIENT, time.milliseconds());
        var bytes = LogFixture.bytes(leader, 0, 6);
        var other = fixture.log(new io.moldau.common.TopicIdPartition(
                LogFixture.PARTITION.topicId(), new io.moldau.common.TopicPartition("topic", 1)));
        var withTornTail = ByteBuffer.allocate(bytes.remaining() + 30);
        withTornTail.put(bytes.duplicate()).put(bytes.duplicate().limit(30)).flip();

        other.appendAsFollower(withTornTail);
        assertThat(LogFixture.bytes(other, 0, 6)).isEqualTo(bytes);
        assertThat(other.leaderEpochs()).isEqualTo(leader.leaderEpochs());
        assertThat(other.activeProducers()).isEqualTo(leader.activeProducers());
        assertThatThrownBy(() -> other.appendAsFollower(bytes)).isInstanceOf(ApiException.class);
    }

    /// Where DeleteRecords put the leader's log start.
    @Test
    void aFollowerMayBeginWithinABatch() {
        var leader = fixture.log(new io.moldau.common.TopicIdPartition(
                new io.moldau.common.Uuid(8, 8), new io.moldau.common.TopicPartition("leader", 0)));
        for (int i = 0; i < 3; i++) {
            leader.appendAsLeader(fixture.batch(5), LogFixture.EPOCH, AppendOrigin.CLIENT, time.milliseconds());
        }
        var bytes = LogFixture.bytes(leader, 7, 10);
        var follower = fixture.log();
        follower.truncateFullyAndStartAt(12);
        assertThatThrownBy(() -> follower.appendAsFollower(bytes)).isInstanceOf(ApiException.class);
        follower.truncateFullyAndStartAt(7);
        follower.appendAsFollower(bytes);
        assertThat(follower.view().logStartOffset()).isEqualTo(7);
        assertThat(follower.view().logEndOffset()).isEqualTo(10);
        assertThat(LogFixture.bytes(follower, 7, 10)).isEqualTo(bytes);
        assertThatThrownBy(() -> follower.appendAsFollower(bytes)).isInstanceOf(ApiException.class);
        follower.appendAsFollower(LogFixture.bytes(leader, 10, 15));
        var all = LogFixture.bytes(leader, 7, 15);
        crash();
        assertThat(fixture.reopen().view().logStartOffset()).isEqualTo(7);
        assertThat(fixture.log().view().logEndOffset()).isEqualTo(15);
        assertThat(LogFixture.bytes(fixture.log(), 7, 15)).isEqualTo(all);
    }

    @Test
    void aDeletedPartitionComesBackEmpty() {
        fixture.append(fixture.batch(3));
        fixture.dirs().delete(LogFixture.PARTITION.topicPartition());
        assertThat(fixture.dirs().get(LogFixture.PARTITION.topicPartition())).isNull();
        assertThat(fixture.log().view()).isEqualTo(LogView.EMPTY);
        fixture.append(fixture.batch(1));
        crash();
        assertThat(fixture.reopen().view().logEndOffset()).isEqualTo(1);
        fixture.dirs().runMaintenance(time.milliseconds() + 100_000);
        assertThat(directory).isDirectoryNotContaining(p -> p.toString().endsWith("-delete"));
    }
}
