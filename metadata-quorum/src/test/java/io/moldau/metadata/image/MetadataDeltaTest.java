package io.moldau.metadata.image;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.moldau.common.InvariantViolation;
import io.moldau.common.TopicIdPartition;
import io.moldau.common.TopicPartition;
import io.moldau.common.Uuid;
import io.moldau.metadata.controller.TestImages;
import io.moldau.metadata.image.snapshot.CorruptSnapshotException;
import io.moldau.metadata.image.snapshot.ImageReader;
import io.moldau.metadata.image.snapshot.ImageWriter;
import io.moldau.metadata.record.MetadataRecord;
import io.moldau.metadata.record.MetadataRecords;
import io.moldau.metadata.record.PartitionChangeRecord;
import io.moldau.metadata.record.RemoveTopicRecord;
import io.moldau.metadata.record.TopicRecord;
import io.moldau.testing.Seeds;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class MetadataDeltaTest {

    private static final Uuid TOPIC = new Uuid(3, 3);

    @Seeds(count = 40)
    void oneDeltaOfManyRecordsIsManyDeltasOfOne(long seed) {
        var random = new SplittableRandom(seed);
        var records = new RandomRecords(random);
        MetadataImage start = TestImages.empty();
        for (int i = random.nextInt(60); i > 0; i--) {
            start = TestImages.apply(start, records.next(start));
        }
        var all = new ArrayList<MetadataRecord>();
        MetadataImage end = start;
        for (int i = random.nextInt(30); i > 0; i--) {
            List<MetadataRecord> next = records.next(end);
            all.addAll(next);
            end = TestImages.apply(end, next);
        }
        var delta = new MetadataDelta(start);
        delta.replayAll(all);
        assertThat(delta.current().sameContents(end)).isTrue();

        // What a node learns by records it would also learn by a snapshot.
        MetadataDelta jump = MetadataDelta.between(start, end);
        assertThat(jump.current().sameContents(end)).isTrue();
        for (int broker = 0; broker < 5; broker++) {
            assertThat(jump.topicsDelta().localChanges(broker))
                    .isEqualTo(delta.topicsDelta().localChanges(broker));
        }
        assertThat(jump.topicsDelta().changedPartitions())
                .isEqualTo(delta.topicsDelta().changedPartitions());
        assertThat(jump.configsDelta().changedResources())
                .isEqualTo(delta.configsDelta().changedResources());
        assertThat(jump.clusterDelta().changedBrokers())
                .isEqualTo(delta.clusterDelta().changedBrokers());
        assertThat(jump.featuresChanged()).isEqualTo(delta.featuresChanged());
    }

    @Seeds(count = 20)
    void aSnapshotHoldsTheWholeImage(long seed) throws IOException {
        var random = new SplittableRandom(seed);
        var records = new RandomRecords(random);
        MetadataImage image = TestImages.empty();
        for (int i = random.nextInt(200); i > 0; i--) {
            image = TestImages.apply(image, records.next(image));
        }
        if (random.nextBoolean()) {
            image = TestImages.apply(image, List.of(MetadataRecords.beginTransaction("t"), MetadataRecords.noOp()));
        }
        var bytes = new ByteArrayOutputStream();
        ImageWriter.write(image, 77, 5, bytes);

        ImageReader.Loaded loaded = ImageReader.read(new ByteArrayInputStream(bytes.toByteArray()));
        assertThat(loaded.index()).isEqualTo(77);
        assertThat(loaded.term()).isEqualTo(5);
        assertThat(loaded.image().sameContents(image)).isTrue();

        // Damage anywhere is found.
        byte[] damaged = bytes.toByteArray();
        int at = random.nextInt(damaged.length);
        damaged[at] ^= (byte) (1 << random.nextInt(8));
        assertThatThrownBy(() -> ImageReader.read(new ByteArrayInputStream(damaged)))
                .as("flipped a bit at " + at)
                .isInstanceOf(CorruptSnapshotException.class);
        int cut = random.nextInt(damaged.length);
        assertThatThrownBy(() -> ImageReader.read(new ByteArrayInputStream(bytes.toByteArray(), 0, cut)))
                .as("cut at " + cut)
                .isInstanceOf(CorruptSnapshotException.class);
    }

    private static MetadataImage withTopic(int leader, Integer... replicas) {
        MetadataImage image = TestImages.withBrokers(3);
        List<Integer> list = List.of(replicas);
        return TestImages.apply(
                image,
                List.of(
                        MetadataRecords.of(TopicRecord.newBuilder()
                                .setName("t")
                                .setTopicId(MetadataRecords.id(TOPIC))
                                .build()),
                        MetadataRecords.of(new io.moldau.metadata.partition.PartitionRegistration(
                                        list,
                                        List.of(),
                                        list,
                                        List.of(),
                                        List.of(),
                                        List.of(),
                                        List.of(),
                                        leader,
                                        io.moldau.metadata.partition.LeaderRecoveryState.RECOVERED,
                                        4,
                                        7)
                                .toRecord(MetadataRecords.id(TOPIC), 0))));
    }

    private static PartitionChangeRecord.Builder change() {
        return PartitionChangeRecord.newBuilder()
                .setTopicId(MetadataRecords.id(TOPIC))
                .setPartitionId(0);
    }

    private static LocalReplicaChanges changes(MetadataImage image, int broker, MetadataRecord... records) {
        var delta = new MetadataDelta(image);
        delta.replayAll(List.of(records));
        return delta.topicsDelta().localChanges(broker);
    }

    private static final TopicIdPartition T0 = new TopicIdPartition(TOPIC, new TopicPartition("t", 0));

    @Test
    void aNewLeaderIsElectedOnceAndUpdatedAfterwards() {
        MetadataImage image = withTopic(0, 0, 1);
        MetadataRecord elect = MetadataRecords.of(change().setLeader(1).build());
        MetadataRecord isr = MetadataRecords.of(change().setIsr(
                        io.moldau.metadata.record.ReplicaList.newBuilder().addIds(1))
                .build());

        LocalReplicaChanges elected = changes(image, 1, elect);
        assertThat(elected.electedLeaders()).containsKey(T0);
        assertThat(elected.leaders()).containsKey(T0);
        assertThat(elected.topicIds()).containsEntry("t", TOPIC);
        var registration = elected.leaders().get(T0);
        assertThat(registration).isNotNull();
        assertThat(registration.leaderEpoch()).isEqualTo(5);
        assertThat(registration.partitionEpoch()).isEqualTo(8);

        LocalReplicaChanges updated = changes(TestImages.apply(image, List.of(elect)), 1, isr);
        assertThat(updated.leaders()).containsKey(T0);
        assertThat(updated.electedLeaders()).isEmpty();

        assertThat(changes(image, 0, elect).followers()).containsKey(T0);
        assertThat(changes(image, 2, elect).isEmpty()).isTrue();
    }

    @Test
    void aReplicaThatIsTakenAwayOrWhoseTopicIsGoneIsDeleted() {
        MetadataImage image = withTopic(0, 0, 1);
        MetadataRecord move = MetadataRecords.of(change().setReplicas(io.moldau.metadata.record.ReplicaList.newBuilder()
                        .addIds(0)
                        .addIds(2))
                .build());
        assertThat(changes(image, 1, move).deleted()).containsExactly(T0);
        assertThat(changes(image, 2, move).followers()).containsKey(T0);

        MetadataRecord remove = MetadataRecords.of(RemoveTopicRecord.newBuilder()
                .setTopicId(MetadataRecords.id(TOPIC))
                .build());
        MetadataRecord again = MetadataRecords.of(TopicRecord.newBuilder()
                .setName("t")
                .setTopicId(MetadataRecords.id(new Uuid(8, 8)))
                .build());
        assertThat(changes(image, 1, remove, again).deleted()).containsExactly(T0);
    }

    @Test
    void aTransactionOfRecordsTakesEffectAtItsEndOrNotAtAll() {
        MetadataRecord topic = MetadataRecords.of(TopicRecord.newBuilder()
                .setName("t")
                .setTopicId(MetadataRecords.id(TOPIC))
                .build());
        MetadataImage begun =
                TestImages.apply(TestImages.empty(), List.of(MetadataRecords.beginTransaction("create"), topic));
        assertThat(begun.topics().topic("t")).isNull();

        assertThat(TestImages.apply(begun, List.of(MetadataRecords.endTransaction()))
                        .topics()
                        .topic("t"))
                .isNotNull();
        MetadataImage aborted = TestImages.apply(begun, List.of(MetadataRecords.abortTransaction("test")));
        assertThat(aborted.topics().topic("t")).isNull();
        assertThat(aborted.openTransaction()).isEmpty();
    }

    @Test
    void recordsOfANewerReleaseHaltTheReader() throws Exception {
        var delta = new MetadataDelta(TestImages.empty());
        assertThatThrownBy(() -> delta.replay(MetadataRecords.noOp().toBuilder()
                        .setMinReaderVersion(MetadataRecords.READER_VERSION + 1)
                        .build()))
                .isInstanceOf(InvariantViolation.class)
                .hasMessageContaining("newer release");
        // A type of record that does not exist yet: field 200, empty.
        MetadataRecord unknown = MetadataRecord.parseFrom(new byte[] {(byte) 0xC2, 0x0C, 0});
        assertThatThrownBy(() -> delta.replay(unknown))
                .isInstanceOf(InvariantViolation.class)
                .hasMessageContaining("newer release");
    }

    @Test
    void deletingATopicDropsItsConfiguration() {
        MetadataImage image = TestImages.apply(
                withTopic(0, 0),
                List.of(MetadataRecords.of(io.moldau.metadata.record.ConfigRecord.newBuilder()
                        .setResourceType(2)
                        .setResourceName("t")
                        .setName("retention.ms")
                        .setValue("1")
                        .build())));
        assertThat(image.configs().overrides(ConfigResource.topic("t"))).isNotEmpty();
        var delta = new MetadataDelta(image);
        delta.replay(MetadataRecords.of(RemoveTopicRecord.newBuilder()
                .setTopicId(MetadataRecords.id(TOPIC))
                .build()));
        assertThat(delta.current().configs().overrides(ConfigResource.topic("t")))
                .isEmpty();
        assertThat(delta.configsDelta().changedResources()).containsExactly(ConfigResource.topic("t"));
    }
}
