package io.moldau.metadata.quorum.ratis;

import static org.assertj.core.api.Assertions.assertThat;

import io.moldau.metadata.image.MetadataDelta;
import io.moldau.metadata.image.MetadataImage;
import io.moldau.metadata.image.MetadataProvenance;
import io.moldau.metadata.image.snapshot.ImageWriter;
import io.moldau.metadata.record.ClusterRecord;
import io.moldau.metadata.record.FeatureLevelRecord;
import io.moldau.metadata.record.Id;
import io.moldau.metadata.record.MetadataBatch;
import io.moldau.metadata.record.MetadataRecord;
import io.moldau.metadata.record.MetadataRecords;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.apache.ratis.proto.RaftProtos.LogEntryProto;
import org.apache.ratis.proto.RaftProtos.StateMachineLogEntryProto;
import org.apache.ratis.server.raftlog.segmented.SegmentedRaftLogOutputStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Files as Ratis writes them, read without Ratis' server.
class MetadataFilesTest {

    @TempDir
    private Path data;

    private final List<String> found = new ArrayList<>();
    private Path current;
    private Path snapshots;

    private final MetadataFiles.Visitor visitor = new MetadataFiles.Visitor() {
        @Override
        public void snapshot(Path file, long index, int term) {
            found.add("snapshot " + index + " " + term);
        }

        @Override
        public void snapshotRecord(MetadataRecord record) {
            found.add("of snapshot " + record.getRecordCase());
        }

        @Override
        public void segment(Path file) {
            found.add("segment " + file.getFileName());
        }

        @Override
        public void batch(long index, int term, boolean committed, MetadataBatch batch) {
            found.add("batch " + index + " " + term + " " + committed + " "
                    + batch.getRecords(0).getFeatureLevel().getLevel());
        }

        @Override
        public void voters(long index, int term, List<String> voters) {
            found.add("voters " + index + " " + voters);
        }

        @Override
        public void other(long index, int term, String kind) {
            found.add("other " + index + " " + kind);
        }

        @Override
        public void damage(Path file, String reason) {
            found.add("damage " + file.getFileName());
        }
    };

    @BeforeEach
    void folders() throws IOException {
        Path group = data.resolve("__cluster_metadata/raft/group");
        current = Files.createDirectories(group.resolve("current"));
        snapshots = Files.createDirectories(group.resolve("sm"));
    }

    private static MetadataBatch batch(int term, int level) {
        return MetadataBatch.newBuilder()
                .setEpoch(term)
                .addRecords(MetadataRecords.of(FeatureLevelRecord.newBuilder()
                        .setName("f")
                        .setLevel(level)
                        .build()))
                .build();
    }

    private Path segment(String name, int first, int count) throws IOException {
        Path file = current.resolve(name);
        try (var out = new SegmentedRaftLogOutputStream(
                file.toFile(), false, 1 << 20, 1 << 16, ByteBuffer.allocateDirect(1 << 12))) {
            for (int index = first; index < first + count; index++) {
                out.write(LogEntryProto.newBuilder()
                        .setTerm(2)
                        .setIndex(index)
                        .setStateMachineLogEntry(
                                StateMachineLogEntryProto.newBuilder().setLogData(EntryFormat.encode(batch(2, index))))
                        .build());
            }
        }
        return file;
    }

    private void snapshot(int index) throws IOException {
        var delta = new MetadataDelta(MetadataImage.EMPTY);
        delta.replay(MetadataBatch.newBuilder()
                .addRecords(MetadataRecords.of(ClusterRecord.newBuilder()
                        .setClusterId(Id.newBuilder().setLow(1))
                        .setIncarnation(Id.newBuilder().setLow(2))
                        .build()))
                .build());
        try (var out = Files.newOutputStream(snapshots.resolve("snapshot.1_" + index))) {
            ImageWriter.write(delta.apply(new MetadataProvenance(index, 1, 5)), index, 1, out);
        }
    }

    private List<String> read() throws IOException {
        found.clear();
        Path directory = MetadataFiles.find(data);
        assertThat(directory).isEqualTo(data.resolve("__cluster_metadata"));
        MetadataFiles.read(data.resolve("__cluster_metadata"), visitor);
        return found;
    }

    @Test
    void theNewestSnapshotComesBeforeTheLog() throws Exception {
        snapshot(3);
        snapshot(20);
        segment("log_inprogress_12", 12, 1);
        segment("log_9-11", 9, 3);
        new CommitMark(data.resolve("__cluster_metadata/commit.mark")).write(new CommitMark.Mark(2, 10));

        assertThat(read())
                .containsExactly(
                        "snapshot 20 1",
                        "of snapshot CLUSTER",
                        "segment log_9-11",
                        "batch 9 2 true 9",
                        "batch 10 2 true 10",
                        "batch 11 2 false 11",
                        "segment log_inprogress_12",
                        "batch 12 2 false 12");
    }

    @Test
    void damageIsToldAndTheRestIsReadNevertheless() throws Exception {
        snapshot(20);
        byte[] bytes = Files.readAllBytes(snapshots.resolve("snapshot.1_20"));
        bytes[bytes.length - 3] ^= 1;
        Files.write(snapshots.resolve("snapshot.1_20"), bytes);
        Path first = segment("log_1-3", 1, 3);
        byte[] log = Files.readAllBytes(first);
        log[log.length / 2] ^= 1;
        Files.write(first, log);
        segment("log_inprogress_4", 4, 1);

        assertThat(read())
                .contains("damage snapshot.1_20", "damage log_1-3", "batch 4 2 false 4")
                .doesNotContain("batch 3 2 false 3");
    }

    @Test
    void nothingIsFoundWhereNothingIs() {
        assertThat(MetadataFiles.find(current)).isNull();
    }
}
