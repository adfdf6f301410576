package io.moldau.log.recovery;

import io.moldau.common.Uuid;
import io.moldau.log.storage.CorruptLogException;
import io.moldau.log.storage.LogStorage;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// The `partition.metadata` file of a partition's directory: a version and the topic's id.
public final class PartitionMetadataFile {

    public static final String FILE_NAME = "partition.metadata";

    private static final Logger LOG = LoggerFactory.getLogger(PartitionMetadataFile.class);

    private PartitionMetadataFile() {}

    public static void write(LogStorage storage, Path directory, Uuid topicId) throws IOException {
        var text = "version: 0\ntopic_id: " + topicId + "\n";
        storage.replace(directory.resolve(FILE_NAME), text.getBytes(StandardCharsets.UTF_8), false);
    }

    /// The topic's id, [Uuid#ZERO] if there is no readable file.
    public static Uuid read(LogStorage storage, Path directory) throws IOException {
        var path = directory.resolve(FILE_NAME);
        var id = storage.exists(path) ? parse(storage.readAll(path)) : null;
        return id == null ? Uuid.ZERO : id;
    }

    private static @Nullable Uuid parse(byte[] content) {
        var lines = new String(content, StandardCharsets.UTF_8).lines().toList();
        if (lines.size() != 2
                || !lines.get(0).strip().equals("version: 0")
                || !lines.get(1).startsWith("topic_id:")) {
            return null;
        }
        try {
            return Uuid.fromString(lines.get(1).substring("topic_id:".length()).strip());
        } catch (IllegalArgumentException e) {
            return null;
        }
    }

    /// Sees to it that the directory is that of the topic. A file that is missing or damaged is
    /// written again where the topic's id is known from elsewhere.
    ///
    /// @param topicId what the log directory remembers, [Uuid#ZERO] if nothing
    /// @param mayBeTorn whether the machine failed, which can leave a file torn that is not older
    ///     than the journal's last durable note
    /// @throws CorruptLogException if the file names another topic, or cannot be read and nothing
    ///     else says whose the directory is
    public static void check(LogStorage storage, Path directory, Uuid topicId, boolean mayBeTorn) throws IOException {
        var path = directory.resolve(FILE_NAME);
        boolean missing = !storage.exists(path);
        var id = missing ? null : parse(storage.readAll(path));
        boolean known = !topicId.equals(Uuid.ZERO);
        if (id == null && !known && !missing && !mayBeTorn) {
            throw new CorruptLogException("'" + path + "' cannot be read, so nobody knows whose records these are."
                    + " Write 'version: 0' and 'topic_id: ' with the topic's id into it, a line each, or delete the"
                    + " directory to have it copied from another replica");
        }
        if (id == null && known && storage.isDirectory(directory)) {
            LOG.warn("Writing a missing or damaged file again file={} topicId={}", path, topicId);
            write(storage, directory, topicId);
        } else if (id != null && known && !id.equals(topicId) && !id.equals(Uuid.ZERO)) {
            throw new CorruptLogException("'" + path + "' names topic id " + id + ", but this was the directory of "
                    + topicId + ": the file is damaged, or the directory is that of another topic. Put back what"
                    + " belongs here, or delete the directory to have it copied from another replica");
        }
    }
}
