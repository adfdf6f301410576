package io.moldau.log.bench;

import io.moldau.common.TopicIdPartition;
import io.moldau.common.TopicPartition;
import io.moldau.common.Uuid;
import io.moldau.common.time.SystemTime;
import io.moldau.log.AppendOutcome;
import io.moldau.log.LogConfig;
import io.moldau.log.LogMetrics;
import io.moldau.log.append.AppendOrigin;
import io.moldau.log.dir.LogDirs;
import io.moldau.log.dir.LogDirsConfig;
import io.moldau.log.storage.LogStorage.Access;
import io.moldau.log.storage.NioLogStorage;
import io.moldau.wire.record.BatchBuilder;
import io.moldau.wire.record.RecordBatch;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;

/// What appending costs: CPU seconds for a GB and bytes of garbage for a batch, beside the bare write and the
/// checksum.
///
/// Arguments: bytes of a batch, bytes of a record, batches of one round, whether the producer is idempotent
/// (`true`). The times of several rounds in one run are comparable with each other and with nothing else.
public final class AppendCost {

    private AppendCost() {}

    public static void main(String[] arguments) throws IOException {
        int batchBytes = Integer.parseInt(arguments[0]);
        int recordBytes = Integer.parseInt(arguments[1]);
        int rounds = Integer.parseInt(arguments[2]);
        boolean idempotent = arguments.length > 3 && Boolean.parseBoolean(arguments[3]);
        var directory = Files.createTempDirectory(Path.of(System.getProperty("java.io.tmpdir")), "append-cost");
        var storage = new NioLogStorage();
        try {
            for (int i = 0; i < 4; i++) {
                var batch = batch(batchBytes, recordBytes, idempotent);
                // The same size: a write that does not end with a page costs half as much again as one that does.
                bareWrites(storage, directory, batch.remaining(), rounds);
                appends(storage, directory, batch, rounds, idempotent);
            }
        } finally {
            storage.deleteTree(directory);
        }
    }

    private static void bareWrites(NioLogStorage storage, Path directory, int batchBytes, int rounds)
            throws IOException {
        var buffer = ByteBuffer.allocateDirect(batchBytes);
        var path = directory.resolve("bare");
        try (var file = storage.open(path, Access.CREATE)) {
            var cost = new Cost();
            for (int i = 0; i < rounds; i++) {
                buffer.clear();
                file.write(buffer, (long) i * batchBytes);
            }
            cost.print("write alone", rounds, (long) rounds * batchBytes);
        }
        storage.delete(path);
    }

    private static ByteBuffer batch(int batchBytes, int recordBytes, boolean idempotent) {
        var builder = new BatchBuilder();
        if (idempotent) {
            builder.producer(9, (short) 0, 0);
        }
        while (builder.sizeInBytes() < batchBytes) {
            builder.append(System.currentTimeMillis(), null, new byte[recordBytes]);
        }
        var built = builder.build();
        return ByteBuffer.allocateDirect(built.remaining()).put(built).flip();
    }

    private static void appends(NioLogStorage storage, Path directory, ByteBuffer batch, int rounds, boolean idempotent)
            throws IOException {
        var logDir = directory.resolve("log");
        var dirs = LogDirs.open(
                List.of(logDir), storage, new SystemTime(), LogDirsConfig.defaults(new Random(1)), LogMetrics.NONE);
        var partition = new TopicIdPartition(new Uuid(1, 2), new TopicPartition("topic", 0));
        var log = dirs.getOrCreate(partition, LogConfig.DEFAULTS);
        var header = RecordBatch.at(batch);
        int records = header.recordCount();
        var cost = new Cost();
        for (int i = 0; i < rounds; i++) {
            header.setBaseOffset(0);
            if (idempotent) {
                batch.putInt(RecordBatch.BASE_SEQUENCE_OFFSET, i * records);
                batch.putInt(RecordBatch.CRC_OFFSET, (int) header.computeCrc());
            }
            var outcome = log.appendAsLeader(batch, 1, AppendOrigin.CLIENT, System.currentTimeMillis());
            if (!(outcome instanceof AppendOutcome.Appended)) {
                throw new IllegalStateException(outcome.toString());
            }
        }
        cost.print("append", rounds, (long) rounds * batch.remaining());
        dirs.abandon();
        storage.deleteTree(logDir);
    }

    /// CPU time and garbage of this thread since it was made.
    private static final class Cost {

        private final com.sun.management.ThreadMXBean threads =
                (com.sun.management.ThreadMXBean) ManagementFactory.getThreadMXBean();
        private final long cpu = threads.getCurrentThreadCpuTime();
        private final long garbage = threads.getCurrentThreadAllocatedBytes();

        void print(String what, int batches, long bytes) {
            double seconds = (threads.getCurrentThreadCpuTime() - cpu) / 1e9;
            long allocated = threads.getCurrentThreadAllocatedBytes() - garbage;
            System.out.printf(
                    "%-12s %.3f cpu-s/GB, %.2f us and %d bytes of garbage a batch%n",
                    what, seconds / (bytes / 1e9), seconds * 1e6 / batches, allocated / batches);
        }
    }
}
