package io.moldau.log.clean;

import static org.assertj.core.api.Assertions.assertThat;

import io.moldau.common.TopicIdPartition;
import io.moldau.common.TopicPartition;
import io.moldau.common.Uuid;
import io.moldau.log.AppendOutcome;
import io.moldau.log.LogConfig;
import io.moldau.log.LogFixture;
import io.moldau.log.LogSlice;
import io.moldau.log.PartitionLog;
import io.moldau.log.ReadOutcome;
import io.moldau.log.append.AppendOrigin;
import io.moldau.log.storage.SimulatedStorage;
import io.moldau.testing.MockTime;
import io.moldau.wire.record.BatchBuilder;
import io.moldau.wire.record.ControlRecord;
import io.moldau.wire.record.DecompressionLimits;
import io.moldau.wire.record.RecordBatch;
import io.moldau.wire.record.RecordBatches;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class LogCleanerTest {

    private static final Path DIRECTORY = Path.of("/data");
    private static final CleanerConfig CLEANER = new CleanerConfig(1 << 20, 0.9, 32 << 10);
    private static final LogConfig COMPACT = LogConfig.DEFAULTS.toBuilder()
            .segmentBytes(10_000)
            .compact(true)
            .delete(false)
            .minCleanableDirtyRatio(0.01)
            .deleteRetentionMs(1_000)
            .fileDeleteDelayMs(0)
            .build();

    private final MockTime time = new MockTime();
    private final SimulatedStorage storage = new SimulatedStorage(time, new Random(1));
    private final LogFixture fixture = new LogFixture(storage, DIRECTORY, time).config(COMPACT);

    private PartitionLog log() {
        return fixture.log();
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    private void write(String key, @Nullable String value) {
        write(new BatchBuilder(), key, value);
    }

    private void write(BatchBuilder builder, String key, @Nullable String value) {
        var batch = builder.append(time.milliseconds(), bytes(key), value == null ? null : bytes(value))
                .build();
        assertThat(fixture.append(batch)).isInstanceOf(AppendOutcome.Appended.class);
    }

    private void end(long producerId, boolean commit) {
        log().appendAsLeader(
                        ControlRecord.endTransactionBatch(
                                producerId,
                                (short) 0,
                                time.milliseconds(),
                                new ControlRecord.EndTransaction(commit, 5)),
                        LogFixture.EPOCH,
                        AppendOrigin.TRANSACTION_MARKER,
                        time.milliseconds());
    }

    /// Rolls and compacts; whether there was something to do.
    private boolean clean() {
        log().roll();
        log().setHighWatermark(log().logEndOffset());
        return fixture.dirs().cleaner().cleanNext(CLEANER, CleaningPace.UNBOUNDED);
    }

    private List<String> contents() {
        return LogFixture.records(log()).stream()
                .map(r -> r.offset() + ":" + CommittedReader.text(r.key()) + "=" + CommittedReader.text(r.value()))
                .toList();
    }

    @Test
    void keepsTheNewestRecordOfEachKeyAtItsOffset() {
        write("a", "1");
        write("b", "2");
        write("a", "3");
        assertThat(clean()).isTrue();
        assertThat(contents()).containsExactly("1:b=2", "2:a=3");
        assertThat(log().cleanedUpTo()).isEqualTo(3);
        assertThat(clean()).isFalse();

        write("b", "4");
        write("c", "5");
        assertThat(clean()).isTrue();
        assertThat(contents()).containsExactly("2:a=3", "3:b=4", "4:c=5");
        // Two small segments and what was appended since: one, and the active one.
        assertThat(log().segmentCount()).isEqualTo(2);
        assertThat(log().logStartOffset()).isZero();
    }

    /// Else the next start would take what compaction took for something that was lost.
    @ParameterizedTest
    @ValueSource(strings = {"stop", "kill", "power cut"})
    void aCutIntoAHoleEndsWhereTheRecordsEnd(String ending) {
        write("b", "1");
        write("a", "2");
        write("a", "3");
        assertThat(clean()).isTrue();
        assertThat(contents()).containsExactly("0:b=1", "2:a=3");
        log().flush();

        log().truncateTo(2);
        assertThat(log().logEndOffset()).isEqualTo(1);
        switch (ending) {
            case "stop" -> fixture.dirs().close();
            case "kill" -> storage.killProcess();
            default -> storage.cutPower(SimulatedStorage.Unforced.LOST);
        }
        fixture.reopen();

        assertThat(log().logEndOffset()).isEqualTo(1);
        write("c", "4");
        assertThat(contents()).containsExactly("0:b=1", "1:c=4");
    }

    @Test
    void aTombstoneStaysForTheTimeItIsGiven() {
        write("a", "1");
        write("a", null);
        assertThat(clean()).isTrue();
        assertThat(contents()).containsExactly("1:a=null");
        var batch = LogFixture.batches(log()).getLast();
        assertThat(batch.hasDeleteHorizon()).isTrue();
        assertThat(batch.baseTimestamp()).isEqualTo(time.milliseconds() + 1_000);
        assertThat(batch.records(DecompressionLimits.DEFAULT).getFirst().timestamp())
                .isEqualTo(time.milliseconds());

        time.advanceMillis(999);
        write("b", "2");
        clean();
        assertThat(contents()).containsExactly("1:a=null", "2:b=2");
        time.advanceMillis(1);
        write("b", "3");
        clean();
        assertThat(contents()).containsExactly("3:b=3");
    }

    @Test
    void recordsOfAbortedTransactionsGoAtOnceAndTheirMarkersLater() {
        write(new BatchBuilder().producer(7, (short) 0, 0).transactional(true), "a", "aborted");
        end(7, false);
        // Of another epoch, so that the marker is not the last trace of its producer.
        write(new BatchBuilder().producer(7, (short) 0, 1).transactional(true), "b", "2");
        end(7, true);
        write(new BatchBuilder().producer(7, (short) 0, 2), "c", "3");
        clean();
        assertThat(CommittedReader.read(log()).stream().map(CommittedReader.Seen::value))
                .containsExactly("2", "3");
        assertThat(LogFixture.batches(log()).stream().map(RecordBatch::baseOffset))
                .containsExactly(1L, 2L, 3L, 4L);
        // For readers who still have the records.
        assertThat(log().abortedTransactions(0, 5)).hasSize(1);

        write("x", "4");
        clean();
        assertThat(log().abortedTransactions(0, 5)).isEmpty();
        assertThat(LogFixture.batches(log()).getFirst().hasDeleteHorizon()).isTrue();
        time.advanceMillis(1_000);
        write("x", "5");
        clean();
        // The marker of the committed one stays as long as its records do.
        assertThat(LogFixture.batches(log()).stream().map(RecordBatch::baseOffset))
                .containsExactly(2L, 3L, 4L, 6L);
    }

    @Test
    void whatAnOpenTransactionHoldsBackIsNotCompacted() {
        write("a", "1");
        write("a", "2");
        log().roll();
        write(new BatchBuilder().producer(7, (short) 0, 0).transactional(true), "a", "3");
        clean();
        assertThat(contents()).containsExactly("1:a=2", "2:a=3");
        end(7, false);
        clean();
        assertThat(CommittedReader.read(log()).stream().map(CommittedReader.Seen::value))
                .containsExactly("2");
    }

    @Test
    void theSequenceOfAProducerSurvivesItsRecords() {
        write(new BatchBuilder().producer(7, (short) 0, 0), "a", "1");
        write(new BatchBuilder().producer(7, (short) 0, 1), "a", "2");
        write("a", "3");
        clean();
        assertThat(contents()).containsExactly("2:a=3");
        var kept = LogFixture.batches(log()).getFirst();
        assertThat(kept.producerId()).isEqualTo(7);
        assertThat(kept.recordCount()).isZero();
        assertThat(kept.lastSequence()).isEqualTo(1);
        log().flush();
        storage.killProcess();
        for (var name : storage.list(DIRECTORY.resolve("topic-0"))) {
            if (name.endsWith(".snapshot")) {
                deleteFile(name);
            }
        }
        fixture.reopen();
        write(new BatchBuilder().producer(7, (short) 0, 2), "b", "4");
    }

    private void deleteFile(String name) {
        try {
            storage.delete(DIRECTORY.resolve("topic-0").resolve(name));
        } catch (java.io.IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
    }

    @Test
    void keylessRecordsFromBeforeTheTopicWasCompactedGo() {
        fixture.config(LogConfig.DEFAULTS);
        log();
        fixture.append(fixture.producerBatch(-1, -1, -1, 2));
        fixture.config(COMPACT);
        log();
        write("a", "1");
        clean();
        assertThat(contents()).containsExactly("2:a=1");
    }

    @Test
    void whoReadsAReplacedSegmentReadsOn() throws Exception {
        write("a", "1");
        write("a", "2");
        log().roll();
        if (!(log().read(0, 1 << 20, 2, true) instanceof ReadOutcome.Slice(LogSlice slice))) {
            throw new AssertionError();
        }
        assertThat(clean()).isTrue();
        time.advanceMillis(1);
        fixture.dirs().runMaintenance(time.milliseconds());
        var buffer = ByteBuffer.allocate(slice.sizeInBytes());
        slice.read(buffer);
        slice.release();
        assertThat(RecordBatches.toList(buffer.flip())).hasSize(2).allMatch(RecordBatch::isCrcValid);
        // Within the gap, and by time.
        assertThat(RecordBatch.at(LogFixture.bytes(log(), 0, 2)).lastOffset()).isEqualTo(1);
        var found = log().offsetForTimestamp(time.milliseconds() - 1, Long.MAX_VALUE);
        assertThat(found).isNotNull();
        assertThat(found.offset()).isEqualTo(1);
        assertThat(log().endOffsetForEpoch(LogFixture.EPOCH).offset()).isEqualTo(2);
        assertThat(storage.list(DIRECTORY.resolve("topic-0"))).noneMatch(name -> name.contains(".deleted"));
    }

    @Test
    void aLogThatCannotBeCompactedIsTriedAgainAndHoldsUpNoOther() throws Exception {
        write("a", "1");
        write("a", "2");
        log().roll();
        log().setHighWatermark(2);
        var other = fixture.log(new TopicIdPartition(new Uuid(7, 12), new TopicPartition("topic", 1)));
        for (int i = 0; i < 2; i++) {
            var batch = new BatchBuilder()
                    .append(time.milliseconds(), bytes("k"), bytes("v"))
                    .build();
            other.appendAsLeader(batch, LogFixture.EPOCH, AppendOrigin.CLIENT, time.milliseconds());
        }
        other.roll();
        other.setHighWatermark(2);
        var damaged = DIRECTORY.resolve("topic-0/00000000000000000000.log");
        storage.flipBit(damaged, 8 * 65);

        var cleaner = fixture.dirs().cleaner();
        assertThat(cleaner.cleanNext(CLEANER, CleaningPace.UNBOUNDED)).isTrue();
        assertThat(cleaner.cleanNext(CLEANER, CleaningPace.UNBOUNDED)).isTrue();
        assertThat(cleaner.cleanNext(CLEANER, CleaningPace.UNBOUNDED)).isFalse();
        assertThat(cleaner.uncleanable()).containsExactly(LogFixture.PARTITION.topicPartition());
        assertThat(LogFixture.records(other)).hasSize(1);
        var told = cleaner.uncleanable(LogFixture.PARTITION.topicPartition());
        assertThat(told).isNotNull();
        assertThat(told.failures()).isEqualTo(1);
        assertThat(told.retryAtMs()).isEqualTo(time.milliseconds() + 60_000);
        assertThat(told.reason()).contains(damaged.toString());

        storage.flipBit(damaged, 8 * 65);
        time.advanceMillis(59_999);
        assertThat(cleaner.cleanNext(CLEANER, CleaningPace.UNBOUNDED)).isFalse();
        time.advanceMillis(1);
        assertThat(cleaner.cleanNext(CLEANER, CleaningPace.UNBOUNDED)).isTrue();
        assertThat(cleaner.uncleanable()).isEmpty();
        assertThat(contents()).containsExactly("1:a=2");
    }

    @Test
    void aFullDiskEndsTheCompactionAndNotTheLog() {
        for (int i = 0; i < 20; i++) {
            write("a" + i % 3, "value-" + i);
        }
        log().roll();
        log().setHighWatermark(20);
        storage.capacity(storage.totalBytes(DIRECTORY) - storage.usableBytes(DIRECTORY) + 50);
        fixture.dirs().cleaner().cleanNext(CLEANER, CleaningPace.UNBOUNDED);
        assertThat(fixture.dirs().cleaner().uncleanable()).hasSize(1);
        storage.capacity(Long.MAX_VALUE);
        write("b", "after");
        assertThat(contents()).hasSize(21);
        time.advanceMillis(60_000);
        clean();
        assertThat(contents()).hasSize(4);
        assertThat(storage.list(DIRECTORY.resolve("topic-0"))).noneMatch(name -> name.contains(".cleaned"));
    }

    @Test
    void theCheckpointIsKafkasAndFollowsATruncation() throws Exception {
        write("a", "1");
        write("a", "2");
        clean();
        assertThat(checkpoint()).isEqualTo("0\n1\ntopic 0 2\n");
        storage.killProcess();
        fixture.reopen();
        assertThat(log().cleanedUpTo()).isEqualTo(2);
        // Into the hole where the first one was: nothing is left.
        log().truncateTo(1);
        assertThat(checkpoint()).isEqualTo("0\n1\ntopic 0 0\n");
        fixture.dirs().delete(LogFixture.PARTITION.topicPartition());
        assertThat(checkpoint()).isEqualTo("0\n0\n");
    }

    private String checkpoint() throws Exception {
        return new String(storage.readAll(DIRECTORY.resolve("cleaner-offset-checkpoint")), StandardCharsets.UTF_8);
    }

    @Test
    void aDeletedPartitionEndsItsCompaction() {
        for (int i = 0; i < 9; i++) {
            write("a", "1");
            log().roll();
        }
        log().setHighWatermark(9);
        fixture.dirs().cleaner().cleanNext(CLEANER, bytes -> {
            if (fixture.dirs().get(LogFixture.PARTITION.topicPartition()) != null) {
                fixture.dirs().delete(LogFixture.PARTITION.topicPartition());
            }
            return true;
        });
        assertThat(fixture.dirs().cleaner().uncleanable()).isEmpty();
        assertThat(fixture.dirs().directories()).allMatch(d -> d instanceof io.moldau.log.dir.LogDirState.Online);
        write("a", "2");
        assertThat(contents()).containsExactly("0:a=2");
    }
}
