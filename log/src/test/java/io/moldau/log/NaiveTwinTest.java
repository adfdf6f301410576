package io.moldau.log;

import static org.assertj.core.api.Assertions.assertThat;

import io.moldau.common.OffsetAndEpoch;
import io.moldau.log.append.AppendOrigin;
import io.moldau.log.epoch.LeaderEpochHistory;
import io.moldau.log.storage.SimulatedStorage;
import io.moldau.log.storage.SimulatedStorage.Unforced;
import io.moldau.testing.MockTime;
import io.moldau.testing.RandomBatches;
import io.moldau.testing.Seeds;
import io.moldau.wire.record.DecompressionLimits;
import io.moldau.wire.record.RecordBatch;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.jspecify.annotations.Nullable;

/// The log beside one that is nothing but a list of batches, through random histories with rolls, truncations,
/// DeleteRecords, retention, clean stops and kills.
class NaiveTwinTest {

    private static final Path DIRECTORY = Path.of("/data");

    /// The naive log.
    private static final class Twin {
        final List<ByteBuffer> batches = new ArrayList<>();
        long start;
        long end;

        void append(ByteBuffer batch) {
            batches.add(batch);
            end = RecordBatch.at(batch).nextOffset();
        }

        void truncateTo(long offset) {
            while (!batches.isEmpty() && RecordBatch.at(batches.getLast()).lastOffset() >= offset) {
                end = RecordBatch.at(batches.removeLast()).baseOffset();
            }
        }

        void startAt(long offset) {
            start = offset;
            batches.removeIf(b -> RecordBatch.at(b).lastOffset() < offset);
        }

        @Nullable
        TimestampAndOffset offsetForTimestamp(long timestamp) {
            for (var bytes : batches) {
                var batch = RecordBatch.at(bytes);
                for (var record : batch.records(DecompressionLimits.DEFAULT)) {
                    if (record.timestamp() >= timestamp && record.offset() >= start) {
                        return new TimestampAndOffset(
                                record.timestamp(), record.offset(), batch.partitionLeaderEpoch());
                    }
                }
            }
            return null;
        }

        OffsetAndEpoch endOffsetFor(int epoch) {
            int latest = -1;
            for (var bytes : batches) {
                latest = RecordBatch.at(bytes).partitionLeaderEpoch();
            }
            if (epoch > latest || epoch < 0) {
                return LeaderEpochHistory.UNDEFINED;
            }
            int answered = epoch;
            boolean found = false;
            for (var bytes : batches) {
                var batch = RecordBatch.at(bytes);
                if (batch.partitionLeaderEpoch() > epoch) {
                    return new OffsetAndEpoch(Math.max(batch.baseOffset(), start), found ? answered : epoch);
                }
                answered = batch.partitionLeaderEpoch();
                found = true;
            }
            return new OffsetAndEpoch(end, epoch);
        }
    }

