package io.moldau.log.dir;

import static org.assertj.core.api.Assertions.assertThat;

import io.moldau.common.TopicIdPartition;
import io.moldau.common.TopicPartition;
import io.moldau.common.Uuid;
import io.moldau.log.LogConfig;
import io.moldau.log.LogFixture;
import io.moldau.log.LogMetrics;
import io.moldau.log.PartitionLog;
import io.moldau.log.append.AppendOrigin;
import io.moldau.log.storage.HeldStorage;
import io.moldau.log.storage.LogStorage;
import io.moldau.log.storage.SimulatedStorage;
import io.moldau.testing.MockTime;
import io.moldau.wire.record.BatchBuilder;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// What can be used while logs are made sound after a crash, and in which order they are.
@Timeout(30)
class LogRecoveryTest {

    private static final Path DATA = Path.of("/data");

    private final MockTime time = new MockTime();
    private final SimulatedStorage simulated = new SimulatedStorage(time, new Random(3));
    private final List<TopicPartition> recovered = Collections.synchronizedList(new ArrayList<>());

    private LogDirs open(LogStorage storage, int threads) throws IOException {
        var defaults = LogDirsConfig.defaults(new Random(1));
        var config = new LogDirsConfig(
                defaults.checkpointIntervalMs(),
                defaults.retentionCheckIntervalMs(),
                defaults.recoveryPointCheckpointIntervalMs(),
                defaults.producerIdExpirationMs(),
                defaults.producerIdCheckIntervalMs(),
                threads,
                defaults.readCheckIntervalMs(),
                defaults.byFreeBytes(),
                new Random(1));
        var metrics = new LogMetrics() {
            @Override
            public void recovered(TopicPartition partition, long bytesScanned, long bytesCut) {
                recovered.add(partition);
            }
        };
        return LogDirs.openAtOnce(List.of(DATA), storage, time, config, metrics);
    }

    private static TopicIdPartition partition(String topic) {
        return new TopicIdPartition(
                new Uuid(1, Integer.toUnsignedLong(topic.hashCode())), new TopicPartition(topic, 0));
    }

    private static PartitionLog log(LogDirs dirs, String topic) {
        return dirs.getOrCreate(partition(topic), LogConfig.DEFAULTS);
    }

    private void append(LogDirs dirs, String topic, int batches) {
        for (int i = 0; i < batches; i++) {
            log(dirs, topic)
                    .appendAsLeader(
                            new BatchBuilder()
                                    .append(time.milliseconds(), null, new byte[100])
                                    .build(),
                            1,
                            AppendOrigin.CLIENT,
                            time.milliseconds());
        }
    }

    @Test
    void whatIsWaitedForComesFirstThenTheSmallest() throws Exception {
        var dirs = open(simulated, 1);
        append(dirs, "large", 30);
        append(dirs, "small", 3);
        append(dirs, "middle", 10);
        append(dirs, "__consumer_offsets", 60);
        simulated.killProcess();

        dirs = open(simulated, 1);
        dirs.recovery().await();
        assertThat(recovered.stream().map(TopicPartition::topic))
                .containsExactly("__consumer_offsets", "small", "middle", "large");
        assertThat(dirs.recovery().progress().logs()).isEqualTo(4);
        assertThat(dirs.recovery().progress().bytesLeft()).isZero();
        dirs.close();
    }

    @Test
    void onlyWhatWasWrittenSinceTheLastSaveIsRead() throws Exception {
        var dirs = open(simulated, 1);
        append(dirs, "topic", 50);
        time.advanceMillis(6_000);
        dirs.runMaintenance(time.milliseconds());
        append(dirs, "topic", 2);
        simulated.killProcess();

        dirs = open(simulated, 1);
        dirs.recovery().await();
        long size = log(dirs, "topic").view().sizeInBytes();
        assertThat(dirs.recovery().progress().bytes()).isEqualTo(size * 2 / 52);
        dirs.close();
    }

    @Test
    void theOthersAreUsedMeanwhile() throws Exception {
        var dirs = open(simulated, 2);
        append(dirs, "slow", 40);
        append(dirs, "quick", 2);
        append(dirs, "clean", 5);
        log(dirs, "clean").flush();
        simulated.killProcess();

        var held = new HeldStorage(simulated, path -> path.toString().endsWith("slow-0/00000000000000000000.log"));
        dirs = open(held.storage(), 2);
        var sound = new CountDownLatch(2);
        dirs.recovery().onSound(sound::countDown);
        held.awaitHeld();
        while (dirs.recovery().progress().logsLeft() > 1) {
            Thread.onSpinWait();
        }
        assertThat(dirs.recovery().pending()).containsExactly(partition("slow").topicPartition());
        assertThat(dirs.recovery().progress().bytesLeft()).isPositive();
        append(dirs, "quick", 1);
        assertThat(LogFixture.records(log(dirs, "quick"))).hasSize(3);
        assertThat(LogFixture.records(log(dirs, "clean"))).hasSize(5);
        // Upkeep passes over it and does not wait.
        dirs.runMaintenance(time.milliseconds());
        time.advanceMillis(400_000);
        dirs.runMaintenance(time.milliseconds());

        held.letGo();
        dirs.recovery().await();
        assertThat(dirs.recovery().isDone()).isTrue();
        assertThat(LogFixture.records(log(dirs, "slow"))).hasSize(40);
        dirs.close();
    }

    @Test
    void aStopInTheMiddleIsNoCleanOne() throws Exception {
        var dirs = open(simulated, 1);
        append(dirs, "first", 1);
        append(dirs, "second", 40);
        append(dirs, "third", 60);
        simulated.killProcess();

        var held = new HeldStorage(simulated, path -> path.toString().endsWith("second-0/00000000000000000000.log"));
        var stopped = open(held.storage(), 1);
        held.awaitHeld();
        var stopping = Thread.ofPlatform().start(stopped::close);
        while (!stopped.recovery().isStopped()) {
            Thread.onSpinWait();
        }
        held.letGo();
        stopping.join();
        assertThat(recovered.stream().map(TopicPartition::topic)).containsExactly("first", "second");
        assertThat(simulated.exists(DATA.resolve(".kafka_cleanshutdown"))).isFalse();

        recovered.clear();
        dirs = open(simulated, 1);
        dirs.recovery().await();
        assertThat(recovered.stream().map(TopicPartition::topic)).containsExactly("third");
        assertThat(LogFixture.records(log(dirs, "first"))).hasSize(1);
        assertThat(LogFixture.records(log(dirs, "second"))).hasSize(40);
        assertThat(LogFixture.records(log(dirs, "third"))).hasSize(60);
        dirs.close();
    }
}
