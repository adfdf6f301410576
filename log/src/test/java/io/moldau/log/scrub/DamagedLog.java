package io.moldau.log.scrub;

import static org.assertj.core.api.Assertions.assertThat;

import io.moldau.common.ApiException;
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
import io.moldau.wire.record.Compression;
import io.moldau.wire.record.RecordBatches;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/// A log of several segments and leader epochs, what was written to it, and what becomes of its files.
final class DamagedLog {

    static final Path DIRECTORY = Path.of("/data");
    static final Path PARTITION =
            DIRECTORY.resolve(LogFixture.PARTITION.topicPartition().toString());

    private static final int SEGMENT_BYTES = 6_000;

    final MockTime time = new MockTime();
    final SimulatedStorage storage;
    final LogFixture fixture;
    /// Whole batches as they were written, by base offset.
    final TreeMap<Long, ByteBuffer> written = new TreeMap<>();

    private final Random random;
    private int epoch = LogFixture.EPOCH;

    DamagedLog(Random random, LogConfig.Builder config) {
        this.random = random;
        this.storage = new SimulatedStorage(time, new Random(random.nextLong()));
        this.fixture = new LogFixture(storage, DIRECTORY, time)
                .config(config.segmentBytes(SEGMENT_BYTES)
                        .indexIntervalBytes(512)
                        .build());
    }

    static DamagedLog contiguous(Random random) {
        var damaged = new DamagedLog(random, LogConfig.DEFAULTS.toBuilder());
        int batches = 30 + random.nextInt(60);
        for (int i = 0; i < batches; i++) {
            damaged.append(random.nextInt(5) + 1);
        }
        return damaged;
    }

    PartitionLog log() {
        return fixture.log();
    }

    void append(int count) {
        if (random.nextInt(12) == 0) {
            epoch += random.nextInt(3) + 1;
            log().beginEpoch(epoch);
        }
        time.advanceMillis(random.nextInt(1_000));
        var builder = new BatchBuilder().compression(random.nextInt(4) == 0 ? Compression.LZ4 : Compression.NONE);
        for (int i = 0; i < count; i++) {
            var value = new byte[random.nextInt(200)];
            random.nextBytes(value);
            builder.append(time.milliseconds(), new byte[] {(byte) random.nextInt(20)}, value);
        }
        var batch = builder.build();
        var outcome = log().appendAsLeader(batch, epoch, AppendOrigin.CLIENT, time.milliseconds());
        assertThat(outcome).isInstanceOf(AppendOutcome.Appended.class);
        var copy = ByteBuffer.allocate(batch.remaining()).put(batch.duplicate()).flip();
        written.put(((AppendOutcome.Appended) outcome).baseOffset(), copy);
        log().setHighWatermark(log().logEndOffset());
    }

    PartitionLog restart() {
        fixture.dirs().close();
        return fixture.reopen();
    }

    /// Changes one bit of a file of records.
    String flip() {
        try {
            var files = storage.files(PARTITION).entrySet().stream()
                    .filter(file -> file.getKey().endsWith(".log"))
                    .filter(file -> file.getValue().length > 0)
                    .toList();
            Map.Entry<String, byte[]> file = files.get(random.nextInt(files.size()));
            // Headers are a small part of the bytes and the interesting one.
            long bit = random.nextInt(file.getValue().length * 8);
            if (random.nextBoolean()) {
                var batches = new RecordBatches(ByteBuffer.wrap(file.getValue()));
                int steps = random.nextInt(20) + 1;
                while (steps-- > 0 && batches.tryNext() == RecordBatches.Step.BATCH) {
                    bit = batches.batch().position() * 8L + random.nextInt(21 * 8);
                }
            }
            storage.flipBit(PARTITION.resolve(file.getKey()), bit);
            return file.getKey() + ":" + bit / 8 + "." + bit % 8;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /// Reads from every batch on; base offsets of those that are refused. Whatever is served is what was written.
    TreeSet<Long> refused() {
        var refused = new TreeSet<Long>();
        for (long offset : written.keySet()) {
            if (!isServed(offset, 1 + random.nextInt(3_000))) {
                refused.add(offset);
            }
        }
        return refused;
    }

    private boolean isServed(long offset, int maxBytes) {
        var bytes = read(offset, maxBytes);
        if (bytes == null) {
            return false;
        }
        var batches = new RecordBatches(bytes);
        long next = offset;
        while (batches.tryNext() == RecordBatches.Step.BATCH) {
            var batch = batches.batch();
            assertThat(batch.baseOffset()).isEqualTo(next);
            assertThat(batch.slice()).isEqualTo(written.get(batch.baseOffset()));
            next = batch.nextOffset();
        }
        assertThat(next).isGreaterThan(offset);
        return true;
    }

    private @Nullable ByteBuffer read(long offset, int maxBytes) {
        try {
            if (!(log().read(offset, maxBytes, log().logEndOffset(), true)
                    instanceof ReadOutcome.Slice(LogSlice slice))) {
                throw new AssertionError("Offset " + offset + " is gone: " + log().view());
            }
            var bytes = ByteBuffer.allocate(slice.sizeInBytes());
            try {
                slice.read(bytes);
            } finally {
                slice.release();
            }
            return bytes.flip();
        } catch (ApiException e) {
            return null;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
