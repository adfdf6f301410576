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
import io.moldau.log.storage.HeldStorage;
import io.moldau.log.storage.SimulatedStorage;
import io.moldau.metadata.image.LocalReplicaChanges;
import io.moldau.metadata.image.MetadataDelta;
import io.moldau.metadata.image.MetadataImage;
import io.moldau.metadata.image.MetadataProvenance;
import io.moldau.metadata.image.loader.LoaderManifest;
import io.moldau.metadata.image.publisher.MetadataPublisher;
import io.moldau.metadata.record.MetadataRecords;
import io.moldau.metadata.record.PartitionChangeRecord;
import io.moldau.metadata.record.PartitionRecord;
import io.moldau.metadata.record.RemoveTopicRecord;
import io.moldau.metadata.record.TopicRecord;
import io.moldau.testing.MockTime;
import io.moldau.wire.record.BatchBuilder;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.function.Consumer;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// What those who act on replicas hear while logs are checked after a crash.
@Timeout(30)
class RecoveryGateTest {

    private static final Path DATA = Path.of("/data");
    private static final Uuid SOUND = new Uuid(1, 1);
    private static final Uuid SLOW = new Uuid(2, 2);

    private final MockTime time = new MockTime();
    private final Random random = new Random(1);
    private final SimulatedStorage storage = new SimulatedStorage(time, random);
    private final HeldStorage held = new HeldStorage(
            storage,
            path -> path.toString().contains("slow-0/") && path.toString().endsWith(".log"));
    private final BlockingQueue<Runnable> loader = new LinkedBlockingQueue<>();
    private final List<String> heard = new ArrayList<>();
    private LogDirs logs;
    private RecoveryGate gate;
    private MetadataImage image = MetadataImage.EMPTY;
    private long offset;

    @BeforeEach
    void aKillWhileOneLogWasWritten() throws Exception {
        logs = LogDirs.open(List.of(DATA), storage, time, LogDirsConfig.defaults(random), LogMetrics.NONE);
        write(SOUND, "sound");
        write(SLOW, "slow");
        time.advanceMillis(6_000);
        logs.runMaintenance(time.milliseconds());
        write(SLOW, "slow");
        storage.killProcess();
        logs = openAtOnce();
        held.awaitHeld();
        gate = new RecoveryGate(logs.recovery(), loader::add, List.of(new StrayLogs(1, logs), new Recorder()));
    }

    private LogDirs openAtOnce() throws IOException {
        return LogDirs.openAtOnce(List.of(DATA), held.storage(), time, LogDirsConfig.defaults(random), LogMetrics.NONE);
    }

    private void write(Uuid id, String topic) {
        logs.getOrCreate(new TopicIdPartition(id, new TopicPartition(topic, 0)), LogConfig.DEFAULTS)
                .appendAsLeader(
                        new BatchBuilder().append(1, null, new byte[10]).build(),
                        0,
                        AppendOrigin.CLIENT,
                        time.milliseconds());
    }

    private final class Recorder implements MetadataPublisher {
        @Override
        public String name() {
            return "recorder";
        }

        @Override
        public void onMetadataUpdate(MetadataDelta delta, MetadataImage newImage, LoaderManifest manifest) {
            LocalReplicaChanges changes = delta.topicsDelta().localChanges(1);
            changes.deleted().forEach(it -> heard.add("deleted " + it.topic()));
            changes.electedLeaders().forEach((it, now) -> heard.add("leads " + it.topic() + " " + now.leaderEpoch()));
            changes.followers().forEach((it, now) -> heard.add("follows " + it.topic() + " " + now.leaderEpoch()));
        }
    }

    private void publish(Consumer<MetadataDelta> change) {
        var delta = new MetadataDelta(image);
        change.accept(delta);
        var provenance = new MetadataProvenance(++offset, 1, 0);
        image = delta.apply(provenance);
        gate.onMetadataUpdate(delta, image, new LoaderManifest.LogDelta(provenance, 1, 0));
    }

    private static void topic(MetadataDelta delta, Uuid id, String name) {
        delta.replay(MetadataRecords.of(TopicRecord.newBuilder()
                .setName(name)
                .setTopicId(MetadataRecords.id(id))
                .build()));
        delta.replay(MetadataRecords.of(PartitionRecord.newBuilder()
                .setTopicId(MetadataRecords.id(id))
                .setPartitionId(0)
                .addReplicas(1)
                .addIsr(1)
                .setLeader(1)
                .build()));
    }

    private static void otherLeader(MetadataDelta delta, Uuid id, int leader) {
        delta.replay(MetadataRecords.of(PartitionChangeRecord.newBuilder()
                .setTopicId(MetadataRecords.id(id))
                .setPartitionId(0)
                .setLeader(leader)
                .build()));
    }

    private void bothTopics() {
        publish(delta -> {
            topic(delta, SOUND, "sound");
            topic(delta, SLOW, "slow");
        });
        assertThat(heard).containsExactly("leads sound 0");
        heard.clear();
    }

    private void recover() throws InterruptedException {
        held.letGo();
        loader.take().run();
    }

    @Test
    void aPartitionIsHeardOfOnceItsLogIsSound() throws Exception {
        bothTopics();
        publish(delta -> otherLeader(delta, SLOW, 2));
        assertThat(heard).isEmpty();
        recover();
        assertThat(heard).containsExactly("follows slow 1");
        heard.clear();
        publish(delta -> otherLeader(delta, SLOW, 1));
        assertThat(heard).containsExactly("leads slow 2");
        assertThat(Objects.requireNonNull(logs.get(new TopicPartition("slow", 0)))
                        .view()
                        .logEndOffset())
                .isEqualTo(2);
    }

    @Test
    void othersGoOnMeanwhile() throws Exception {
        bothTopics();
        publish(delta -> otherLeader(delta, SOUND, 2));
        assertThat(heard).containsExactly("follows sound 1");
        heard.clear();
        recover();
        assertThat(heard).containsExactly("leads slow 0");
    }

    @Test
    void aTopicThatIsDeletedMeanwhileLeavesNoLog() throws Exception {
        bothTopics();
        publish(delta -> delta.replay(MetadataRecords.of(RemoveTopicRecord.newBuilder()
                .setTopicId(MetadataRecords.id(SLOW))
                .build())));
        assertThat(logs.get(new TopicPartition("slow", 0))).isNotNull();
        recover();
        assertThat(logs.get(new TopicPartition("slow", 0))).isNull();
        assertThat(logs.get(new TopicPartition("sound", 0))).isNotNull();
        assertThat(heard).isEmpty();
    }

    @Test
    void whatIsSoundBeforeTheMetadataComesIsHeardOfAtOnce() throws Exception {
        recover();
        publish(delta -> {
            topic(delta, SOUND, "sound");
            topic(delta, SLOW, "slow");
        });
        assertThat(heard).containsExactlyInAnyOrder("leads sound 0", "leads slow 0");
    }
}
