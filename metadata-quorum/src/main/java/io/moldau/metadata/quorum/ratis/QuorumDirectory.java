package io.moldau.metadata.quorum.ratis;

import io.moldau.common.Uuid;
import java.io.IOException;
import java.io.StringReader;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.Properties;
import java.util.UUID;
import java.util.random.RandomGenerator;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/// The directory of a voter and the file that says whose it is.
///
///     quorum.properties   cluster id, node id, directory id, whether the log was ever opened here, whether it is a
/// voter's
///     commit.mark         see CommitMark
///     raft/               Ratis' own; it must hold nothing else
public final class QuorumDirectory {

    private static final String VERSION = "1";

    private final Path path;
    private final Uuid clusterId;
    private final int nodeId;
    private final Uuid directoryId;
    private boolean opened;
    private volatile boolean voter;

    private QuorumDirectory(Path path, Uuid clusterId, int nodeId, Uuid directoryId, boolean opened, boolean voter) {
        this.path = path;
        this.clusterId = clusterId;
        this.nodeId = nodeId;
        this.directoryId = directoryId;
        this.opened = opened;
        this.voter = voter;
    }

    /// Opens the directory, or prepares it if it is new.
    ///
    /// @param clusterId what the directory must belong to; null: whatever it says, and a random one if it is new
    /// @throws IOException if it belongs to another node or cluster, or its log is gone
    public static QuorumDirectory open(Path path, int nodeId, @Nullable Uuid clusterId, RandomGenerator random)
            throws IOException {
        return open(path, nodeId, clusterId, null, random);
    }

    /// The same with an id for the directory if it is new; null: a random one.
    public static QuorumDirectory open(
            Path path, int nodeId, @Nullable Uuid clusterId, @Nullable Uuid directoryId, RandomGenerator random)
            throws IOException {
        Files.createDirectories(path);
        Path file = path.resolve("quorum.properties");
        if (!Files.exists(file)) {
            var directory = new QuorumDirectory(
                    path,
                    clusterId == null ? Uuid.random(random) : clusterId,
                    nodeId,
                    directoryId == null ? Uuid.random(random) : directoryId,
                    false,
                    false);
            directory.store();
            return directory;
        }
        var properties = new Properties();
        properties.load(new StringReader(Files.readString(file)));
        if (!VERSION.equals(properties.getProperty("version"))) {
            throw new IOException(file + " has version " + properties.getProperty("version") + ", this release reads "
                    + VERSION + ": it was written by a newer release, run that one");
        }
        var directory = new QuorumDirectory(
                path,
                Uuid.fromString(required(properties, "cluster.id", file)),
                Integer.parseInt(required(properties, "node.id", file)),
                Uuid.fromString(required(properties, "directory.id", file)),
                Boolean.parseBoolean(required(properties, "opened", file)),
                // Earlier releases knew nothing but voters.
                Boolean.parseBoolean(properties.getProperty("voter", properties.getProperty("opened"))));
        if (directory.nodeId != nodeId) {
            throw new IOException(path + " belongs to node " + directory.nodeId + ", but this is node " + nodeId
                    + ": set node.id=" + directory.nodeId + " or give this node a directory of its own");
        }
        if (clusterId != null && !directory.clusterId.equals(clusterId)) {
            throw new IOException(path + " belongs to cluster " + directory.clusterId + ", but this node is of cluster "
                    + clusterId + ": use the directory of that cluster, or an empty one");
        }
        if (!directory.opened) {
            directory.removeHalfMadeLog();
        } else if (!Files.isDirectory(directory.groupDirectory())) {
            throw new IOException("the metadata log " + directory.groupDirectory() + " is gone, though " + file
                    + " says it was there: restore it, or empty " + path
                    + " to start as a new voter without its old promises");
        }
        return directory;
    }

    /// A process that ended while Ratis made the directory leaves one that Ratis does not take any more. Without the
    /// file that holds term and vote nothing was ever promised or stored in it.
    private void removeHalfMadeLog() throws IOException {
        Path group = groupDirectory();
        if (!Files.isDirectory(group) || Files.exists(group.resolve("current").resolve("raft-meta"))) {
            return;
        }
        try (Stream<Path> files = Files.walk(group)) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(file);
            }
        }
    }

    private static String required(Properties properties, String key, Path file) throws IOException {
        String value = properties.getProperty(key);
        if (value == null) {
            throw new IOException(file + " lacks " + key);
        }
        return value;
    }

    /// Remembers that a log exists here: from now on a missing one is an error.
    void markOpened() throws IOException {
        if (!opened) {
            opened = true;
            store();
        }
    }

    /// Whether the node was a voter when it last heard about it.
    boolean isVoter() {
        return voter;
    }

    void markVoter(boolean now) throws IOException {
        if (voter != now) {
            voter = now;
            store();
        }
    }

    private synchronized void store() throws IOException {
        String text = "version=" + VERSION + "\ncluster.id=" + clusterId + "\nnode.id=" + nodeId + "\ndirectory.id="
                + directoryId + "\nopened=" + opened + "\nvoter=" + voter + "\n";
        DurableFiles.replace(path.resolve("quorum.properties"), ByteBuffer.wrap(text.getBytes(StandardCharsets.UTF_8)));
    }

    public Path path() {
        return path;
    }

    public Uuid clusterId() {
        return clusterId;
    }

    public int nodeId() {
        return nodeId;
    }

    public Uuid directoryId() {
        return directoryId;
    }

    /// Where Ratis keeps log and snapshots.
    public Path raftDirectory() {
        return path.resolve("raft");
    }

    Path commitMark() {
        return path.resolve("commit.mark");
    }

    UUID groupId() {
        return new UUID(clusterId.mostSignificantBits(), clusterId.leastSignificantBits());
    }

    private Path groupDirectory() {
        return raftDirectory().resolve(groupId().toString());
    }
}
