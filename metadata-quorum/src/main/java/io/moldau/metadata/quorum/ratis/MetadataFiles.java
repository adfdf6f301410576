package io.moldau.metadata.quorum.ratis;

import io.moldau.common.InvariantViolation;
import io.moldau.metadata.image.snapshot.ImageReader;
import io.moldau.metadata.image.snapshot.ImageWriter;
import io.moldau.metadata.record.MetadataBatch;
import io.moldau.metadata.record.MetadataRecord;
import java.io.BufferedInputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.apache.ratis.proto.RaftProtos.LogEntryProto;
import org.apache.ratis.proto.RaftProtos.RaftPeerProto;
import org.apache.ratis.server.RaftServerConfigKeys.Log.CorruptionPolicy;
import org.apache.ratis.server.raftlog.segmented.LogSegment;
import org.apache.ratis.server.raftlog.segmented.LogSegmentPath;
import org.apache.ratis.util.SizeInBytes;
import org.jspecify.annotations.Nullable;

/// Reads the metadata that a node keeps on disk, without a node and without changing anything. The files may be
/// those of a node that runs: what it is writing at this moment may be missing.
public final class MetadataFiles {

    private static final Pattern SNAPSHOT = Pattern.compile("snapshot\\.(\\d+)_(\\d+)");

    /// What is found, in the order of the log.
    public interface Visitor {

        /// The newest snapshot is next.
        void snapshot(Path file, long index, int term);

        /// A record of the snapshot.
        void snapshotRecord(MetadataRecord record);

        /// A segment of the log is next.
        void segment(Path file);

        /// A batch of metadata.
        ///
        /// @param committed whether it was known to be committed when this was written down last
        void batch(long index, int term, boolean committed, MetadataBatch batch);

        /// The voters change; each as `id@host:port`.
        void voters(long index, int term, List<String> voters);

        /// Another entry of Raft's own.
        void other(long index, int term, String kind);

        /// A file that cannot be read, or not to its end.
        void damage(Path file, String reason);
    }

    private MetadataFiles() {}

    /// Where the metadata is in a node's data directory, or the directory itself if it is the one; null if there is
    /// none.
    public static @Nullable Path find(Path directory) {
        for (Path candidate : List.of(directory, directory.resolve("__cluster_metadata"))) {
            if (Files.isDirectory(candidate.resolve("raft"))) {
                return candidate;
            }
        }
        return null;
    }

    /// @param directory as [#find] says
    /// @throws IOException if the directory itself cannot be read
    public static void read(Path directory, Visitor visitor) throws IOException {
        CommitMark.Mark mark = new CommitMark(directory.resolve("commit.mark")).read();
        long committed = mark == null ? -1 : mark.index();
        try (Stream<Path> groups = Files.list(directory.resolve("raft"))) {
            for (Path group : groups.filter(Files::isDirectory).sorted().toList()) {
                readSnapshot(group.resolve("sm"), visitor);
                readLog(group.resolve("current"), committed, visitor);
            }
        }
    }

    private record SnapshotFile(Path path, int term, long index) {}

    private static void readSnapshot(Path directory, Visitor visitor) throws IOException {
        List<SnapshotFile> snapshots = new ArrayList<>();
        for (Path file : list(directory)) {
            Matcher matcher = SNAPSHOT.matcher(name(file));
            if (matcher.matches()) {
                snapshots.add(
                        new SnapshotFile(file, Integer.parseInt(matcher.group(1)), Long.parseLong(matcher.group(2))));
            }
        }
        snapshots.sort(Comparator.comparingLong(SnapshotFile::index));
        if (snapshots.isEmpty()) {
            return;
        }
        SnapshotFile newest = snapshots.getLast();
        visitor.snapshot(newest.path(), newest.index(), newest.term());
        try (var in = new BufferedInputStream(Files.newInputStream(newest.path()), 1 << 16)) {
            ImageWriter.records(ImageReader.read(in).image(), visitor::snapshotRecord);
        } catch (IOException e) {
            visitor.damage(newest.path(), String.valueOf(e.getMessage()));
        }
    }

    private static void readLog(Path directory, long committed, Visitor visitor) throws IOException {
        List<LogSegmentPath> segments = new ArrayList<>();
        for (Path file : list(directory)) {
            LogSegmentPath segment = LogSegmentPath.matchLogSegment(file);
            if (segment != null) {
                segments.add(segment);
            }
        }
        segments.sort(Comparator.comparing(LogSegmentPath::getStartEnd));
        for (LogSegmentPath segment : segments) {
            visitor.segment(segment.getPath());
            try {
                LogSegment.readSegmentFile(
                        segment.getPath().toFile(),
                        segment.getStartEnd(),
                        SizeInBytes.valueOf(RatisProperties.APPENDER_BYTE_LIMIT + 8L),
                        CorruptionPolicy.EXCEPTION,
                        null,
                        entry -> visit(entry, committed, segment.getPath(), visitor));
            } catch (IOException | IllegalStateException e) {
                visitor.damage(segment.getPath(), String.valueOf(e.getMessage()));
            }
        }
    }

    private static void visit(LogEntryProto entry, long committed, Path file, Visitor visitor) {
        int term = (int) entry.getTerm();
        switch (entry.getLogEntryBodyCase()) {
            case STATEMACHINELOGENTRY -> {
                MetadataBatch batch;
                try {
                    batch = EntryFormat.decode(entry.getStateMachineLogEntry().getLogData());
                } catch (InvariantViolation e) {
                    visitor.damage(file, "entry " + entry.getIndex() + ": " + e.getMessage());
                    return;
                }
                visitor.batch(entry.getIndex(), term, entry.getIndex() <= committed, batch);
            }
            case CONFIGURATIONENTRY ->
                visitor.voters(
                        entry.getIndex(),
                        term,
                        entry.getConfigurationEntry().getPeersList().stream()
                                .map(MetadataFiles::voter)
                                .toList());
            default ->
                visitor.other(
                        entry.getIndex(), term, entry.getLogEntryBodyCase().name());
        }
    }

    private static String voter(RaftPeerProto peer) {
        return peer.getId().toStringUtf8() + "@" + peer.getAddress();
    }

    private static List<Path> list(Path directory) throws IOException {
        if (!Files.isDirectory(directory)) {
            return List.of();
        }
        try (Stream<Path> files = Files.list(directory)) {
            return files.sorted().toList();
        }
    }

    private static String name(Path file) {
        return Objects.requireNonNull(file.getFileName()).toString();
    }
}
