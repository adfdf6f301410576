package io.moldau.broker.replica;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.moldau.common.ApiException;
import io.moldau.common.Errors;
import io.moldau.common.FaultHandler;
import io.moldau.common.TopicIdPartition;
import io.moldau.common.TopicPartition;
import io.moldau.common.Uuid;
import io.moldau.log.LogConfig;
import io.moldau.log.LogMetrics;
import io.moldau.log.dir.LogDirs;
import io.moldau.log.dir.LogDirsConfig;
import io.moldau.log.storage.NioLogStorage;
import io.moldau.metadata.image.MetadataImage;
import io.moldau.metadata.partition.LeaderRecoveryState;
import io.moldau.metadata.partition.PartitionRegistration;
import io.moldau.testing.MockTime;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PartitionRegistryTest {

    private static final Uuid GOOD = new Uuid(1, 1);
    private static final Uuid BAD = new Uuid(2, 2);

    @TempDir
    private Path data;

    private static TopicIdPartition id(int partition) {
        return new TopicIdPartition(new Uuid(4, 4), new TopicPartition("t", partition));
    }

    private static PartitionRegistration in(Uuid directory) {
        return new PartitionRegistration(
                List.of(1),
                List.of(directory),
                List.of(1),
                List.of(),
                List.of(),
                List.of(),
                List.of(),
                1,
                LeaderRecoveryState.RECOVERED,
                0,
                3);
    }

    @Test
    void whatIsInADirectoryThatCannotBeOpenedIsNotMadeAnewElsewhere() throws Exception {
        Path good = data.resolve("good").toAbsolutePath().normalize();
        Path bad = data.resolve("bad").toAbsolutePath().normalize();
        Files.writeString(bad, "no directory");
        var time = new MockTime();
        var faults = new FaultHandler.Recording();
        var settings = new TopicSettings(LogConfig.DEFAULTS, 1);
        try (LogDirs logs = LogDirs.open(
                        List.of(good, bad),
                        new NioLogStorage(),
                        time,
                        LogDirsConfig.defaults(new Random(1)),
                        LogMetrics.NONE);
                PartitionRegistry registry = new PartitionRegistry(
                        1,
                        logs,
                        Map.of(good, GOOD, bad, BAD),
                        () -> MetadataImage.EMPTY,
                        time,
                        new TailCache(new HeapMemory(), 1 << 20, 1 << 16),
                        faults,
                        Replication.NONE)) {
            registry.becomeLeader(id(0), in(BAD), settings);
            registry.becomeLeader(id(1), in(GOOD), settings);
            registry.becomeLeader(id(2), in(Uuid.ZERO), settings);
            assertThatThrownBy(() -> registry.online(new TopicPartition("t", 0)))
                    .isInstanceOfSatisfying(
                            ApiException.class, it -> assertThat(it.error()).isEqualTo(Errors.KAFKA_STORAGE_ERROR));
            assertThat(logs.get(new TopicPartition("t", 0))).isNull();
            assertThat(registry.online(new TopicPartition("t", 1)).log().logDir())
                    .isEqualTo(good);
            assertThat(registry.online(new TopicPartition("t", 2)).isLeader()).isTrue();
        }
        assertThat(faults.faults()).isEmpty();
    }
}
