package io.moldau.log.dir;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.moldau.common.TopicIdPartition;
import io.moldau.common.TopicPartition;
import io.moldau.common.Uuid;
import io.moldau.log.LogConfig;
import io.moldau.log.LogFixture;
import io.moldau.log.LogMetrics;
import io.moldau.log.LogView;
import io.moldau.log.PartitionLog;
import io.moldau.log.append.AppendOrigin;
import io.moldau.log.storage.LogFile;
import io.moldau.log.storage.LogStorage;
import io.moldau.log.storage.SimulatedStorage;
import io.moldau.log.storage.StorageException;
import io.moldau.testing.MockTime;
import io.moldau.wire.record.BatchBuilder;
import java.io.Closeable;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class LogDirsTest {

    private static final Path FIRST = Path.of("/first");
    private static final Path SECOND = Path.of("/second");

    private final MockTime time = new MockTime();
    private final SimulatedStorage simulated = new SimulatedStorage(time, new Random(3));
    private final CountingStorage storage = new CountingStorage(simulated);
    private final List<TopicPartition> recovered = new ArrayList<>();

    private LogDirs open(Path... directories) throws IOException {
        var metrics = new LogMetrics() {
            @Override
            public synchronized void recovered(TopicPartition partition, long bytesScanned, long bytesCut) {
                recovered.add(partition);
            }
        };
        return LogDirs.open(List.of(directories), storage, time, LogDirsConfig.defaults(new Random(1)), metrics);
    }

    private static TopicIdPartition partition(int number) {
        return new TopicIdPartition(new Uuid(1, 2), new TopicPartition("topic", number));
    }

    private void append(PartitionLog log) {
        var batch = new BatchBuilder()
                .append(time.milliseconds(), null, new byte[10])
                .build();
        log.appendAsLeader(batch, 1, AppendOrigin.CLIENT, time.milliseconds());
    }

    @Test
    void aStartOpensNoFileOfACleanPartition() throws Exception {
        var dirs = open(FIRST);
        for (int i = 0; i < 100; i++) {
            append(dirs.getOrCreate(partition(i), LogConfig.DEFAULTS));
        }
        dirs.close(5);
        storage.opened.clear();

        dirs = open(FIRST);
        for (int i = 0; i < 100; i++) {
            var log = dirs.getOrCreate(partition(i), LogConfig.DEFAULTS);
            assertThat(log.view().logEndOffset()).isEqualTo(1);
            log.beginEpoch(2);
            assertThat(log.view().latestEpoch()).isEqualTo(2);
        }
        assertThat(storage.opened).noneMatch(path -> path.toString().contains("topic-"));
        assertThat(dirs.logs()).hasSize(100);

        var log = dirs.getOrCreate(partition(7), LogConfig.DEFAULTS);
        append(log);
        assertThat(log.leaderEpochs().entries()).hasSize(2);
        assertThat(LogFixture.records(log)).hasSize(2);
        dirs.close();
    }

    @Test
    void aStartAfterAKillLooksOnlyAtPartitionsThatWereBeingWritten() throws Exception {
        var dirs = open(FIRST);
        for (int i = 0; i < 20; i++) {
            append(dirs.getOrCreate(partition(i), LogConfig.DEFAULTS));
        }
        time.advanceMillis(6_000);
        dirs.runMaintenance(time.milliseconds());
        append(dirs.getOrCreate(partition(3), LogConfig.DEFAULTS));
        append(dirs.getOrCreate(partition(20), LogConfig.DEFAULTS));
        simulated.killProcess();

        dirs = open(FIRST);
        assertThat(recovered)
                .containsExactlyInAnyOrder(
                        partition(3).topicPartition(), partition(20).topicPartition());
        for (int i = 0; i < 21; i++) {
            assertThat(dirs.getOrCreate(partition(i), LogConfig.DEFAULTS).view().logEndOffset())
                    .isEqualTo(i == 3 ? 2 : 1);
        }
        // And once more, for what was found is on record now.
        recovered.clear();
        time.advanceMillis(6_000);
        dirs.runMaintenance(time.milliseconds());
        simulated.killProcess();
        open(FIRST);
        assertThat(recovered).isEmpty();
    }

    /// A reassignment takes a replica away and brings it back, and the machine fails: nobody may look
    /// for the records of the first one.
    @ParameterizedTest
    @EnumSource(SimulatedStorage.Unforced.class)
    void aPartitionThatWasDeletedAndMadeAnewIsSoundAfterAPowerCut(SimulatedStorage.Unforced unforced) throws Exception {
        var dirs = open(FIRST);
        var log = dirs.getOrCreate(partition(0), LogConfig.DEFAULTS);
        for (int i = 0; i < 5; i++) {
            append(log);
        }
        dirs.flushAll();
        time.advanceMillis(6_000);
        dirs.runMaintenance(time.milliseconds());
        dirs.delete(partition(0).topicPartition());
        simulated.cutPower(unforced);

        dirs = open(FIRST);
        assertThat(dirs.getOrCreate(partition(0), LogConfig.DEFAULTS).view().logEndOffset())
                .isZero();
        append(dirs.getOrCreate(partition(0), LogConfig.DEFAULTS));
        simulated.cutPower(unforced);

        dirs = open(FIRST);
        assertThat(dirs.getOrCreate(partition(0), LogConfig.DEFAULTS).view().logEndOffset())
                .isLessThanOrEqualTo(1);
        dirs.close();
    }

    @Test
    void aLogOfAnEarlierTopicGoesAway() throws Exception {
        var dirs = open(FIRST);
        append(dirs.getOrCreate(partition(0), LogConfig.DEFAULTS));
        dirs.close();

        dirs = open(FIRST);
        var later = new TopicIdPartition(new Uuid(8, 8), partition(0).topicPartition());
        assertThat(dirs.getOrCreate(later, LogConfig.DEFAULTS).view()).isEqualTo(LogView.EMPTY);
        append(dirs.getOrCreate(later, LogConfig.DEFAULTS));
        simulated.killProcess();
        dirs = open(FIRST);
        assertThat(dirs.getOrCreate(later, LogConfig.DEFAULTS).view().logEndOffset())
                .isEqualTo(1);
        assertThat(simulated.list(FIRST)).anyMatch(name -> name.endsWith("-delete"));
        dirs.runMaintenance(time.milliseconds());
        assertThat(simulated.list(FIRST)).noneMatch(name -> name.endsWith("-delete"));
    }

    @Test
    void spreadsPartitionsAndLosesOnlyTheDirectoryThatFails() throws Exception {
        var dirs = open(FIRST, SECOND);
        for (int i = 0; i < 4; i++) {
            append(dirs.getOrCreate(partition(i), LogConfig.DEFAULTS));
        }
        assertThat(dirs.logs().stream().filter(l -> l.logDir().equals(FIRST))).hasSize(2);

        var failing = dirs.logs().stream()
                .filter(l -> l.logDir().equals(FIRST))
                .findFirst()
                .orElseThrow();
        simulated.failWrites(1);
        assertThatThrownBy(() -> append(failing)).isInstanceOf(StorageException.class);
        simulated.failWrites(0);
        assertThat(dirs.directories().get(0)).isInstanceOf(LogDirState.Offline.class);
        assertThat(dirs.directories().get(1)).isInstanceOf(LogDirState.Online.class);
        var next = dirs.getOrCreate(partition(9), LogConfig.DEFAULTS);
        assertThat(next.logDir()).isEqualTo(SECOND);
        append(next);
        dirs.close();
        assertThat(simulated.exists(FIRST.resolve(".kafka_cleanshutdown"))).isFalse();
        assertThat(simulated.exists(SECOND.resolve(".kafka_cleanshutdown"))).isTrue();
        assertThat(open(FIRST, SECOND).previousBrokerEpoch()).isEqualTo(-1);
    }

    @Test
    void twoNodesCannotShareADirectory() throws Exception {
        var dirs = open(FIRST);
        assertThatThrownBy(() -> open(FIRST)).isInstanceOf(IOException.class);
        dirs.close();
    }

    @Test
    void upkeepFlushesWhenItIsTime() throws Exception {
        var dirs = open(FIRST);
        var config = LogConfig.DEFAULTS.toBuilder().flushMs(1_000).build();
        var log = dirs.getOrCreate(partition(0), config);
        append(log);
        dirs.runMaintenance(time.milliseconds());
        assertThat(log.view().recoveryPoint()).isZero();
        time.advanceMillis(1_000);
        dirs.runMaintenance(time.milliseconds());
        assertThat(log.view().recoveryPoint()).isEqualTo(1);

        var eager = dirs.getOrCreate(
                partition(1), LogConfig.DEFAULTS.toBuilder().flushMessages(2).build());
        append(eager);
        assertThat(eager.view().recoveryPoint()).isZero();
        append(eager);
        assertThat(eager.view().recoveryPoint()).isEqualTo(2);

        append(log);
        log.roll();
        dirs.runMaintenance(time.milliseconds());
        assertThat(log.view().recoveryPoint()).isEqualTo(2);
        dirs.close();
    }

    @Test
    void writesTheCheckpointsKafkaReads() throws Exception {
        var dirs = open(FIRST);
        var log = dirs.getOrCreate(partition(0), LogConfig.DEFAULTS);
        append(log);
        append(log);
        append(log);
        log.setHighWatermark(2);
        log.advanceLogStartOffset(1);
        log.flush();
        dirs.checkpoint();
        assertThat(text("recovery-point-offset-checkpoint")).isEqualTo("0\n1\ntopic 0 3\n");
        assertThat(text("replication-offset-checkpoint")).isEqualTo("0\n1\ntopic 0 2\n");
        assertThat(text("log-start-offset-checkpoint")).isEqualTo("0\n1\ntopic 0 1\n");
        dirs.close(12);
        assertThat(text(".kafka_cleanshutdown")).isEqualTo("{\"version\":0,\"brokerEpoch\":12}");
        assertThat(text("topic-0/partition.metadata")).isEqualTo("version: 0\ntopic_id: " + new Uuid(1, 2) + "\n");
        assertThat(text("topic-0/leader-epoch-checkpoint")).isEqualTo("0\n1\n1 1\n");
    }

    private String text(String file) throws IOException {
        return new String(simulated.readAll(FIRST.resolve(file)), StandardCharsets.UTF_8);
    }

    /// Remembers which files were opened or read.
    private record CountingStorage(SimulatedStorage storage, List<Path> opened) implements LogStorage {

        CountingStorage(SimulatedStorage storage) {
            this(storage, new ArrayList<>());
        }

        @Override
        public LogFile open(Path path, Access access) throws IOException {
            opened.add(path);
            return storage.open(path, access);
        }

        @Override
        public byte[] readAll(Path path) throws IOException {
            opened.add(path);
            return storage.readAll(path);
        }

        @Override
        public boolean exists(Path path) {
            return storage.exists(path);
        }

        @Override
        public boolean isDirectory(Path path) {
            return storage.isDirectory(path);
        }

        @Override
        public List<String> list(Path directory) {
            return storage.list(directory);
        }

        @Override
        public long size(Path path) throws IOException {
            return storage.size(path);
        }

        @Override
        public long lastModifiedMs(Path path) throws IOException {
            return storage.lastModifiedMs(path);
        }

        @Override
        public void createDirectories(Path directory) throws IOException {
            storage.createDirectories(directory);
        }

        @Override
        public void rename(Path from, Path to) throws IOException {
            storage.rename(from, to);
        }

        @Override
        public void delete(Path path) throws IOException {
            storage.delete(path);
        }

        @Override
        public void deleteTree(Path directory) throws IOException {
            storage.deleteTree(directory);
        }

        @Override
        public void syncDirectory(Path directory) throws IOException {
            storage.syncDirectory(directory);
        }

        @Override
        public Closeable lock(Path path) throws IOException {
            return storage.lock(path);
        }

        @Override
        public String bootId() {
            return storage.bootId();
        }

        @Override
        public long totalBytes(Path directory) {
            return storage.totalBytes(directory);
        }

        @Override
        public long usableBytes(Path directory) {
            return storage.usableBytes(directory);
        }
    }
}
