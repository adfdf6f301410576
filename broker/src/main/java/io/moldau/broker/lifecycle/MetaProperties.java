package io.moldau.broker.lifecycle;

import io.moldau.common.Uuid;
import java.io.IOException;
import java.io.StringReader;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.Optional;
import java.util.Properties;

/// Whose a data directory is: the content of its `meta.properties`, in Kafka's form (version 1, KIP-858).
///
/// @param clusterId the cluster's id, 22 characters as a rule
/// @param nodeId the node's number
/// @param directoryId the directory's own id, unique in the cluster
record MetaProperties(String clusterId, int nodeId, Uuid directoryId) {

    static final String FILE_NAME = "meta.properties";

    /// Reads the file of a directory; empty if the directory was never used.
    ///
    /// @throws StartException if the file is there but says something else than this version understands
    /// @throws IOException if it cannot be read
    static Optional<MetaProperties> read(Path directory) throws IOException {
        Path file = directory.resolve(FILE_NAME);
        if (!Files.exists(file)) {
            return Optional.empty();
        }
        Properties properties = new Properties();
        properties.load(new StringReader(Files.readString(file)));
        String version = required(file, properties, "version");
        if (!version.equals("1")) {
            throw new StartException(
                    file + " has version " + version + ", Moldau reads version 1. Use an empty directory in log.dirs.");
        }
        return Optional.of(new MetaProperties(
                required(file, properties, "cluster.id"),
                nodeId(file, required(file, properties, "node.id")),
                directoryId(file, required(file, properties, "directory.id"))));
    }

    /// Writes the file so that after a crash it is either whole or absent.
    void write(Path directory) throws IOException {
        String text = "#\ncluster.id=" + clusterId + "\ndirectory.id=" + directoryId + "\nnode.id=" + nodeId
                + "\nversion=1\n";
        Path temporary = directory.resolve(FILE_NAME + ".tmp");
        try (FileChannel channel = FileChannel.open(
                temporary, StandardOpenOption.CREATE, StandardOpenOption.TRUNCATE_EXISTING, StandardOpenOption.WRITE)) {
            ByteBuffer bytes = ByteBuffer.wrap(text.getBytes(StandardCharsets.UTF_8));
            while (bytes.hasRemaining()) {
                channel.write(bytes);
            }
            channel.force(true);
        }
        Files.move(temporary, directory.resolve(FILE_NAME), StandardCopyOption.ATOMIC_MOVE);
        try (FileChannel channel = FileChannel.open(directory, StandardOpenOption.READ)) {
            channel.force(true);
        }
    }

    private static String required(Path file, Properties properties, String key) {
        String value = properties.getProperty(key);
        if (value == null || value.isBlank()) {
            throw new StartException(file + " has no " + key
                    + ". Restore the file from another directory of this node, or use an empty directory in log.dirs.");
        }
        return value.strip();
    }

    private static int nodeId(Path file, String text) {
        try {
            return Integer.parseInt(text);
        } catch (NumberFormatException e) {
            throw new StartException(file + ": node.id=" + text + " is not a number.", e);
        }
    }

    private static Uuid directoryId(Path file, String text) {
        try {
            return Uuid.fromString(text);
        } catch (IllegalArgumentException e) {
            throw new StartException(file + ": directory.id=" + text + " is not an id of 22 characters.", e);
        }
    }
}