    @Seeds(count = 60)
    void behavesLikeAListOfBatches(long seed) {
        var random = new Random(seed);
        var time = new MockTime();
        var storage = new SimulatedStorage(time, random);
        var fixture = new LogFixture(storage, DIRECTORY, time)
                .config(LogConfig.DEFAULTS.toBuilder()
                        .segmentBytes(70_000 + random.nextInt(60_000) + 100_000)
                        .indexIntervalBytes(1 + random.nextInt(3_000))
                        .retentionMs(-1)
                        .timestampAfterMaxMs(Long.MAX_VALUE)
                        .build());
        var made = new RandomBatches(random);
        var twin = new Twin();
        int epoch = 1;
        for (int step = 0; step < 60; step++) {
            var log = fixture.log();
            switch (random.nextInt(14)) {
                case 0 -> {
                    epoch += random.nextInt(3);
                    log.beginEpoch(epoch);
                }
                case 1 -> log.roll();
                case 2 -> {
                    if (twin.end > twin.start) {
                        long to = twin.start + 1 + random.nextLong(twin.end - twin.start);
                        log.truncateTo(to);
                        twin.truncateTo(to);
                        // A cut that reaches the log start leaves nothing.
                        if (twin.end < twin.start) {
                            twin.start = twin.end;
                        }
                        assertThat(log.view().logEndOffset()).isEqualTo(twin.end);
                    }
                }
                case 3 -> {
                    long to = twin.start + random.nextLong(twin.end - twin.start + 1);
                    log.setHighWatermark(twin.end);
                    log.advanceLogStartOffset(to);
                    log.deleteOldSegments(time.milliseconds());
                    twin.startAt(to);
                }
                case 4 -> {
                    time.advanceMillis(6_000);
                    fixture.dirs().runMaintenance(time.milliseconds());
                }
                case 5 -> {
                    fixture.dirs().close();
                    fixture.reopen();
                }
                case 6 -> {
                    storage.killProcess();
                    fixture.reopen();
                }
                case 7 -> {
                    if (random.nextBoolean()) {
                        log.flush();
                    } else {
                        log.flushRecords();
                    }
                    storage.cutPower(random.nextBoolean() ? Unforced.LOST : Unforced.RANDOM);
                    fixture.reopen();
                }
                default -> {
                    var batch = made.batch(0);
                    var outcome = log.appendAsLeader(batch, epoch, AppendOrigin.CLIENT, time.milliseconds());
                    assertThat(outcome).isInstanceOfSatisfying(AppendOutcome.Appended.class, a -> {
                        assertThat(a.baseOffset()).isEqualTo(twin.end);
                    });
                    twin.append(batch);
                }
            }
            compare(fixture.log(), twin, random);
        }
    }

    private static void compare(PartitionLog log, Twin twin, Random random) {
        var view = log.view();
        assertThat(view.logStartOffset()).isEqualTo(twin.start);
        assertThat(view.logEndOffset()).isEqualTo(twin.end);
        if (twin.end == twin.start) {
            return;
        }
        long from = twin.start + random.nextLong(twin.end - twin.start);
        long upTo = from + 1 + random.nextLong(twin.end - from);
        int first = 0;
        while (RecordBatch.at(twin.batches.get(first)).lastOffset() < from) {
            first++;
        }
        int size = 0;
        for (int i = first; i < twin.batches.size(); i++) {
            if (RecordBatch.at(twin.batches.get(i)).lastOffset() < upTo) {
                size += twin.batches.get(i).remaining();
            } else {
                break;
            }
        }
        var expected = ByteBuffer.allocate(size);
        for (int i = first; expected.hasRemaining(); i++) {
            expected.put(twin.batches.get(i).duplicate());
        }
        // Reads stop before the batch that holds the bound; so does the twin.
        long bound = size == 0 ? from : RecordBatch.at(twin.batches.get(first)).baseOffset();
        for (int i = first; i < twin.batches.size(); i++) {
            var batch = RecordBatch.at(twin.batches.get(i));
            bound = batch.lastOffset() < upTo ? batch.nextOffset() : bound;
        }
        if (size > 0) {
            assertThat(LogFixture.bytes(log, from, bound)).isEqualTo(expected.flip());
        }
        var found = twin.batches.get(random.nextInt(twin.batches.size()));
        long timestamp = RecordBatch.at(found).maxTimestamp() - random.nextInt(3);
        assertThat(log.offsetForTimestamp(timestamp, Long.MAX_VALUE)).isEqualTo(twin.offsetForTimestamp(timestamp));
        int epoch = RecordBatch.at(found).partitionLeaderEpoch();
        if (epoch < log.view().latestEpoch()) {
            assertThat(log.endOffsetForEpoch(epoch).leaderEpoch()).isLessThanOrEqualTo(epoch);
        }
        if (RecordBatch.at(twin.batches.getLast()).partitionLeaderEpoch()
                == log.view().latestEpoch()) {
            assertThat(log.endOffsetForEpoch(epoch)).isEqualTo(twin.endOffsetFor(epoch));
        }
    }
}
