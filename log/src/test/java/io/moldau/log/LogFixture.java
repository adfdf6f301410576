package io.moldau.log;

import io.moldau.common.TopicIdPartition;
import io.moldau.common.TopicPartition;
import io.moldau.common.Uuid;
import io.moldau.log.append.AppendOrigin;
import io.moldau.log.dir.LogDirs;
import io.moldau.log.dir.LogDirsConfig;
import io.moldau.log.storage.LogStorage;
import io.moldau.testing.MockTime;
import io.moldau.wire.record.BatchBuilder;
import io.moldau.wire.record.Compression;
import io.moldau.wire.record.DecompressionLimits;
import io.moldau.wire.record.Record;
import io.moldau.wire.record.RecordBatch;
import io.moldau.wire.record.RecordBatches;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/// A log directory with what tests do to it.
public final class LogFixture {

    public static final TopicIdPartition PARTITION =
            new TopicIdPartition(new Uuid(7, 11), new TopicPartition("topic", 0));
    public static final int EPOCH = 3;

    private final LogStorage storage;
    private final Path directory;
    private final MockTime time;
    private LogDirs dirs;
    private LogConfig config = LogConfig.DEFAULTS;

    public LogFixture(LogStorage storage, Path directory, MockTime time) {
        this.storage = storage;
        this.directory = directory;
        this.time = time;
        this.dirs = openDirs();
    }

    private LogDirs openDirs() {
        try {
            var defaults = LogDirsConfig.defaults(new Random(1));
            return LogDirs.open(List.of(directory), storage, time, defaults, LogMetrics.NONE);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    public LogFixture config(LogConfig newConfig) {
        config = newConfig;
        return this;
    }

    public LogDirs dirs() {
        return dirs;
    }

    public MockTime time() {
        return time;
    }

    public PartitionLog log() {
        return log(PARTITION);
    }

    public PartitionLog log(TopicIdPartition partition) {
        return dirs.getOrCreate(partition, config);
    }

    /// Opens the directory again, as after a clean stop or a crash.
    public PartitionLog reopen() {
        dirs = openDirs();
        return log();
    }

    public AppendOutcome append(ByteBuffer batch) {
        return log().appendAsLeader(batch, EPOCH, AppendOrigin.CLIENT, time.milliseconds());
    }

    // ---- batches

    /// `count` records without key or compression.
    public ByteBuffer batch(int count) {
        return batch(count, Compression.NONE);
    }

    public ByteBuffer batch(int count, Compression compression) {
        var builder = new BatchBuilder().compression(compression);
        for (int i = 0; i < count; i++) {
            builder.append(
                    time.milliseconds() + i,
                    ("key-" + i).getBytes(StandardCharsets.UTF_8),
                    ("value-" + i).getBytes(StandardCharsets.UTF_8));
        }
        return builder.build();
    }

    public ByteBuffer producerBatch(long producerId, int epoch, int sequence, int count) {
        return producerBatch(producerId, epoch, sequence, count, false);
    }

    public ByteBuffer producerBatch(long producerId, int epoch, int sequence, int count, boolean transactional) {
        var builder =
                new BatchBuilder().producer(producerId, (short) epoch, sequence).transactional(transactional);
        for (int i = 0; i < count; i++) {
            builder.append(time.milliseconds(), null, ("value-" + i).getBytes(StandardCharsets.UTF_8));
        }
        return builder.build();
    }

    // ---- reading

    /// The bytes a read returns, also across segments.
    public static ByteBuffer bytes(PartitionLog log, long from, long upTo) {
        var all = new java.io.ByteArrayOutputStream();
        long offset = from;
        while (offset < upTo) {
            var outcome = log.read(offset, 1 << 20, upTo, true);
            if (!(outcome instanceof ReadOutcome.Slice(LogSlice slice))) {
                throw new AssertionError("Reading " + offset + ": " + outcome);
            }
            if (slice.sizeInBytes() == 0) {
                throw new AssertionError("Nothing at " + offset + ", up to " + upTo + ", view " + log.view());
            }
            var buffer = ByteBuffer.allocate(slice.sizeInBytes());
            try {
                slice.read(buffer);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            } finally {
                slice.release();
            }
            buffer.flip();
            var batches = new RecordBatches(buffer);
            int whole = 0;
            while (batches.tryNext() == RecordBatches.Step.BATCH) {
                offset = batches.batch().nextOffset();
                whole = batches.nextPosition();
            }
            all.write(buffer.array(), 0, whole);
        }
        return ByteBuffer.wrap(all.toByteArray());
    }

    public static List<Record> records(PartitionLog log) {
        var records = new ArrayList<Record>();
        var view = log.view();
        for (var batch : RecordBatches.toList(bytes(log, view.logStartOffset(), view.logEndOffset()))) {
            if (!batch.isCrcValid()) {
                throw new AssertionError("A batch was served with a wrong checksum: " + batch);
            }
            for (var record : batch.records(DecompressionLimits.DEFAULT)) {
                if (record.offset() >= view.logStartOffset()) {
                    records.add(record);
                }
            }
        }
        return records;
    }

    public static List<RecordBatch> batches(PartitionLog log) {
        var view = log.view();
        return RecordBatches.toList(bytes(log, view.logStartOffset(), view.logEndOffset()));
    }
}
