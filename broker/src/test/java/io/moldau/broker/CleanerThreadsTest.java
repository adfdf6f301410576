package io.moldau.broker;

import static org.assertj.core.api.Assertions.assertThat;

import io.moldau.common.FaultHandler;
import io.moldau.common.TopicIdPartition;
import io.moldau.common.TopicPartition;
import io.moldau.common.Uuid;
import io.moldau.log.LogConfig;
import io.moldau.log.LogMetrics;
import io.moldau.log.PartitionLog;
import io.moldau.log.append.AppendOrigin;
import io.moldau.log.clean.CleanerConfig;
import io.moldau.log.clean.CleaningStats;
import io.moldau.log.dir.LogDirs;
import io.moldau.log.dir.LogDirsConfig;
import io.moldau.log.storage.SimulatedStorage;
import io.moldau.testing.MockTime;
import io.moldau.wire.record.BatchBuilder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// Settings of the cleaner are followed while it runs.
@Timeout(30)
class CleanerThreadsTest {

    private static final TopicIdPartition PARTITION =
            new TopicIdPartition(new Uuid(7, 11), new TopicPartition("compacted", 0));
    private static final LogConfig COMPACT = LogConfig.DEFAULTS.toBuilder()
            .compact(true)
            .delete(false)
            .minCleanableDirtyRatio(0.01)
            .build();
    private static final CleanerConfig MEMORY = new CleanerConfig(1 << 20, 0.9, 32 << 10);

    private final MockTime time = new MockTime();
    private final SimulatedStorage storage = new SimulatedStorage(time, new Random(1));
    private final BlockingQueue<TopicPartition> looked = new LinkedBlockingQueue<>();
    private final BlockingQueue<TopicPartition> cleaned = new LinkedBlockingQueue<>();
    private final BlockingQueue<Throwable> faults = new LinkedBlockingQueue<>();
    private volatile CleanerThreads.Settings settings = new CleanerThreads.Settings(0, 1, Double.MAX_VALUE, MEMORY);
    private LogDirs dirs;
    private PartitionLog log;
    private CleanerThreads threads;

    @BeforeEach
    void start() throws Exception {
        var metrics = new LogMetrics() {
            @Override
            public void cleanerLooked(double dirtiest, long nowMs) {
                looked.add(PARTITION.topicPartition());
            }

            @Override
            public void cleaned(TopicPartition partition, CleaningStats stats, long nanos) {
                cleaned.add(partition);
            }
        };
        dirs = LogDirs.open(List.of(Path.of("/data")), storage, time, LogDirsConfig.defaults(new Random(1)), metrics);
        log = dirs.getOrCreate(PARTITION, COMPACT);
        write(2);
        FaultHandler handler = (where, fault) -> faults.add(fault);
        threads = new CleanerThreads(dirs.cleaner(), () -> settings, time, handler);
    }

    @AfterEach
    void stop() throws Exception {
        threads.close();
        assertThat(faults).isEmpty();
    }

    private void write(int records) {
        for (int i = 0; i < records; i++) {
            var batch = new BatchBuilder()
                    .append(time.milliseconds(), "k".getBytes(StandardCharsets.UTF_8), new byte[100])
                    .build();
            log.appendAsLeader(batch, 1, AppendOrigin.CLIENT, time.milliseconds());
        }
        log.roll();
        log.setHighWatermark(log.logEndOffset());
    }

    private void set(int count, double bytesPerSecond) {
        settings = new CleanerThreads.Settings(count, 1, bytesPerSecond, MEMORY);
        threads.adjust();
    }

    private static void await(BlockingQueue<TopicPartition> event) throws InterruptedException {
        assertThat(event.poll(20, TimeUnit.SECONDS)).isEqualTo(PARTITION.topicPartition());
    }

    @Test
    void compactsWithAsManyThreadsAsItIsToldAtTheMoment() throws Exception {
        threads.adjust();
        assertThat(looked).isEmpty();
        set(2, Double.MAX_VALUE);
        await(cleaned);
        assertThat(log.cleanedUpTo()).isEqualTo(2);
        set(1, Double.MAX_VALUE);
        write(1);
        await(cleaned);
        set(3, Double.MAX_VALUE);
        write(1);
        await(cleaned);
        assertThat(log.cleanedUpTo()).isEqualTo(4);
    }

    @Test
    void whoWaitsForABoundOnBytesGoesOnWhenItIsRaised() throws Exception {
        // Of 300 bytes the pause is minutes long.
        set(1, 1);
        await(looked);
        set(1, Double.MAX_VALUE);
        await(cleaned);
        assertThat(log.cleanedUpTo()).isEqualTo(2);
    }

    @Test
    void theEndDoesNotWaitForABoundOnBytes() throws Exception {
        set(1, 1);
        await(looked);
        threads.close();
        assertThat(log.cleanedUpTo()).isEqualTo(-1);
        assertThat(cleaned).isEmpty();
    }
}
