package io.moldau.log.bench;

import io.moldau.common.TopicIdPartition;
import io.moldau.common.TopicPartition;
import io.moldau.common.Uuid;
import io.moldau.common.time.SystemTime;
import io.moldau.log.AppendOutcome;
import io.moldau.log.LogConfig;
import io.moldau.log.LogMetrics;
import io.moldau.log.LogSlice;
import io.moldau.log.PartitionLog;
import io.moldau.log.ReadOutcome;
import io.moldau.log.append.AppendOrigin;
import io.moldau.log.clean.CleanerConfig;
import io.moldau.log.clean.CleaningPace;
import io.moldau.log.dir.LogDirs;
import io.moldau.log.dir.LogDirsConfig;
import io.moldau.log.storage.NioLogStorage;
import io.moldau.wire.record.BatchBuilder;
import io.moldau.wire.record.DecompressionLimits;
import io.moldau.wire.record.RecordBatches;
import io.moldau.wire.record.RecordCursor;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Random;

/// What compaction of a log like that of the committed offsets costs, and how long reading all of it takes before and
/// after: a coordinator does so when it takes over.
///
/// Arguments: records, keys, bytes of memory for keys.
public final class CompactionCost {

    private static final int RECORDS_PER_BATCH = 100;

    private CompactionCost() {}

    public static void main(String[] arguments) throws IOException {
        int records = Integer.parseInt(arguments[0]);
        int keys = Integer.parseInt(arguments[1]);
        long memory = Long.parseLong(arguments[2]);
        var directory = Files.createTempDirectory(Path.of(System.getProperty("java.io.tmpdir")), "compaction-cost");
        var storage = new NioLogStorage();
        try {
            var dirs = LogDirs.open(
                    List.of(directory),
                    storage,
                    new SystemTime(),
                    LogDirsConfig.defaults(new Random(1)),
                    LogMetrics.NONE);
            var partition = new TopicIdPartition(new Uuid(1, 2), new TopicPartition("topic", 0));
            var config = LogConfig.DEFAULTS.toBuilder()
                    .segmentBytes(100 << 20)
                    .compact(true)
                    .delete(false)
                    .build();
            var log = dirs.getOrCreate(partition, config);
            long began = System.nanoTime();
            fill(log, records, keys);
            print("written", began, log);
            began = System.nanoTime();
            read(log);
            print("read", began, log);
            began = System.nanoTime();
            while (dirs.cleaner().cleanNext(new CleanerConfig(memory, 0.9, 512 << 10), CleaningPace.UNBOUNDED)) {
                print("compacted", began, log);
            }
            began = System.nanoTime();
            int found = read(log);
            print("read again, keys " + found, began, log);
            dirs.close();
        } finally {
            storage.deleteTree(directory);
        }
    }

    private static void fill(PartitionLog log, int records, int keys) {
        var random = new Random(1);
        for (int i = 0; i < records; i += RECORDS_PER_BATCH) {
            var builder = new BatchBuilder();
            for (int j = 0; j < RECORDS_PER_BATCH; j++) {
                int key = random.nextInt(keys);
                builder.append(
                        i,
                        ByteBuffer.allocate(50)
                                .putShort((short) 1)
                                .putInt(40, key)
                                .array(),
                        ByteBuffer.allocate(32).putInt(i).array());
            }
            var outcome = log.appendAsLeader(builder.build(), 1, AppendOrigin.COORDINATOR, i);
            if (!(outcome instanceof AppendOutcome.Appended)) {
                throw new IllegalStateException(outcome.toString());
            }
        }
        log.roll();
        log.setHighWatermark(log.logEndOffset());
    }

    /// Reads all records into a map, as a coordinator does.
    private static int read(PartitionLog log) throws IOException {
        var map = new HashMap<ByteBuffer, ByteBuffer>();
        var buffer = ByteBuffer.allocateDirect(1 << 20);
        long offset = log.logStartOffset();
        long end = log.logEndOffset();
        try (var cursor = new RecordCursor()) {
            while (offset < end) {
                if (!(log.read(offset, buffer.capacity(), end, true) instanceof ReadOutcome.Slice(LogSlice slice))) {
                    throw new IllegalStateException("Cannot read " + offset);
                }
                buffer.clear();
                slice.read(buffer);
                slice.release();
                var batches = new RecordBatches(buffer.flip());
                while (batches.tryNext() == RecordBatches.Step.BATCH) {
                    offset = batches.batch().nextOffset();
                    cursor.open(batches.batch(), DecompressionLimits.DEFAULT);
                    while (cursor.next()) {
                        map.put(copy(cursor.key()), copy(cursor.value()));
                    }
                }
            }
        }
        return map.size();
    }

    private static ByteBuffer copy(@org.jspecify.annotations.Nullable ByteBuffer bytes) {
        return bytes == null
                ? ByteBuffer.allocate(0)
                : ByteBuffer.allocate(bytes.remaining()).put(bytes).flip();
    }

    private static void print(String what, long beganNanos, PartitionLog log) {
        System.out.printf(
                java.util.Locale.ROOT,
                "%-24s %8d ms, log %6.1f MB, %d segments%n",
                what,
                (System.nanoTime() - beganNanos) / 1_000_000,
                log.view().sizeInBytes() / 1e6,
                log.segmentCount());
    }
}
