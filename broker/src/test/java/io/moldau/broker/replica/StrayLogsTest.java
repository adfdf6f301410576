package io.moldau.broker.replica;

import static org.assertj.core.api.Assertions.assertThat;

import io.moldau.common.TopicIdPartition;
import io.moldau.common.TopicPartition;
import io.moldau.common.Uuid;
import io.moldau.log.LogConfig;
import io.moldau.log.LogMetrics;
import io.moldau.log.append.AppendOrigin;
import io.moldau.log.dir.LogDirs;
import io.moldau.log.dir.LogDirsConfig;
import io.moldau.log.storage.SimulatedStorage;
import io.moldau.metadata.image.MetadataDelta;
import io.moldau.metadata.image.MetadataImage;
import io.moldau.metadata.image.MetadataProvenance;
import io.moldau.metadata.image.loader.LoaderManifest;
import io.moldau.metadata.record.MetadataRecords;
import io.moldau.metadata.record.PartitionRecord;
import io.moldau.metadata.record.TopicRecord;
import io.moldau.testing.MockTime;
import io.moldau.wire.record.BatchBuilder;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/// Logs that have no replica any more when the node comes back.
class StrayLogsTest {

    private static final Path DATA = Path.of("/data");

    private final MockTime time = new MockTime();
    private final Random random = new Random(1);
    private final SimulatedStorage storage = new SimulatedStorage(time, random);
    private final Uuid kept = new Uuid(1, 1);
    private final Uuid deleted = new Uuid(2, 2);
    private final Uuid moved = new Uuid(3, 3);
    private LogDirs logs;

    @BeforeEach
    void threeLogsFromBefore() throws IOException {
        logs = open();
        write(kept, "kept");
        write(deleted, "deleted");
        write(moved, "moved");
        logs.close();
        logs = open();
    }

    private LogDirs open() throws IOException {
        return LogDirs.open(List.of(DATA), storage, time, LogDirsConfig.defaults(random), LogMetrics.NONE);
    }

    private void write(Uuid id, String topic) {
        logs.getOrCreate(new TopicIdPartition(id, new TopicPartition(topic, 0)), LogConfig.DEFAULTS)
                .appendAsLeader(
                        new BatchBuilder().append(1, null, new byte[10]).build(),
                        0,
                        AppendOrigin.CLIENT,
                        time.milliseconds());
    }

    private static void topic(MetadataDelta delta, Uuid id, String name, int replica) {
        delta.replay(MetadataRecords.of(TopicRecord.newBuilder()
                .setName(name)
                .setTopicId(MetadataRecords.id(id))
                .build()));
        delta.replay(MetadataRecords.of(PartitionRecord.newBuilder()
                .setTopicId(MetadataRecords.id(id))
                .setPartitionId(0)
                .addReplicas(replica)
                .addIsr(replica)
                .setLeader(replica)
                .build()));
    }

    private void publish(StrayLogs strays, MetadataDelta delta) {
        var provenance = new MetadataProvenance(1, 1, 0);
        strays.onMetadataUpdate(delta, delta.apply(provenance), new LoaderManifest.LogDelta(provenance, 1, 0));
    }

    private List<String> directories() {
        return storage.list(DATA).stream()
                .filter(name -> storage.isDirectory(DATA.resolve(name)))
                .sorted()
                .toList();
    }

    @Test
    void whatTheMetadataDoesNotGiveThisNodeGoes() throws IOException {
        var delta = new MetadataDelta(MetadataImage.EMPTY);
        topic(delta, kept, "kept", 1);
        topic(delta, moved, "moved", 2);
        topic(delta, new Uuid(9, 9), "deleted", 2); // made again under the same name, elsewhere
        var strays = new StrayLogs(1, logs);
        publish(strays, delta);
        assertThat(logs.logs()).extracting(log -> log.topicPartition().topic()).containsExactly("kept");
        assertThat(directories())
                .hasSize(3)
                .contains("kept-0")
                .filteredOn(name -> name.endsWith("-delete"))
                .hasSize(2);
        time.advanceMillis(LogConfig.DEFAULTS.fileDeleteDelayMs() + 1);
        logs.runMaintenance(time.milliseconds());
        assertThat(directories()).containsExactly("kept-0");
        // Once only: later metadata is acted on change by change.
        publish(strays, new MetadataDelta(MetadataImage.EMPTY));
        assertThat(logs.logs()).hasSize(1);
    }

    @Test
    void metadataWithoutAnyTopicDeletesNothing() throws IOException {
        publish(new StrayLogs(1, logs), new MetadataDelta(MetadataImage.EMPTY));
        assertThat(logs.logs()).isEmpty();
        assertThat(directories()).hasSize(3).allMatch(name -> name.endsWith("-stray"));
        time.advanceMillis(LogConfig.DEFAULTS.fileDeleteDelayMs() + 1);
        logs.runMaintenance(time.milliseconds());
        logs.close();
        logs = open();
        assertThat(logs.logs()).isEmpty();
        assertThat(directories()).hasSize(3);
    }
}
