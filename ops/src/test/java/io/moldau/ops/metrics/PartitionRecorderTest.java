package io.moldau.ops.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import io.moldau.common.Uuid;
import io.moldau.metadata.image.MetadataDelta;
import io.moldau.metadata.image.MetadataImage;
import io.moldau.metadata.image.MetadataProvenance;
import io.moldau.metadata.image.loader.LoaderManifest;
import io.moldau.metadata.record.ClusterRecord;
import io.moldau.metadata.record.LeaderRecoveryState;
import io.moldau.metadata.record.MetadataRecord;
import io.moldau.metadata.record.MetadataRecords;
import io.moldau.metadata.record.PartitionRecord;
import io.moldau.metadata.record.TopicRecord;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;

class PartitionRecorderTest {

    private static final Uuid TOPIC = new Uuid(1, 2);

    private static final MetadataRecord CLUSTER = MetadataRecords.of(ClusterRecord.newBuilder()
            .setClusterId(MetadataRecords.id(new Uuid(3, 4)))
            .build());

    /// Of node 2.
    private final PartitionRecorder recorder = new PartitionRecorder(2);

    private MetadataImage image = MetadataImage.EMPTY;
    private int offset;

    private void happens(MetadataRecord... records) {
        var delta = new MetadataDelta(image);
        delta.replayAll(List.of(records));
        offset++;
        var provenance = new MetadataProvenance(offset, 1, 0);
        image = delta.apply(provenance);
        recorder.onMetadataUpdate(delta, image, new LoaderManifest.LogDelta(provenance, 1, 0));
    }

    private static MetadataRecord partition(int leader, LeaderRecoveryState state, Integer... isr) {
        return MetadataRecords.of(PartitionRecord.newBuilder()
                .setTopicId(MetadataRecords.id(TOPIC))
                .setPartitionId(0)
                .addAllReplicas(List.of(1, 2, 3))
                .addAllIsr(List.of(isr))
                .setLeader(leader)
                .setLeaderRecoveryState(state)
                .build());
    }

    private static MetadataRecord sound(int leader, Integer... isr) {
        return partition(leader, LeaderRecoveryState.RECOVERED, isr);
    }

    private List<String> told() {
        var samples = new Samples();
        recorder.collect(samples);
        var out = new ByteArrayOutputStream();
        try {
            samples.writeTo(out);
        } catch (IOException e) {
            throw new AssertionError(e);
        }
        return out.toString(StandardCharsets.UTF_8)
                .lines()
                .filter(line -> !line.startsWith("#"))
                .map(line -> line.replaceFirst(".*_([a-z]+)_total", "$1"))
                .toList();
    }

    @Test
    void changesWhereThisNodeLeadsOrFollowsAreCounted() {
        happens(
                CLUSTER,
                MetadataRecords.of(TopicRecord.newBuilder()
                        .setTopicId(MetadataRecords.id(TOPIC))
                        .setName("t")
                        .build()),
                sound(1, 1, 2, 3));
        // What a node finds when it starts is no change.
        assertThat(told()).containsExactly("uncleanleaderelections 0", "isrexpands 0", "isrshrinks 0", "changes 0");

        happens(sound(1, 1, 3));
        happens(sound(2, 2));
        happens(sound(2, 2, 3));
        happens(sound(2, 2));
        assertThat(told()).containsExactly("uncleanleaderelections 0", "isrexpands 2", "isrshrinks 2", "changes 1");
    }

    @Test
    void anUncleanElectionIsCountedOnceAndByTheNodeThatLeads() {
        happens(
                CLUSTER,
                MetadataRecords.of(TopicRecord.newBuilder()
                        .setTopicId(MetadataRecords.id(TOPIC))
                        .setName("t")
                        .build()),
                sound(1, 1));
        happens(partition(3, LeaderRecoveryState.RECOVERING, 3));
        assertThat(told()).contains("uncleanleaderelections 0");

        happens(partition(2, LeaderRecoveryState.RECOVERING, 2));
        assertThat(told()).contains("uncleanleaderelections 1");
        happens(partition(2, LeaderRecoveryState.RECOVERING, 2, 3));
        happens(sound(2, 2, 3));
        assertThat(told()).contains("uncleanleaderelections 1");
    }
}
