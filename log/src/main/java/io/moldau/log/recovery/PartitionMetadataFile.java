package io.moldau.log.recovery;

import io.moldau.common.Uuid;
import io.moldau.log.storage.LogStorage;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;

/// The `partition.metadata` file of a partition's directory: a version and the topic's id.
public final class PartitionMetadataFile {

    public static final String FILE_NAME = "partition.metadata";

    private PartitionMetadataFile() {}

    public static void write(LogStorage storage, Path directory, Uuid topicId) throws IOException {
        var text = "version: 0\ntopic_id: " + topicId + "\n";
        storage.replace(directory.resolve(FILE_NAME), text.getBytes(StandardCharsets.UTF_8), false);
    }

    /// The topic's id, [Uuid#ZERO] if there is no readable file.
    public static Uuid read(LogStorage storage, Path directory) throws IOException {
        var path = directory.resolve(FILE_NAME);
        if (!storage.exists(path)) {
            return Uuid.ZERO;
        }
        var text = new String(storage.readAll(path), StandardCharsets.UTF_8);
        for (var line : text.lines().toList()) {
            if (line.startsWith("topic_id:")) {
                try {
                    return Uuid.fromString(line.substring("topic_id:".length()).strip());
                } catch (IllegalArgumentException e) {
                    return Uuid.ZERO;
                }
            }
        }
        return Uuid.ZERO;
    }
}
